// RUN: ember-opt %s --align-queues --split-input-file | FileCheck %s
// RUN: ember-opt %s --align-queues=strategy=counters --split-input-file | FileCheck %s --check-prefix=COUNT
// RUN: ember-opt %s --align-queues=strategy=addresses --split-input-file | FileCheck %s --check-prefix=ADDRESS
// RUN: ember-opt %s --align-queues=strategy=pad --split-input-file | FileCheck %s --check-prefix=PAD

// Figure 15d: the bag's number is counted, in a callback that runs once a bag
// whether or not it is empty.
// CHECK-LABEL: func.func @bags(
// CHECK:         slc.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[I:.*]] = %c0) -> (index) {
// CHECK:           slc.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK:             slc.callback end {
// CHECK-NEXT:          slc.str_to_val %{{.*}} : !slc.buffer
// CHECK-NOT:           str_to_val
// CHECK:               vector.store %{{.*}}, %{{.*}}[%[[I]], %{{.*}}]
// CHECK:           %[[NEXT:.*]] = slc.callback end -> index {
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[I]], %c1 : index
// CHECK-NEXT:        slc.yield %[[SUM]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.yield %[[NEXT]] : index

// COUNT-LABEL: @bags(
// COUNT:         iter_args(

// ADDRESS-LABEL: func.func @bags(
// ADDRESS-SAME:    %[[OUT:[a-z0-9]*]]: memref<?x?xf32>, %{{[a-z0-9]*}}: index)
// ADDRESS:         %[[LENGTH:.*]] = memref.dim %[[OUT]], %c1
// ADDRESS:         slc.for %[[B:.*]] = %c0 to
// ADDRESS:           %[[AT:.*]] = slc.alu_str mul %[[B]], %[[LENGTH]]
// ADDRESS:             slc.callback end {
// ADDRESS-NEXT:          %[[POS:.*]] = slc.str_to_val %[[AT]] : !slc.stream<index> -> index
// ADDRESS-NEXT:          %[[ROW:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [%[[POS]]], sizes: [%{{.*}}], strides: [1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
// ADDRESS:               vector.store %{{.*}}, %[[ROW]][%{{.*}}]

// PAD-LABEL:   func.func @bags(
// PAD:         slc.for %[[B:.*]] = %c0 to
// PAD:           slc.for
// PAD-NEXT:        %[[WIDE:.*]] = slc.fwd_str %[[B]] : !slc.stream<index> -> !slc.stream<vector<8xindex>>
// PAD:             slc.callback end {
// PAD-NEXT:          %[[LANES:.*]] = slc.str_to_val %[[WIDE]] : !slc.stream<vector<8xindex>> -> vector<8xindex>
// PAD-NEXT:          %[[BAG:.*]] = vector.extract %[[LANES]][0] : index from vector<8xindex>
// PAD:               vector.store %{{.*}}, %{{.*}}[%[[BAG]], %{{.*}}]
func.func @bags(%offsets: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %bags: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  slc.for %b = %c0 to %bags step %c1 {
    %b1  = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      %buf = slcv.buf_str : !slc.buffer<vector<16xf32>>
      slcv.vec_for (%e, %mask) = %c0 to %c16 step %c1 vector<16> {
        %v = slcv.vec_mem_str %table[%p, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
        slcv.push %v, %buf : !slc.stream<vector<16xf32>>, !slc.buffer<vector<16xf32>>
      }
      slc.callback end {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
        scf.for %k = %c0 to %c1 step %c1 {
          %x = memref.load %row[%k] : memref<?xvector<16xf32>>
          vector.store %x, %out[%bag, %k] : memref<?x?xf32>, vector<16xf32>
        }
      }
    }
  }
  return
}

// -----

// Two ids find one row: one position. The weight can only be padded.
// CHECK-LABEL: func.func @heads(
// CHECK:         slc.for %[[B:.*]] = %c0 to
// CHECK:           slc.for %[[H:.*]] = %c0 to
// CHECK:             %[[BH:.*]] = slc.alu_str mul %[[B]], %c8
// CHECK:             %[[ROW:.*]] = slc.alu_str add %[[BH]], %[[H]]
// CHECK:             %[[AT:.*]] = slc.alu_str mul %[[ROW]], %c64
// CHECK:             %[[POS:.*]] = slc.fwd_str %[[AT]] : !slc.stream<index> -> !slc.stream<vector<8xindex>>
// CHECK:             %[[WIDE:.*]] = slc.fwd_str %{{.*}} : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
// CHECK:             slc.callback end {
// CHECK:               slc.str_to_val %[[POS]]
// CHECK:               memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [64], strides: [1] : memref<?x8x64xf32> to memref<64xf32, strided<[1], offset: ?>>
// CHECK:               slc.str_to_val %[[WIDE]]

