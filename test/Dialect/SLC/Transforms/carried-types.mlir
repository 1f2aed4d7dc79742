// A register of the execute unit holds numbers, vectors and memrefs; a loop that carries another value
// stays whole.
// RUN: ember-opt %s --choose-decoupling 2>&1 | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// CHECK: remark: loop is not offloaded: it carries a value of type '!sparse_tensor.storage_specifier<{{.*}}>', for which the execute unit has no register
// CHECK-LABEL: func.func @carries_a_specifier(
// CHECK-NOT: slc.decouple
// CHECK: return
func.func @carries_a_specifier(%ids: memref<?xindex>, %table: memref<?xf32>, %out: memref<?xf32>,
                               %sizes: !sparse_tensor.storage_specifier<#CSR>)
    -> !sparse_tensor.storage_specifier<#CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %ids, %c0 : memref<?xindex>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sizes) -> (!sparse_tensor.storage_specifier<#CSR>) {
    %id = memref.load %ids[%i] : memref<?xindex>
    %v = memref.load %table[%id] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
    %t = sparse_tensor.storage_specifier.set %s val_mem_sz with %i : !sparse_tensor.storage_specifier<#CSR>
    scf.yield %t : !sparse_tensor.storage_specifier<#CSR>
  }
  return %last : !sparse_tensor.storage_specifier<#CSR>
}
