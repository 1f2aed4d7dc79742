// What a dense output held is overwritten by 0 where nothing is stored, although linalg says that it is there.
// RUN: mlir-opt-22 %s --sparse-reinterpret-map --sparsification | FileCheck %s

// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK: %[[OUT:.*]] = bufferization.to_buffer %arg1
// CHECK: linalg.fill ins(%[[ZERO]] : f32) outs(%[[OUT]]

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
#trait = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
func.func @negated(%a: tensor<?xf32, #vector>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic #trait ins(%a: tensor<?xf32, #vector>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %1 = arith.negf %x : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