// Both can be counted where that is asked for: a nested loop's counter is set
// whenever it begins. It is incremented by the row's own callback.
// COUNT-LABEL: @heads(
// COUNT:       slc.for {{.*}} iter_args(%[[I:.*]] = %c0) -> (index) {
// COUNT:         slc.for {{.*}} iter_args(%[[J:.*]] = %c0) -> (index) {
// COUNT:           slc.callback end -> index {
// COUNT:             slc.str_to_val %{{.*}} : !slc.stream<f32> -> f32
// COUNT:             vector.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %{{.*}}]
// COUNT:             arith.addi %[[J]], %c1
// COUNT:         slc.callback end -> index {
// COUNT-NEXT:      arith.addi %[[I]], %c1

// ADDRESS-LABEL: @heads(
// ADDRESS:       slc.str_to_val %{{.*}} : !slc.stream<f32> -> f32
// PAD-LABEL:   @heads(
// PAD:         slc.fwd_str %{{.*}} : !slc.stream<index> -> !slc.stream<vector<8xindex>>
// PAD:         slc.fwd_str %{{.*}} : !slc.stream<index> -> !slc.stream<vector<8xindex>>
// PAD:         slc.fwd_str %{{.*}} : !slc.stream<f32> -> !slc.stream<vector<16xf32>>
func.func @heads(%idx: memref<?xindex>, %table: memref<?x64xf32>, %w: memref<?xf32>, %out: memref<?x8x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  slc.for %b = %c0 to %n step %c1 {
    slc.for %h = %c0 to %c8 step %c1 {
      %i = slc.mem_str %idx[%h] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      %ws = slc.mem_str %w[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %buf = slcv.buf_str : !slc.buffer<vector<16xf32>>
      slcv.vec_for (%e, %mask) = %c0 to %c4 step %c1 vector<16> {
        %v = slcv.vec_mem_str %table[%i, %e] mask %mask : memref<?x64xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
        slcv.push %v, %buf : !slc.stream<vector<16xf32>>, !slc.buffer<vector<16xf32>>
      }
      slc.callback end {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %head = slc.str_to_val %h : !slc.stream<index> -> index
        %scale = slc.str_to_val %ws : !slc.stream<f32> -> f32
        %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
        scf.for %k = %c0 to %c4 step %c1 {
          %x = memref.load %row[%k] : memref<?xvector<16xf32>>
          %s = vector.broadcast %scale : f32 to vector<16xf32>
          %y = arith.mulf %x, %s : vector<16xf32>
          vector.store %y, %out[%bag, %head, %k] : memref<?x8x64xf32>, vector<16xf32>
        }
      }
    }
  }
  return
}

// -----

// Lane 0 of an induction variable: counted in steps of the vector length, or
// sent as the vector it is part of. The counter of a loop that begins at a
// stream is unknown to the execute unit; its iteration count is not.
// CHECK-LABEL: @lanes(
// CHECK:         slcv.vec_for {{.*}} iter_args(%[[E0:.*]] = %c0) -> (index)
// CHECK:           %[[NEXT:.*]] = slc.callback ite -> index {
// CHECK-NEXT:        slc.str_to_val %{{.*}} : !slc.stream<vector<8xf32>>
// CHECK:             %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK:             arith.addi %[[E0]], %[[EIGHT]]
// COUNT-LABEL: @lanes(
// ADDRESS-LABEL: @lanes(
// PAD-LABEL:   @lanes(
// PAD:           slc.callback ite {
// PAD-NEXT:        %[[ES:.*]] = slc.str_to_val %{{.*}} : !slc.stream<vector<8xindex>> -> vector<8xindex>
// PAD-NEXT:        vector.extract %[[ES]][0]
func.func @lanes(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  slc.for %b = %c0 to %n step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %c64 step %c1 vector<8> {
      %v = slcv.vec_mem_str %a[%e] : memref<?xf32>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xf32>>
      slc.callback ite {
        %e0 = slc.str_to_val %e[0] : !slc.stream<vector<8xindex>> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<8xf32>> -> vector<8xf32>
        vector.store %x, %out[%e0] : memref<?xf32>, vector<8xf32>
      }
    }
  }
  return
}

// -----

