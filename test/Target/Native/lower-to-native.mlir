// RUN: ember-opt %s --lower-to-native | FileCheck %s

// Accesses go through pointers that LLVM knows to be apart; only the entry is
// visible; buffers come from the runtime.

// CHECK-DAG: llvm.func @ember_alloc(i64, i64) -> !llvm.ptr
// CHECK-DAG: llvm.func @ember_free(!llvm.ptr)
// CHECK: llvm.func internal @copy(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}
// CHECK: llvm.call @ember_alloc
// CHECK: llvm.call @ember_free
// CHECK: llvm.func @ember_kernel_copy
// CHECK: llvm.func internal @ember_packed_copy
// CHECK-NOT: unrealized_conversion_cast
func.func @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %t : memref<?xf32> to memref<?xf32>
  memref.copy %t, %b : memref<?xf32> to memref<?xf32>
  memref.dealloc %t : memref<?xf32>
  return
}
