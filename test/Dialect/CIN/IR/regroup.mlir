// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefix=MEMORY

#csr = #cin.format<dense, compressed fill 0.0 : f32>
#dcsc = #cin.format<compressed, compressed order 1, 0 fill 0.0 : f32>

// CHECK-LABEL: func.func @copy(
// CHECK: %[[P:.*]], %[[C:.*]], %[[V:.*]] = cin.regroup %{{.*}} order [0, 1] : !cin.array<?x4xf32, #cin.format<compressed, compressed order 1, 0 fill 0.000000e+00 : f32>> -> tensor<?xi64>, tensor<?xi64>, tensor<?xf32>
// CHECK: cin.assemble %[[V]] levels(%[[P]], %[[C]]) sizes(
// MEMORY: cin.regroup %{{.*}} -> memref<?xi64>, memref<?xi64>, memref<?xf32>
func.func @copy(%m: index, %p: tensor<2xi32>, %c: tensor<?xi32>, %q: tensor<?xi32>, %d: tensor<?xi32>, %v: tensor<?xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = cin.evaluate ins(%M = %m, %P = %p, %C = %c, %Q = %q, %D = %d, %V = %v : index, tensor<2xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xf32>)
               outs(%out = %y : tensor<?x4xf32>) -> tensor<?x4xf32> {
    %a = cin.assemble %V levels(%P, %C, %Q, %D) sizes(%M) {name = "A"} : tensor<?xf32>, tensor<2xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32> -> !cin.array<?x4xf32, #dcsc>
    %positions, %coordinates, %values = cin.regroup %a order [0, 1] : !cin.array<?x4xf32, #dcsc> -> tensor<?xi64>, tensor<?xi64>, tensor<?xf32>
    %b = cin.assemble %values levels(%positions, %coordinates) sizes(%M) {name = "A"} : tensor<?xf32>, tensor<?xi64>, tensor<?xi64> -> !cin.array<?x4xf32, #csr>
    cin.forall (%i, %j) {
      %x = cin.access %b[%i, %j] : !cin.array<?x4xf32, #csr>
      cin.assign %x to %out[%i, %j] : tensor<?x4xf32>
    }
  }
  return %r : tensor<?x4xf32>
}
