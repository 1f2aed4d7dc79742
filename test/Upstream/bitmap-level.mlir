// There is no level of booleans.
// RUN: not mlir-opt-22 %s 2>&1 | FileCheck %s
// CHECK: unknown level format: bitmap

#bitmap = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : bitmap)}>
func.func @marked(%a: tensor<8x8xf32, #bitmap>) -> tensor<8x8xf32, #bitmap> { return %a : tensor<8x8xf32, #bitmap> }
