// What stays in a segment is sent with its first lookup only.

// RUN: ember-opt %s --hold-operands | FileCheck %s

// A vertex's row meets those of its neighbours. The position of the edge is
// counted; what belongs to an edge is sent each time.
// CHECK-LABEL: func.func @vertices(
// CHECK:      access {
// CHECK:      %[[SEG:.*]] = dlc.new_tu %c0 to %arg4
// CHECK:      %[[V:.*]] = dlc.get_ind_var %[[SEG]]
// CHECK:      %[[EDGE:.*]] = dlc.new_tu
// CHECK:      %[[P:.*]] = dlc.get_ind_var %[[EDGE]]
// CHECK:      %[[I:.*]] = dlc.mem_str %[[EDGE]]
// CHECK:      %[[ROW:.*]] = dlc.new_tu %c0 to %arg5 step %c1 in %[[EDGE]] vector<4>
// CHECK:      %[[L:.*]] = dlc.mem_str %[[ROW]], %arg2[%[[V]],
// CHECK:      %[[R:.*]] = dlc.mem_str %[[ROW]], %arg2[%[[I]],
// CHECK-NEXT: dlc.register_callback %[[ROW]], end, 0 announced on same %[[V]] : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[ROW]], beg, %[[I]] for 0
// CHECK-NEXT: dlc.register_callback %[[ROW]], end, 1 announced on %[[V]] : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[ROW]], beg, %[[P]] for 1
// CHECK-NEXT: dlc.register_operand %[[ROW]], beg, %[[I]] for 1
// CHECK-NEXT: dlc.register_operand %[[ROW]], ite, %[[R]] for 0
// CHECK-NEXT: dlc.register_operand %[[ROW]], ite, %[[L]] for 1
// CHECK-NEXT: dlc.register_operand %[[ROW]], ite, %[[R]] for 1
// CHECK-NEXT: }
// CHECK-NEXT: compute {
// CHECK:      %[[HELD:.*]] = memref.alloc(%{{.*}}) : memref<?xvector<4xf32>>
// CHECK:      dlc.compute_loop iter_args(%{{.*}}) -> (index)
// CHECK-NEXT: case 0 {
// CHECK-NEXT: ^bb0(%[[BEFORE:.*]]: index):
// CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:   %[[AT:.*]] = arith.addi %[[BEFORE]], %[[ONE]]
// CHECK-NEXT:   dlc.pop_operand : index
// CHECK:        scf.for %[[K:.*]] = %c0 to %{{.*}} step %c1 iter_args
// CHECK-NEXT:     memref.load %[[HELD]][%[[K]]]
// CHECK-NEXT:     dlc.pop_operand : vector<4xf32>
// CHECK:        memref.store %{{.*}}, %arg3[%[[AT]],
// CHECK:        dlc.yield %[[AT]] : index
// CHECK:      case 1 {
// CHECK-NEXT: ^bb0(%{{.*}}: index):
// CHECK-NEXT:   %[[FIRST:.*]] = dlc.pop_operand : index
// CHECK-NEXT:   dlc.pop_operand : index
// CHECK:        scf.for %[[K:.*]] = %c0 to %{{.*}} step %c1 iter_args
// CHECK-NEXT:     %[[POPPED:.*]] = dlc.pop_operand : vector<4xf32>
// CHECK-NEXT:     memref.store %[[POPPED]], %[[HELD]][%[[K]]]
// CHECK-NEXT:     dlc.pop_operand : vector<4xf32>
// CHECK:        dlc.yield %[[FIRST]] : index
// CHECK:      memref.dealloc %[[HELD]]
func.func @vertices(%offsets: memref<?xindex>, %ids: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %n: index, %length: index) {
  %c4 = arith.constant 4 : index
  %trips = arith.ceildivsi %length, %c4 : index
  dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>, %ids = %ids : memref<?xindex>, %length = %length : index, %table = %table : memref<?x?xf32>, %trips = %trips : index, %out = %out : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %seg = dlc.new_tu %c0 to %n step %c1
    %v = dlc.get_ind_var %seg : !slc.stream<index>
    %v1 = dlc.alu_str %seg, add %v, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %seg, %offsets[%v] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %seg, %offsets[%v1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %edge = dlc.new_tu %beg to %end step %c1 in %seg : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %edge : !slc.stream<index>
    %i = dlc.mem_str %edge, %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %length step %c1 in %edge vector<4>
    %e = dlc.get_ind_var %row : !slc.stream<vector<4xindex>>
    %mask = dlc.get_mask %row : !slc.stream<vector<4xi1>>
    %left = dlc.mem_str %row, %table[%v, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %right = dlc.mem_str %row, %table[%i, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %p for 0 : !slc.stream<index>
    dlc.register_operand %row, beg, %i for 0 : !slc.stream<index>
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<vector<4xf32>>
    dlc.register_operand %row, ite, %right for 0 : !slc.stream<vector<4xf32>>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    dlc.compute_loop
    case 0 {
      %at = dlc.pop_operand : index
      %id = dlc.pop_operand : index
      %sum = scf.for %k = %c0 to %trips step %c1 iter_args(%acc = %zero) -> (f32) {
        %l = dlc.pop_operand : vector<4xf32>
        %r = dlc.pop_operand : vector<4xf32>
        %product = arith.mulf %l, %r : vector<4xf32>
        %next = vector.reduction <add>, %product, %acc : vector<4xf32> into f32
        scf.yield %next : f32
      }
      memref.store %sum, %out[%at, %id] : memref<?x?xf32>
    }
  }
  return
}

// Blocks begin at a fixed number: that is not sent. The row of queries is found
// by two numbers, which do not change with the key.
// CHECK-LABEL: func.func @blocks(
// CHECK:      %[[QUERY:.*]] = dlc.get_ind_var
// CHECK:      dlc.register_callback %{{.*}}, end, 0 announced on same %[[QUERY]]
// CHECK-NEXT: dlc.register_callback %{{.*}}, end, 1 announced on %[[QUERY]]
// CHECK-NEXT: dlc.register_operand %{{.*}}, ite, %{{.*}} for 0
// CHECK-NEXT: dlc.register_operand %{{.*}}, ite, %{{.*}} for 1
// CHECK-NEXT: dlc.register_operand %{{.*}}, ite, %{{.*}} for 1
// CHECK-NEXT: }
// CHECK:      case 1 {
// CHECK-NOT:    pop_operand : vector<4xindex>
// CHECK:        memref.store %{{.*}}, %arg2[%[[START:.*]]]
// CHECK-NEXT:   dlc.yield %[[START]] : index
func.func @blocks(%queries: memref<?x?xf32>, %keys: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) {
  dlc.program captures(%n = %n : index, %length = %length : index, %queries = %queries : memref<?x?xf32>, %keys = %keys : memref<?x?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %query = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %query : !slc.stream<index>
    %twice = dlc.alu_str %query, mul %q, %c2 : !slc.stream<index>, index -> !slc.stream<index>
    %key = dlc.new_tu %c2 to %n step %c1 in %query
    %k = dlc.get_ind_var %key : !slc.stream<index>
    %wide = dlc.fwd_str %key, %k : !slc.stream<index> -> !slc.stream<vector<4xindex>>
    %row = dlc.new_tu %c0 to %length step %c1 in %key
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %left = dlc.mem_str %row, %queries[%twice, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    %right = dlc.mem_str %row, %keys[%k, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %wide for 0 : !slc.stream<vector<4xindex>>
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<f32>
    dlc.register_operand %row, ite, %right for 0 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    dlc.compute_loop
    case 0 {
      %padded = dlc.pop_operand : vector<4xindex>
      %at = vector.extract %padded[0] : index from vector<4xindex>
      %sum = scf.for %i = %c0 to %length step %c1 iter_args(%acc = %zero) -> (f32) {
        %l = dlc.pop_operand : f32
        %r = dlc.pop_operand : f32
        %product = arith.mulf %l, %r : f32
        %next = arith.addf %acc, %product : f32
        scf.yield %next : f32
      }
      memref.store %sum, %out[%at] : memref<?xf32>
    }
  }
  return
}

// All lookups in one segment: the first one of the whole program.
// CHECK-LABEL: func.func @one_query(
// CHECK:      %[[SAME:.*]] = dlc.fwd_str %{{.*}}, %{{.*}} : index -> !slc.stream<index>
// CHECK:      dlc.register_callback %{{.*}}, end, 0 announced on same %[[SAME]]
func.func @one_query(%query: memref<?xf32>, %keys: memref<?x?xf32>, %out: memref<?xf32>, %n: index, %length: index) {
  dlc.program captures(%n = %n : index, %length = %length : index, %query = %query : memref<?xf32>, %keys = %keys : memref<?x?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %key = dlc.new_tu %c0 to %n step %c1
    %k = dlc.get_ind_var %key : !slc.stream<index>
    %row = dlc.new_tu %c0 to %length step %c1 in %key
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %left = dlc.mem_str %row, %query[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %right = dlc.mem_str %row, %keys[%k, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<f32>
    dlc.register_operand %row, ite, %right for 0 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      scf.for %i = %c0 to %length step %c1 {
        %l = dlc.pop_operand : f32
        %r = dlc.pop_operand : f32
        %product = arith.mulf %l, %r : f32
        %old = memref.load %out[%i] : memref<?xf32>
        %next = arith.addf %old, %product : f32
        memref.store %next, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}

// The length of rows changes from segment to segment, rows are popped as a
// whole, or the access unit stores beside its loads: everything is sent.
// CHECK-LABEL: func.func @other_lengths(
// CHECK-NOT: same
// CHECK-LABEL: func.func @whole_rows(
// CHECK-NOT: same
// CHECK-LABEL: func.func @with_stores(
// CHECK-NOT: same
func.func @other_lengths(%lengths: memref<?xindex>, %queries: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  dlc.program captures(%n = %n : index, %lengths = %lengths : memref<?xindex>, %queries = %queries : memref<?x?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %query = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %query : !slc.stream<index>
    %length = dlc.mem_str %query, %lengths[%q] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %key = dlc.new_tu %c0 to %n step %c1 in %query
    %k = dlc.get_ind_var %key : !slc.stream<index>
    %count = dlc.mem_str %key, %lengths[%k] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %count step %c1 in %key : index, !slc.stream<index>
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %left = dlc.mem_str %row, %queries[%q, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %count for 0 : !slc.stream<index>
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %trips = dlc.pop_operand : index
      scf.for %i = %c0 to %trips step %c1 {
        %l = dlc.pop_operand : f32
        memref.store %l, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}

func.func @whole_rows(%queries: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  dlc.program captures(%n = %n : index, %queries = %queries : memref<?x?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %query = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %query : !slc.stream<index>
    %key = dlc.new_tu %c0 to %n step %c1 in %query
    %row = dlc.new_tu %c0 to %n step %c1 in %key
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %left = dlc.mem_str %row, %queries[%q, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %l = dlc.pop_operand size %n : memref<?xf32>
      memref.copy %l, %out : memref<?xf32> to memref<?xf32>
    }
  }
  return
}

func.func @with_stores(%queries: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  dlc.program captures(%n = %n : index, %queries = %queries : memref<?x?xf32>, %out = %out : memref<?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %query = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %query : !slc.stream<index>
    %key = dlc.new_tu %c0 to %n step %c1 in %query
    %row = dlc.new_tu %c0 to %n step %c1 in %key
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %left = dlc.mem_str %row, %queries[%q, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.store_str %row, %left, %queries[%e, %q] : !slc.stream<f32>, memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>]
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, ite, %left for 0 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      scf.for %i = %c0 to %n step %c1 {
        %l = dlc.pop_operand : f32
        memref.store %l, %out[%i] : memref<?xf32>
      }
    }
  }
  return
}
