// Compute code that only costs a token where it stands moves to its uses.

// RUN: ember-opt %s --choose-decoupling | FileCheck %s

// Used behind the loop over the row: one callback, at its end.
// CHECK-LABEL: func.func @behind(
// CHECK:      scf.for %[[B:.*]] =
// CHECK-NEXT:   %[[I:.*]] = memref.load %arg0[%[[B]]]
// CHECK-NOT:    slc.callback beg
// CHECK:        slc.callback end {
// CHECK-NEXT:     %[[Q:.*]] = arith.muli %[[B]], %c3
// CHECK-NEXT:     %[[P:.*]] = arith.addi %[[Q]], %c1
// CHECK-NEXT:     memref.store %{{.*}}, %arg2[%[[P]]]
func.func @behind(%ids: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %ids[%b] : memref<?xindex>
    %q = arith.muli %b, %c3 : index
    %p = arith.addi %q, %c1 : index
    %s = scf.for %e = %c0 to %length step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      %w = arith.addf %acc, %v : f32
      scf.yield %w : f32
    }
    memref.store %s, %out[%p] : memref<?xf32>
  }
  return
}

// Used in the loop and behind it: computed in both places.
// CHECK-LABEL: func.func @both(
// CHECK-NOT:    slc.callback beg
// CHECK:        slc.callback ite
// CHECK-NEXT:     arith.sitofp
// CHECK:        slc.callback end {
// CHECK-NEXT:     arith.sitofp
// CHECK-NEXT:     arith.addf
func.func @both(%ids: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %narrow = memref.load %ids[%b] : memref<?xi32>
    %i = arith.index_cast %narrow : i32 to index
    %f = arith.sitofp %narrow : i32 to f32
    %s = scf.for %e = %c0 to %length step %c1 iter_args(%acc = %zero) -> (f32) {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      %scaled = arith.mulf %v, %f : f32
      %w = arith.addf %acc, %scaled : f32
      scf.yield %w : f32
    }
    %t = arith.addf %s, %f : f32
    memref.store %t, %out[%b] : memref<?xf32>
  }
  return
}

// A callback is needed before the loop anyway: a register hands the value on,
// and what it is computed from crosses once.
// CHECK-LABEL: func.func @beside_a_store(
// CHECK:        %[[F:.*]] = slc.callback beg -> f32 {
// CHECK:          memref.store
// CHECK:        slc.callback ite {
// CHECK-NEXT:     arith.mulf %{{.*}}, %[[F]]
func.func @beside_a_store(%ids: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %narrow = memref.load %ids[%b] : memref<?xi32>
    %i = arith.index_cast %narrow : i32 to index
    %f = arith.sitofp %narrow : i32 to f32
    memref.store %zero, %out[%b, %c0] : memref<?x?xf32>
    scf.for %e = %c0 to %length step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      %scaled = arith.mulf %v, %f : f32
      memref.store %scaled, %out[%b, %e] : memref<?x?xf32>
    }
  }
  return
}

// What a nested loop begins with is there before it.
// CHECK-LABEL: func.func @initial(
// CHECK:        %[[F:.*]] = slc.callback beg -> f32 {
// CHECK:        iter_args(%{{.*}} = %[[F]])
func.func @initial(%ids: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    %narrow = memref.load %ids[%b] : memref<?xi32>
    %i = arith.index_cast %narrow : i32 to index
    %f = arith.sitofp %narrow : i32 to f32
    %s = scf.for %e = %c0 to %length step %c1 iter_args(%acc = %f) -> (f32) {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      %w = arith.addf %acc, %v : f32
      scf.yield %w : f32
    }
    memref.store %s, %out[%b] : memref<?xf32>
  }
  return
}

// A counter that nobody reads, handed through two loops, and what it is made
// of; one that is returned stays.
// CHECK-LABEL: func.func @dead_counter(
// CHECK:      %[[TOTAL:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %c0) -> (index)
// CHECK:        scf.for %{{.*}} = %c0 to %arg4 step %c1 {
// CHECK:          slc.callback ite {
// CHECK:        slc.callback end -> index
// CHECK-NOT:  arith.muli
// CHECK:      return %[[TOTAL]]
func.func @dead_counter(%ids: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %b = %c0 to %n step %c1 iter_args(%dead = %c0, %total = %c0) -> (index, index) {
    %i = memref.load %ids[%b] : memref<?xindex>
    %d = scf.for %e = %c0 to %length step %c1 iter_args(%inner = %dead) -> (index) {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      memref.store %v, %out[%e] : memref<?xf32>
      %twice = arith.muli %b, %length : index
      %next = arith.addi %inner, %twice : index
      scf.yield %next : index
    }
    %more = arith.addi %total, %length : index
    scf.yield %d, %more : index, index
  }
  return %r#1 : index
}

// A whole loop that nobody needs, with what is within.
// CHECK-LABEL: func.func @dead_loop(
// CHECK:      scf.for
// CHECK:        memref.load %arg0
// CHECK-NEXT:   slc.callback
// CHECK-NOT:  scf.for
// CHECK:      return
func.func @dead_loop(%ids: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?xindex>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %i = memref.load %ids[%b] : memref<?xindex>
    %sum = scf.for %e = %c0 to %length step %c1 iter_args(%s = %zero) -> (f32) {
      %x = memref.load %table[%i, %e] : memref<?x?xf32>
      %power = math.exp %x : f32
      %t = arith.addf %s, %power : f32
      scf.yield %t : f32
    }
    memref.store %i, %out[%b] : memref<?xindex>
  }
  return
}
