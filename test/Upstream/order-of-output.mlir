// A sum by rows to a result by columns stays an operation on tensors: there are no loops for it.
// RUN: mlir-opt-22 %s --sparse-reinterpret-map --sparsification | FileCheck %s

// CHECK-NOT: scf.
// CHECK:     linalg.generic
// CHECK-NOT: scf.

#CSR = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#trait = {indexing_maps = [affine_map<(i,j) -> (i,j)>, affine_map<(i,j) -> (i,j)>, affine_map<(i,j) -> (i,j)>], iterator_types = ["parallel", "parallel"]}
func.func @sum(%a: tensor<4x4xf32, #CSR>, %b: tensor<4x4xf32, #CSR>) -> tensor<4x4xf32, #CSC> {
  %o = tensor.empty() : tensor<4x4xf32, #CSC>
  %0 = linalg.generic #trait ins(%a, %b: tensor<4x4xf32, #CSR>, tensor<4x4xf32, #CSR>) outs(%o : tensor<4x4xf32, #CSC>) {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32, #CSC>
  return %0 : tensor<4x4xf32, #CSC>
}