// The execute unit does not know where the loop over positions begins, but it
// can count its iterations; loops with values of their own carry one more.
// CHECK-LABEL: @positions(
// PAD-LABEL:   @positions(
// ADDRESS-LABEL: @positions(
// COUNT-LABEL: @positions(
// COUNT:         %[[ZERO:c0_[0-9]+]] = arith.constant 0 : index
// COUNT:         %[[R:.*]] = slc.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (index) {
// COUNT:           %[[S:.*]]:2 = slc.for {{.*}} iter_args(%[[C:.*]] = %[[T]], %[[K:.*]] = %[[ZERO]]) -> (index, index) :
// COUNT:             %[[ITE:.*]]:2 = slc.callback ite -> (index, index) {
// COUNT-DAG:           slc.str_to_val %{{.*}} : !slc.stream<index> -> index
// COUNT-DAG:           slc.str_to_val %{{.*}} : !slc.stream<vector<4xf32>> -> vector<4xf32>
// COUNT:               %[[NEXT:.*]] = arith.addi %[[K]], %{{.*}} : index
// COUNT:               slc.yield %{{.*}}, %[[NEXT]]
// COUNT:             slc.yield %[[ITE]]#0, %[[ITE]]#1
// COUNT:           slc.yield %[[S]]#0
// COUNT:         return %[[R]]
func.func @positions(%offsets: memref<?xindex>, %a: memref<?xvector<4xf32>>, %out: memref<?x?xvector<4xf32>>, %n: index, %init: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = slc.for %b = %c0 to %n step %c1 iter_args(%t = %init) -> (index) {
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s = slc.for (%p, %k) = %beg to %n step %c1 iter_args(%c = %t) -> (index) : !slc.stream<index>, index {
      %v = slc.mem_str %a[%p] : memref<?xvector<4xf32>>[!slc.stream<index>] -> !slc.stream<vector<4xf32>>
      %d = slc.callback ite -> index {
        %pos = slc.str_to_val %p : !slc.stream<index> -> index
        %num = slc.str_to_val %k : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        memref.store %x, %out[%pos, %num] : memref<?x?xvector<4xf32>>
        %e = arith.addi %c, %c1 : index
        slc.yield %e : index
      }
      slc.yield %d : index
    }
    slc.yield %s : index
  }
  return %r : index
}

// -----

// A callback before the nested loop counts, so that none is needed behind it:
// the number is increased before anything reads it, and starts a step early.
// CHECK-LABEL: func.func @zeroed(
// CHECK-SAME:    %[[LOW:[a-z0-9]*]]: index, %{{[a-z0-9]*}}: index, %[[STEP:[a-z0-9]*]]: index)
// CHECK:         %[[EARLY:.*]] = arith.subi %[[LOW]], %[[STEP]] : index
// CHECK:         slc.for %{{.*}} = %[[LOW]] to %{{.*}} step %[[STEP]] iter_args(%[[LAST:.*]] = %[[EARLY]]) -> (index) {
// CHECK:           %[[I:.*]] = slc.callback ite -> index {
// CHECK-NEXT:        %[[NEXT:.*]] = arith.addi %[[LAST]], %[[STEP]] : index
// CHECK:             vector.store %{{.*}}, %{{.*}}[%[[NEXT]], %c0]
// CHECK-NEXT:        slc.yield %[[NEXT]] : index
// CHECK:           slc.for
// CHECK:             slc.callback end {
// CHECK:               vector.store %{{.*}}, %{{.*}}[%[[I]], %c0]
// CHECK-NOT:       slc.callback
// CHECK:           slc.yield %[[I]] : index
// COUNT-LABEL: @zeroed(
// ADDRESS-LABEL: @zeroed(
// PAD-LABEL:   @zeroed(
func.func @zeroed(%offsets: memref<?xindex>, %table: memref<?x16xf32>, %out: memref<?x16xf32>, %low: index, %high: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  slc.for %b = %low to %high step %step {
    %end = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %bag = slc.str_to_val %b : !slc.stream<index> -> index
      vector.store %zero, %out[%bag, %c0] : memref<?x16xf32>, vector<16xf32>
    }
    slc.for %p = %c0 to %end step %c1 : index, !slc.stream<index> {
      %buf = slcv.buf_str : !slc.buffer<vector<16xf32>>
      slcv.vec_for (%e, %mask) = %c0 to %c16 step %c1 vector<16> {
        %v = slcv.vec_mem_str %table[%p, %e] contiguous : memref<?x16xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
        slcv.push %v, %buf : !slc.stream<vector<16xf32>>, !slc.buffer<vector<16xf32>>
      }
      slc.callback end {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
        scf.for %k = %c0 to %c1 step %c1 {
          %x = memref.load %row[%k] : memref<?xvector<16xf32>>
          %old = vector.load %out[%bag, %c0] : memref<?x16xf32>, vector<16xf32>
          %sum = arith.addf %old, %x : vector<16xf32>
          vector.store %sum, %out[%bag, %c0] : memref<?x16xf32>, vector<16xf32>
        }
      }
    }
  }
  return
}
