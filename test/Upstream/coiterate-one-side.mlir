// A case of one operand alone visits what the other one stores, too: nothing is compared.
// RUN: mlir-opt-22 %s --lower-sparse-iteration-to-scf | FileCheck %s

// CHECK:     scf.for
// CHECK-NOT: arith.cmpi

#vector = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
func.func @first_alone(%a: tensor<?xf32, #vector>, %b: tensor<?xf32, #vector>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sa = sparse_tensor.extract_iteration_space %a lvls = 0 : tensor<?xf32, #vector> -> !sparse_tensor.iter_space<#vector, lvls = 0>
  %sb = sparse_tensor.extract_iteration_space %b lvls = 0 : tensor<?xf32, #vector> -> !sparse_tensor.iter_space<#vector, lvls = 0>
  %n = sparse_tensor.coiterate (%sa, %sb) at (%i) iter_args(%count = %c0) : (!sparse_tensor.iter_space<#vector, lvls = 0>, !sparse_tensor.iter_space<#vector, lvls = 0>) -> index
  case %p, _ {
    %more = arith.addi %count, %c1 : index
    sparse_tensor.yield %more : index
  }
  return %n : index
}
