// RUN: ember-opt %s --split-input-file --emit-kernel-entries | FileCheck %s
// RUN: ember-opt %s --split-input-file --emit-kernel-entries=may-alias | FileCheck %s --check-prefix=ALIAS

// The output is written, and so checked against both others; they are checked
// against nothing.

// CHECK-LABEL: func.func @scale
// CHECK-SAME: memref<?x4xf32> {ember.name = "in", ember.noalias}
// CHECK-SAME: memref<f32> {ember.noalias}
// CHECK-SAME: memref<?x4xf32> {ember.name = "out", ember.noalias}
// CHECK: llvm.func @ember_kernel_scale(%[[ARGS:.*]]: !llvm.ptr, %[[ERROR:.*]]: !llvm.ptr) -> i32
// CHECK: %[[PACKED:.*]] = llvm.mlir.addressof @ember_packed_scale
// CHECK: %[[STATUS:.*]] = llvm.call @ember_invoke(%[[PACKED]], %[[ARGS]], %[[ERROR]])
// CHECK: llvm.return %[[STATUS]]
// CHECK: llvm.func internal @ember_packed_scale(%[[SLOTS:.*]]: !llvm.ptr)
// CHECK: llvm.call @ember_check_layouts(%[[SLOTS]]
// CHECK-COUNT-2: llvm.call @ember_check_disjoint
// CHECK-NOT: llvm.call @ember_check_disjoint
// CHECK: %[[RESULT:.*]] = {{(func\.)?}}call @scale
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[SLOTS]][4]
// CHECK: %[[PLACE:.*]] = llvm.load %[[SLOT]]
// CHECK: llvm.store %[[RESULT]], %[[PLACE]] : f32
// ALIAS-LABEL: func.func @scale
// ALIAS-NOT: ember.noalias
// ALIAS-NOT: call @ember_check_disjoint
// ALIAS: llvm.return
func.func @scale(%in: memref<?x4xf32> {ember.name = "in"}, %factor: memref<f32>,
                 %out: memref<?x4xf32> {ember.name = "out"}, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %f = memref.load %factor[] : memref<f32>
  %x = memref.load %in[%i, %c0] : memref<?x4xf32>
  %y = arith.mulf %x, %f : f32
  memref.store %y, %out[%i, %c0] : memref<?x4xf32>
  return %y : f32
}

// -----

// Bits are bytes in memory. Private functions and declarations have no entry.

// CHECK-NOT: @ember_kernel_local
// CHECK-NOT: @ember_kernel_external
// CHECK: llvm.func internal @ember_packed_flag
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: llvm.trunc %[[BYTE]] : i8 to i1
// CHECK: %[[WIDE:.*]] = llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.store %[[WIDE]]
func.func @flag(%b: i1) -> i1 {
  return %b : i1
}
func.func private @local(%b: i1) -> i1 {
  return %b : i1
}
func.func private @external(i1)

// -----

// A function that the module calls has a caller that checks nothing: its
// arguments are not known to be apart. Callers from outside are checked.

// CHECK-LABEL: func.func @inner
// CHECK-NOT: ember.noalias
// CHECK-LABEL: llvm.func internal @ember_packed_inner
// CHECK-COUNT-1: llvm.call @ember_check_disjoint
// CHECK-NOT: ember.noalias
// CHECK-LABEL: func.func @outer
// CHECK-SAME: memref<?xf32> {ember.noalias}
func.func @inner(%a: memref<?xf32>, %b: memref<?xf32>) {
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return
}
func.func @outer(%a: memref<?xf32>, %b: memref<?xf32>) {
  func.call @inner(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}
