// RUN: ember-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: ember-opt --split-input-file --verify-diagnostics %s | ember-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @whole
func.func @whole(%a: memref<?xf32>, %b: memref<?xf32>) {
  cin.evaluate ins(%x = %a : memref<?xf32>) outs(%y = %b : memref<?xf32>) {
    // CHECK: %[[N:.*]] = cin.extent %{{.*}}, 0
    // CHECK: %twice = cin.temporary sizes(%[[N]]) {name = "twice"} : memref<?xf32>
    // CHECK: cin.temporary initial 0.000000e+00 : f32 : memref<4xf32>
    %n = cin.extent %x, 0 : memref<?xf32>
    %twice = cin.temporary sizes(%n) {name = "twice"} : memref<?xf32>
    // CHECK: cin.temporary {kept} : memref<2xf32>
    %four = cin.temporary initial 0.0 : f32 : memref<4xf32>
    %two = cin.temporary {kept} : memref<2xf32>
    cin.forall (%i) {
      %e = cin.access %x[%i] : memref<?xf32>
      %sum = cin.call add(%e, %e) : (f32, f32) -> f32
      cin.assign %sum to %twice[%i] : memref<?xf32>
    }
    cin.forall (%i) {
      %e = cin.access %twice[%i] : memref<?xf32>
      cin.assign %e to %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @tensors
func.func @tensors(%a: tensor<?xf32>) -> tensor<?xf32> {
  %y = cin.evaluate outs(%x = %a : tensor<?xf32>) -> tensor<?xf32> {
    %n = cin.extent %x, 0 : tensor<?xf32>
    // CHECK: cin.temporary sizes(%{{.*}}) : tensor<?xf32>
    %t = cin.temporary sizes(%n) : tensor<?xf32>
    cin.forall (%i) {
      %e = cin.access %x[%i] : tensor<?xf32>
      cin.assign %e to %t[%i] : tensor<?xf32>
    }
    cin.forall (%i) {
      %e = cin.access %t[%i] : tensor<?xf32>
      cin.assign %e to %x[%i] : tensor<?xf32>
    }
  }
  return %y : tensor<?xf32>
}

// -----

func.func @sizes(%b: memref<?xf32>) {
  cin.evaluate outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{has 0 sizes for 1 dimensions of a size that is not known}}
    %t = cin.temporary : memref<?xf32>
  }
  return
}

// -----

func.func @outside(%b: memref<?xf32>, %n: index) {
  cin.evaluate ins(%m = %n : index) outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{has a size that is not an expression of sizes of the arrays that are named before it}}
    %t = cin.temporary sizes(%m) : memref<?xf32>
  }
  return
}

// -----

func.func @initial(%b: memref<?xf32>) {
  cin.evaluate outs(%y = %b : memref<?xf32>) {
    // expected-error @+1 {{holds a value of type 'i64' at first, and has elements of type 'f32'}}
    %t = cin.temporary initial 0 : i64 : memref<4xf32>
  }
  return
}
