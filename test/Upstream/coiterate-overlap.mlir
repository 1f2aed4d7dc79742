// A case of both operands: what comes out is where the loop has come to in the first one, not the count, and the loop
// begins where the count does.
// RUN: mlir-opt-22 %s --lower-sparse-iteration-to-scf | FileCheck %s

// CHECK: %[[ZERO:.*]] = arith.constant 0
// CHECK: %[[LOOP:.*]]:3 = scf.while (%[[PLACE:.*]] = %[[ZERO]],
// CHECK: memref.load %{{.*}}[%[[PLACE]]]
// CHECK: return %[[LOOP]]#0

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
func.func @both(%a: tensor<?xf32, #vector>, %b: tensor<?xf32, #vector>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sa = sparse_tensor.extract_iteration_space %a lvls = 0 : tensor<?xf32, #vector> -> !sparse_tensor.iter_space<#vector, lvls = 0>
  %sb = sparse_tensor.extract_iteration_space %b lvls = 0 : tensor<?xf32, #vector> -> !sparse_tensor.iter_space<#vector, lvls = 0>
  %n = sparse_tensor.coiterate (%sa, %sb) at (%i) iter_args(%count = %c0) : (!sparse_tensor.iter_space<#vector, lvls = 0>, !sparse_tensor.iter_space<#vector, lvls = 0>) -> index
  case %p, %q {
    %more = arith.addi %count, %c1 : index
    sparse_tensor.yield %more : index
  }
  return %n : index
}
