// RUN: ember-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: ember-opt --split-input-file --verify-diagnostics %s | ember-opt --split-input-file | FileCheck %s

#rows = #cin.format<dense, compressed fill 0.0 : f32>

// CHECK-LABEL: func.func @room
func.func @room(%b: memref<?xf32>, %s: index) {
  cin.evaluate ins(%m = %s : index) outs(%y = %b : memref<?xf32>) {
    // CHECK: cin.temporary : !cin.array<4x4xf32, #cin.format<dense, compressed fill 0.000000e+00 : f32>>
    %t = cin.temporary : !cin.array<4x4xf32, #rows>
    %counts = cin.temporary : memref<2xi64>
    %counted = cin.assemble counting %counts : memref<2xi64> -> !cin.array<4x4xf32, #rows>
    // CHECK: cin.reserve %{{.*}} : !cin.array<4x4xf32, {{.*}}> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
    %room:3 = cin.reserve %counted : !cin.array<4x4xf32, #rows> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
    %a = cin.assemble %room#2 levels(%room#0, %room#1) : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<4x4xf32, #rows>
  }
  return
}

// -----

func.func @initial(%b: memref<?xf32>) {
  cin.evaluate outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{is in a format, of which the fill is what it holds at first, and has an initial value}}
    %t = cin.temporary initial 1.0 : f32 : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
  }
  return
}

// -----

func.func @encoded(%b: memref<?xf32>) {
  cin.evaluate outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{has encoded elements, which no statement assigns to}}
    %t = cin.temporary : !cin.array<4x4xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
  }
  return
}

// -----

func.func @combined(%b: memref<4xf32>) {
  cin.evaluate outs(%y = %b : memref<4xf32>) {
    %t = cin.temporary {name = "t"} : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
    cin.forall (%i) {
      %e = cin.access %y[%i] : memref<4xf32>
      // expected-error @+1 {{combines values with elements of t, which is in a format and is appended to: assign a reduction instead}}
      cin.assign add %e to %t[%i] : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
    }
  }
  return
}

// -----

func.func @not_counted(%b: memref<4xf32>) {
  cin.evaluate outs(%y = %b : memref<4xf32>) {
    %t = cin.temporary : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
    // expected-error @+1 {{is for an array that nothing is counted of}}
    %room:3 = cin.reserve %t : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<?xf32>
  }
  return
}

// -----

func.func @arrays(%b: memref<4xf32>) {
  cin.evaluate outs(%y = %b : memref<4xf32>) {
    %counts = cin.temporary : memref<1xi64>
    %counted = cin.assemble counting %counts : memref<1xi64> -> !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
    // expected-error @+1 {{has 2 arrays for 2 of levels, and one of values}}
    %room:2 = cin.reserve %counted : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>
  }
  return
}

// -----

func.func @known(%b: memref<4xf32>) {
  cin.evaluate outs(%y = %b : memref<4xf32>) {
    %counts = cin.temporary : memref<1xi64>
    %counted = cin.assemble counting %counts : memref<1xi64> -> !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>>
    // expected-error @+1 {{has an array of type 'memref<4xf32>', of which nobody knows the size}}
    %room:3 = cin.reserve %counted : !cin.array<4xf32, #cin.format<compressed fill 0.0 : f32>> -> memref<?xi64>, memref<?xi64>, memref<4xf32>
  }
  return
}
