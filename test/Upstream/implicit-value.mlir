// What is not stored is 0 in a tensor of sparse_tensor, and nothing else.
// RUN: not mlir-opt-22 %s 2>&1 | FileCheck %s
// CHECK: implicit value must be zero

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed), implicitVal = 0x7F800000 : f32}>
func.func @infinite(%a: tensor<8xf32, #vector>) -> tensor<8xf32, #vector> { return %a : tensor<8xf32, #vector> }
