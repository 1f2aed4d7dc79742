// or(xor(a, b), d), where xor has nothing at coordinates that both store: d's value belongs there, and nothing is
// stored where all three are.
// RUN: mlir-opt-22 %s --sparse-reinterpret-map --sparsification | FileCheck %s

// The first of the cases: all three.
// CHECK:      scf.while
// CHECK-NOT:  scf.if
// CHECK:      %[[TWO:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK:      scf.if
// CHECK-NEXT: } else {

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
#trait = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
func.func @nested(%a: tensor<?xi32, #vector>, %b: tensor<?xi32, #vector>, %d: tensor<?xi32, #vector>, %o: tensor<?xi32>) -> tensor<?xi32> {
  %0 = linalg.generic #trait ins(%a, %b, %d : tensor<?xi32, #vector>, tensor<?xi32, #vector>, tensor<?xi32, #vector>) outs(%o : tensor<?xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32, %w: i32):
    %1 = sparse_tensor.binary %x, %y : i32, i32 to i32
      overlap = {}
      left = identity
      right = identity
    %2 = sparse_tensor.binary %1, %z : i32, i32 to i32
      overlap = { ^bb0(%p: i32, %q: i32): %r = arith.ori %p, %q : i32
        sparse_tensor.yield %r : i32 }
      left = identity
      right = identity
    linalg.yield %2 : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
