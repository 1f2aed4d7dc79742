// RUN: ember-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neutral_operands(
// CHECK: slc.for %[[I:.*]] = %c0 to
// CHECK-NEXT: %[[V:.*]] = slc.mem_str %{{.*}}[%[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]]]
func.func @neutral_operands(%n: index, %in: memref<?x?x?x?x?x?x?x?x?x?x?x?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %a = slc.alu_str add %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %b = slc.alu_str add %c0, %i : index, !slc.stream<index> -> !slc.stream<index>
    %c = slc.alu_str sub %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %d = slc.alu_str mul %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %e = slc.alu_str mul %c1, %i : index, !slc.stream<index> -> !slc.stream<index>
    %f = slc.alu_str divs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %g = slc.alu_str divu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %h = slc.alu_str or %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %j = slc.alu_str xor %c0, %i : index, !slc.stream<index> -> !slc.stream<index>
    %k = slc.alu_str shl %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %l = slc.alu_str shrs %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %m = slc.alu_str shru %i, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %v = slc.mem_str %in[%a, %b, %c, %d, %e, %f, %g, %h, %j, %k, %l, %m] : memref<?x?x?x?x?x?x?x?x?x?x?x?xindex>[!slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>, !slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %x = slc.str_to_val %v : !slc.stream<index> -> index
      memref.store %x, %out[%x] : memref<?xindex>
    }
  }
  return
}

// What looks neutral on the wrong side, or is not neutral, stays.

// CHECK-LABEL: func.func @not_neutral(
// CHECK: slc.alu_str sub %c0
// CHECK: slc.alu_str divs %c1
// CHECK: slc.alu_str and
// CHECK: slc.alu_str maxs
func.func @not_neutral(%n: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %a = slc.alu_str sub %c0, %i : index, !slc.stream<index> -> !slc.stream<index>
    %b = slc.alu_str divs %c1, %a : index, !slc.stream<index> -> !slc.stream<index>
    %c = slc.alu_str and %b, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    %d = slc.alu_str maxs %c, %c0 : !slc.stream<index>, index -> !slc.stream<index>
    slc.callback ite {
      %x = slc.str_to_val %d : !slc.stream<index> -> index
      memref.store %x, %out[%x] : memref<?xindex>
    }
  }
  return
}

// CHECK-LABEL: func.func @casts_and_forwards(
// CHECK: slc.for %[[I:.*]] = %c0
// CHECK-NEXT: slc.for %[[J:.*]] = %c0
// CHECK-NEXT: %[[OUTER:.*]] = slc.fwd_str %[[I]]
// CHECK-NEXT: slc.callback ite {
// CHECK-NEXT: slc.str_to_val %[[J]]
// CHECK-NEXT: slc.str_to_val %[[J]]
// CHECK-NEXT: slc.str_to_val %[[OUTER]]
func.func @casts_and_forwards(%n: index, %out: memref<?x?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.for %j = %c0 to %n step %c1 {
      %same = slc.cast_str %j : !slc.stream<index> to !slc.stream<index>
      %here = slc.fwd_str %j : !slc.stream<index> -> !slc.stream<index>
      %outer = slc.fwd_str %i : !slc.stream<index> -> !slc.stream<index>
      slc.callback ite {
        %x = slc.str_to_val %same : !slc.stream<index> -> index
        %y = slc.str_to_val %here : !slc.stream<index> -> index
        %z = slc.str_to_val %outer : !slc.stream<index> -> index
        memref.store %z, %out[%x, %y] : memref<?x?xindex>
      }
    }
  }
  return
}

// Loop-carried values that never change, or that nobody reads, need no register.

// CHECK-LABEL: func.func @iter_args(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: f32
// CHECK: %[[R:.*]] = slc.for %{{.*}} iter_args(%[[SUM:.*]] = %c0) -> (index) {
// CHECK: slc.yield %{{.*}} : index
// CHECK: return %[[R]], %[[X]]
func.func @iter_args(%n: index, %x: f32) -> (index, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = slc.for %i = %c0 to %n step %c1 iter_args(%sum = %c0, %same = %x, %unread = %c1) -> (index, f32, index) {
    %next:2 = slc.callback ite -> (index, index) {
      %v = slc.str_to_val %i : !slc.stream<index> -> index
      %s = arith.addi %sum, %v : index
      slc.yield %s, %v : index, index
    }
    slc.yield %next#0, %same, %next#1 : index, f32, index
  }
  return %r#0, %r#1 : index, f32
}

// CHECK-LABEL: func.func @attributes_stay(
// CHECK: slc.for
// CHECK: } {ember.name = "kept"}
func.func @attributes_stay(%n: index, %x: f32, %out: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = slc.for %i = %c0 to %n step %c1 iter_args(%same = %x) -> (f32) {
    slc.callback ite {
      memref.store %same, %out[] : memref<f32>
    }
    slc.yield %same : f32
  } {ember.name = "kept"}
  return
}

// A callback without effects costs a token for nothing; results that nobody
// reads cost a register.

// CHECK-LABEL: func.func @callbacks(
// CHECK: slc.for
// CHECK-NEXT: slc.callback ite {
// CHECK-NOT: slc.yield
// CHECK: memref.store
// CHECK-NOT: slc.callback
// CHECK: return
func.func @callbacks(%n: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    slc.callback ite {
      %v = slc.str_to_val %i : !slc.stream<index> -> index
      %w = arith.addi %v, %v : index
    }
    %unread = slc.callback ite -> index {
      %v = slc.str_to_val %i : !slc.stream<index> -> index
      memref.store %v, %out[%v] : memref<?xindex>
      slc.yield %v : index
    }
  }
  return
}

// Only a buffer that nobody reads is written by the loop, which goes: what stood
// after it is done in each iteration.
// CHECK-LABEL: func.func @loses_nested_loop
// CHECK: slc.for
// CHECK-NOT: slc.for
// CHECK: slc.callback ite
func.func @loses_nested_loop(%out: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %unread = memref.alloc() : memref<f32>
  slc.for %i = %c0 to %n step %c1 {
    slc.for %j = %c0 to %n step %c1 {
      slc.callback ite {
        memref.store %x, %unread[] : memref<f32>
      }
    }
    slc.callback end {
      memref.store %x, %out[%c0] : memref<?xf32>
    }
  }
  return
}
