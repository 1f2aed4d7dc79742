// What upstream's sparsifier makes of SpMM, with the sizes of the sparse tensor
// as a structure: rows, columns, and the lengths of the three arrays.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/positions.npy index "[0, 2, 2, 3]"
// RUN: %npy make %t/coordinates.npy index "[0, 3, 1]"
// RUN: %npy make %t/values.npy f32 "[1, 2, 3]"
// RUN: %npy make %t/sizes.npy index "[3, 4, 4, 3, 3]"
// RUN: %npy make %t/dense.npy f32 "np.arange(8).reshape(4, 2)"
// RUN: %npy make %t/out.npy f32 "np.zeros((3, 2))"
// RUN: ember-run %s @%t/positions.npy @%t/coordinates.npy @%t/values.npy "[3, 4, 4, 3, 3]" @%t/dense.npy @%t/out.npy | FileCheck %s
// RUN: ember-run %s @%t/positions.npy @%t/coordinates.npy @%t/values.npy @%t/sizes.npy @%t/dense.npy @%t/out.npy --target=cpu | FileCheck %s
// RUN: ember-run %s @%t/positions.npy @%t/coordinates.npy @%t/values.npy @%t/sizes.npy @%t/dense.npy @%t/out.npy --target=dae-threads | FileCheck %s
// RUN: mlir-opt %s --sparse-storage-specifier-to-llvm -o %t/lowered.mlir
// RUN: ember-run %t/lowered.mlir @%t/positions.npy @%t/coordinates.npy @%t/values.npy @%t/sizes.npy @%t/dense.npy @%t/out.npy --target=cpu | FileCheck %s
// CHECK: result 0: memref<?x?xf32> [3, 2] = {{\[\[}}12, 15], [0, 0], [6, 9]]

// RUN: not ember-run %s @%t/positions.npy @%t/coordinates.npy @%t/values.npy "[3, 4]" @%t/dense.npy @%t/out.npy 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: argument 3: expected [5 integers] or @FILE.npy with them, got 2 of them

// A kernel library takes the structure as it is in memory.
// RUN: emberc %s -o %t/libk.so
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/libk.json
// MANIFEST: "kind": "structure"

#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @spmm(%positions: memref<?xindex>, %coordinates: memref<?xindex>,
    %values: memref<?xf32>, %sizes: !sparse_tensor.storage_specifier<#sparse>,
    %dense: memref<?x?xf32>, %out: memref<?x?xf32>) -> memref<?x?xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %0 = sparse_tensor.storage_specifier.get %sizes  val_mem_sz : !sparse_tensor.storage_specifier<#sparse>
  %subview = memref.subview %values[0] [%0] [1] : memref<?xf32> to memref<?xf32>
  %1 = sparse_tensor.storage_specifier.get %sizes  lvl_sz at 0 : !sparse_tensor.storage_specifier<#sparse>
  %2 = sparse_tensor.storage_specifier.get %sizes  pos_mem_sz at 1 : !sparse_tensor.storage_specifier<#sparse>
  %subview_0 = memref.subview %positions[0] [%2] [1] : memref<?xindex> to memref<?xindex>
  %3 = sparse_tensor.storage_specifier.get %sizes  crd_mem_sz at 1 : !sparse_tensor.storage_specifier<#sparse>
  %subview_1 = memref.subview %coordinates[0] [%3] [1] : memref<?xindex> to memref<?xindex>
  %dim = memref.dim %dense, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %1 step %c1 {
    %4 = memref.load %subview_0[%i] : memref<?xindex>
    %5 = arith.addi %i, %c1 : index
    %6 = memref.load %subview_0[%5] : memref<?xindex>
    scf.for %p = %4 to %6 step %c1 {
      %7 = memref.load %subview_1[%p] : memref<?xindex>
      %8 = memref.load %subview[%p] : memref<?xf32>
      scf.for %j = %c0 to %dim step %c1 {
        %9 = memref.load %out[%i, %j] : memref<?x?xf32>
        %10 = memref.load %dense[%7, %j] : memref<?x?xf32>
        %11 = arith.mulf %8, %10 : f32
        %12 = arith.addf %9, %11 : f32
        memref.store %12, %out[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return %out : memref<?x?xf32>
}
