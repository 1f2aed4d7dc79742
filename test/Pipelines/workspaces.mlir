// Loops over partial results, which the execute unit does by itself, are over
// vectors in slcv and dlc.

// RUN: ember-opt %s --scf-to-slc --optimize=vector-length=8 | FileCheck %s --check-prefixes=CHECK,SLCV
// RUN: ember-opt %s --scf-to-slc --optimize=vector-length=8 --slc-to-dlc | FileCheck %s --check-prefixes=CHECK,DLC
// RUN: ember-opt %s --scf-to-slc --optimize="vector-length=8 opt-level=0" | FileCheck %s --check-prefix=SCALAR
// RUN: ember-opt %s --scf-to-slc --optimize="vector-length=8 may-alias" | FileCheck %s --check-prefix=ALIAS

// A message: the product of two rows scales a third one, which is added up.
// CHECK-LABEL: func.func @messages(
// SLCV:   slc.callback end
// DLC:    dlc.compute_loop
// CHECK:    %[[SUM:.*]] = scf.for
// CHECK:      vector.reduction <add>
// CHECK:    scf.for %[[E:.*]] = %c0{{.*}} to %arg5 step %c8{{.*}} {
// CHECK:      %[[MASK:.*]] = vector.create_mask
// CHECK:      vector.maskedload %arg3[%{{.*}}, %[[E]]], %[[MASK]]
// CHECK:      vector.maskedload %arg4[%{{.*}}, %[[E]]], %[[MASK]]
// CHECK:      math.fma {{.*}} : vector<8xf32>
// CHECK:      vector.maskedstore %arg4[%{{.*}}, %[[E]]], %[[MASK]]

// SCALAR-LABEL: func.func @messages(
// SCALAR-NOT: vector

// ALIAS-LABEL: func.func @messages(
// ALIAS-NOT: maskedstore
func.func @messages(%ids: memref<?xindex>, %left: memref<?x?xf32>, %right: memref<?x?xf32>, %rows: memref<?x?xf32>, %out: memref<?x?xf32>, %length: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %ids[%b] : memref<?xindex>
    %sum = scf.for %e = %c0 to %length step %c1 iter_args(%acc = %zero) -> (f32) {
      %l = memref.load %left[%b, %e] : memref<?x?xf32>
      %r = memref.load %right[%i, %e] : memref<?x?xf32>
      %product = arith.mulf %l, %r : f32
      %next = arith.addf %acc, %product : f32
      scf.yield %next : f32
    }
    scf.for %e = %c0 to %length step %c1 {
      %v = memref.load %rows[%i, %e] : memref<?x?xf32>
      %old = memref.load %out[%b, %e] : memref<?x?xf32>
      %new = math.fma %v, %sum, %old : f32
      memref.store %new, %out[%b, %e] : memref<?x?xf32>
    }
  }
  return
}
