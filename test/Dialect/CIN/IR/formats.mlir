// RUN: ember-opt %s | ember-opt | FileCheck %s

// CHECK: #cin.format<dense, compressed fill 0.000000e+00 : f32>
#csr = #cin.format<dense, compressed fill 0.0 : f32>
// CHECK: #cin.format<dense, compressed order 1, 0 fill 0x7F800000 : f32>
#csc = #cin.format<dense, compressed order 1, 0 fill 0x7F800000 : f32>
// CHECK: #cin.format<compressed(nonunique), singleton(unordered) fill false no_stored_fill>
#coo = #cin.format<compressed(nonunique), singleton(unordered) fill false no_stored_fill>
// CHECK: #cin.format<bitmap fill -1 : i8>
#mask = #cin.format<bitmap fill -1 : i8>
func.func private @types(!cin.array<?x4xf32, #csr>, !cin.array<?x?xf32, #csc>, !cin.array<4x4xi1, #coo>, !cin.array<?xi8, #mask>)

// CHECK-LABEL: func.func @arrays(
// CHECK: %[[A:.*]] = cin.assemble %values levels(%positions, %coordinates) sizes(%m) {name = "A"} : memref<?xf32>, memref<?xi32>, memref<?xi32> -> !cin.array<?x4xf32,
// CHECK: cin.same_size %{{.*}}, 0 and %[[A]], 0 {variable = "i"} : memref<?x4xf32> and !cin.array<?x4xf32,
// CHECK: cin.forall (%{{.*}}) {
// CHECK:   cin.forall (%{{.*}}) attributes {iteration = #cin.iteration<"0">} {
// CHECK:     cin.access %[[A]][
func.func @arrays(%m: index, %p: memref<?xi32>, %c: memref<?xi32>, %v: memref<?xf32>, %y: memref<?x4xf32>) {
  cin.evaluate ins(%M = %m, %P = %p, %C = %c, %V = %v : index, memref<?xi32>, memref<?xi32>, memref<?xf32>)
               outs(%out = %y : memref<?x4xf32>) attributes {names = ["m", "positions", "coordinates", "values", "y"]} {
    %a = cin.assemble %V levels(%P, %C) sizes(%M) {name = "A"} : memref<?xf32>, memref<?xi32>, memref<?xi32> -> !cin.array<?x4xf32, #csr>
    cin.same_size %out, 0 and %a, 0 {variable = "i"} : memref<?x4xf32> and !cin.array<?x4xf32, #csr>
    cin.forall (%i) {
      cin.forall (%j) attributes {iteration = #cin.iteration<"0">} {
        %x = cin.access %a[%i, %j] : !cin.array<?x4xf32, #csr>
        cin.assign add %x to %out[%i, %j] : memref<?x4xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @counted(
// CHECK: cin.assemble counting %counts sizes(%n) {name = "A"} : memref<?xi64> -> !cin.array<?xf32,
func.func @counted(%n: index, %x: memref<?xf32>, %c: memref<?xi64>) {
  cin.evaluate ins(%N = %n, %X = %x : index, memref<?xf32>) outs(%C = %c : memref<?xi64>) attributes {names = ["n", "x", "counts"]} {
    %a = cin.assemble counting %C sizes(%N) {name = "A"} : memref<?xi64> -> !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
    cin.forall (%i) {
      %e = cin.access %X[%i] : memref<?xf32>
      cin.assign %e to %a[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
    }
  }
  return
}

// CHECK-LABEL: func.func @missing(
// CHECK: !cin.array<?xf32, #cin.format<compressed fill missing>>
// CHECK: %[[STORED:.*]] = cin.stored %{{.*}} : f32
// CHECK: cin.assign %{{.*}} to %{{.*}}[%{{.*}}] where %[[STORED]]
func.func @missing(%n: index, %p: memref<?xi64>, %c: memref<?xi64>, %v: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%N = %n, %P = %p, %C = %c, %V = %v : index, memref<?xi64>, memref<?xi64>, memref<?xf32>)
               outs(%out = %y : memref<?xf32>) attributes {names = ["n", "positions", "coordinates", "values", "y"]} {
    %a = cin.assemble %V levels(%P, %C) sizes(%N) {name = "A"} : memref<?xf32>, memref<?xi64>, memref<?xi64> -> !cin.array<?xf32, #cin.format<compressed fill missing>>
    cin.forall (%i) {
      %x = cin.access %a[%i] : !cin.array<?xf32, #cin.format<compressed fill missing>>
      %is_stored = cin.stored %x : f32
      cin.assign %x to %out[%i] where %is_stored : memref<?xf32>
    }
  }
  return
}
