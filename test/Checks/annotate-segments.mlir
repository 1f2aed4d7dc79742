// RUN: ember-opt --pass-pipeline='builtin.module(func.func(annotate-segments))' %s | FileCheck %s
// RUN: ember-opt --insert-runtime-checks %s | FileCheck %s --check-prefix=CHECKED

// CHECK-LABEL: func.func @offsets(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NEXT: } {ember.segment = "'offsets'"}
// CHECK-NEXT: }
func.func @offsets(%offsets: memref<?xi32> {ember.name = "offsets"}, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %0 = memref.load %offsets[%i] : memref<?xi32>
    %begin = arith.index_cast %0 : i32 to index
    %1 = memref.load %offsets[%next] : memref<?xi32>
    %end = arith.index_cast %1 : i32 to index
    scf.for %k = %begin to %end step %c1 {
      memref.store %one, %out[%k] : memref<?xf32>
    }
  }
  return
}

// Offsets that are not loaded here, as those from a queue.

// CHECKED-LABEL: func.func @bounds(
// CHECKED-SAME: %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECKED: %[[DECREASE:.*]] = arith.cmpi sgt, %[[BEGIN]], %[[END]]
// CHECKED: ember.check fails_if %[[DECREASE]] {
// CHECKED: ember.fail_segment "'offsets'"
func.func @bounds(%begin: index, %end: index, %out: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %k = %begin to %end step %c1 {
    memref.store %one, %out[%k] : memref<?xf32>
  } {ember.segment = "'offsets'"}
  return
}
