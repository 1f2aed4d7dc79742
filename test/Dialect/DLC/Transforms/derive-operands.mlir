// What the execute unit can work out does not cross the data queue.

// RUN: ember-opt %s --derive-operands --split-input-file | FileCheck %s

// How often all three units iterate is known: their numbers are counted, the
// outer ones whenever the inner ones are through. The outermost need not be
// compared with anything.

// CHECK-LABEL: func.func @nest(
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index
// CHECK-NOT:  dlc.register_operand %{{.*}} index
// CHECK:      dlc.register_operand %{{.*}}, ite, %{{.*}} for 0 : !slc.stream<f32>
// CHECK-NOT:  dlc.register_operand
// CHECK:      %[[TRIPS:.*]] = arith.maxsi %[[M]], %c0
// CHECK:      dlc.compute_loop iter_args(%{{.*}}, %{{.*}}, %{{.*}}) -> (index, index, index)
// CHECK-NEXT: case 0 {
// CHECK-NEXT: ^bb0(%[[S:.*]]: index, %[[B:.*]]: index, %[[Q:.*]]: index):
// CHECK:        %[[FOUR:.*]] = arith.muli %[[Q]], %c4
// CHECK:        %[[ROW:.*]] = arith.addi %[[FOUR]], %[[S]]
// CHECK:        dlc.pop_operand : f32
// CHECK:        memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[B]]]
// CHECK:        %[[S1:.*]] = arith.addi %[[S]], %{{.*}}
// CHECK:        %[[ALL:.*]] = arith.cmpi eq, %[[S1]], %c4
// CHECK:        %[[S2:.*]] = arith.select %[[ALL]], %{{.*}}, %[[S1]]
// CHECK:        %[[B1:.*]] = arith.addi %[[B]], %{{.*}}
// CHECK:        %[[B2:.*]] = arith.select %[[ALL]], %[[B1]], %[[B]]
// CHECK:        %[[THROUGH:.*]] = arith.cmpi eq, %[[B2]], %[[TRIPS]]
// CHECK:        %[[B3:.*]] = arith.select %[[THROUGH]], %{{.*}}, %[[B2]]
// CHECK:        %[[Q1:.*]] = arith.addi %[[Q]], %{{.*}}
// CHECK:        %[[Q2:.*]] = arith.select %[[THROUGH]], %[[Q1]], %[[Q]]
// CHECK-NOT:    arith.cmpi
// CHECK:        dlc.yield %[[S2]], %[[B3]], %[[Q2]]
func.func @nest(%n: index, %m: index, %in: memref<?x?xf32>, %out: memref<?x?xf32>) {
  dlc.program captures(%n = %n : index, %m = %m : index, %in = %in : memref<?x?xf32>, %out = %out : memref<?x?xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %a : !slc.stream<index>
    %q4 = dlc.alu_str %a, mul %q, %c4 : !slc.stream<index>, index -> !slc.stream<index>
    %b = dlc.new_tu %c0 to %m step %c1 in %a
    %j = dlc.get_ind_var %b : !slc.stream<index>
    %c = dlc.new_tu %c0 to %c4 step %c1 in %b
    %s = dlc.get_ind_var %c : !slc.stream<index>
    %row = dlc.alu_str %c, add %q4, %s : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %wide = dlc.fwd_str %c, %j : !slc.stream<index> -> !slc.stream<vector<8xindex>>
    %v = dlc.mem_str %c, %in[%row, %j] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %c, ite, 0
    dlc.register_operand %c, ite, %row for 0 : !slc.stream<index>
    dlc.register_operand %c, ite, %wide for 0 : !slc.stream<vector<8xindex>>
    dlc.register_operand %c, ite, %v for 0 : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %row = dlc.pop_operand : index
      %js = dlc.pop_operand : vector<8xindex>
      %j = vector.extract %js[0] : index from vector<8xindex>
      %v = dlc.pop_operand : f32
      memref.store %v, %out[%row, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Where an inner unit or a mask depends on data, or a step is not known to lead
// anywhere, nothing says which iteration it is.

// CHECK-LABEL: func.func @unknown(
// CHECK: dlc.register_operand %{{.*}}, ite, %{{.*}} for 0
// CHECK: dlc.register_operand %{{.*}}, ite, %{{.*}} for 1
// CHECK: dlc.register_operand %{{.*}}, ite, %{{.*}} for 2
// CHECK-NOT: iter_args
func.func @unknown(%n: index, %step: index, %ends: memref<?xindex>, %out: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %ends = %ends : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %a : !slc.stream<index>
    %end = dlc.mem_str %a, %ends[%q] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %b = dlc.new_tu %c0 to %end step %c1 in %a : index, !slc.stream<index>
    dlc.register_callback %b, ite, 0
    dlc.register_operand %b, ite, %q for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %q = dlc.pop_operand : index
      memref.store %q, %out[%q] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %step = %step : index, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %a = dlc.new_tu %c0 to %n step %step
    %q = dlc.get_ind_var %a : !slc.stream<index>
    dlc.register_callback %a, ite, 1
    dlc.register_operand %a, ite, %q for 1 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 1 {
      %q = dlc.pop_operand : index
      memref.store %q, %out[%q] : memref<?xindex>
    }
  }
  dlc.program captures(%n = %n : index, %ends = %ends : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %a : !slc.stream<index>
    %end = dlc.mem_str %a, %ends[%q] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %ok = dlc.cmp_str %a, sge %end, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    dlc.register_callback %a, ite, 2 mask %ok : !slc.stream<i1>
    dlc.register_operand %a, ite, %q for 2 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 2 {
      %q = dlc.pop_operand : index
      memref.store %q, %out[%q] : memref<?xindex>
    }
  }
  return
}

// -----

// In the first iteration of a traversal, its unit visits its lower bound, which
// is then sent twice.

// CHECK-LABEL: func.func @first(
// CHECK:      %[[B:.*]] = dlc.new_tu %{{.*}} to %{{.*}} step %c1 in
// CHECK:      %[[I:.*]] = dlc.get_ind_var %[[B]]
// CHECK:      dlc.register_callback %[[ROW:.*]], end, 0 announced on %{{.*}}
// CHECK-NEXT: dlc.register_operand %[[ROW]], beg, %[[I]] for 0
// CHECK-NEXT: }
// CHECK:      case 0 {
// CHECK-NEXT:   %[[P:.*]] = dlc.pop_operand : index
// CHECK-NEXT:   arith.cmpi eq, %[[P]], %[[P]]
func.func @first(%n: index, %offsets: memref<?xindex>, %out: memref<?xi1>) {
  dlc.program captures(%n = %n : index, %offsets = %offsets : memref<?xindex>, %out = %out : memref<?xi1>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %q = dlc.get_ind_var %a : !slc.stream<index>
    %q1 = dlc.alu_str %a, add %q, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %a, %offsets[%q] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %a, %offsets[%q1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %b = dlc.new_tu %beg to %end step %c1 in %a : !slc.stream<index>, !slc.stream<index>
    %i = dlc.get_ind_var %b : !slc.stream<index>
    %row = dlc.new_tu %c0 to %n step %c1 in %b
    dlc.register_callback %row, end, 0 announced on %q : !slc.stream<index>
    dlc.register_operand %row, beg, %i for 0 : !slc.stream<index>
    dlc.register_operand %row, beg, %beg for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      %beg = dlc.pop_operand : index
      %is = arith.cmpi eq, %i, %beg : index
      memref.store %is, %out[%c0] : memref<?xi1>
    }
  }
  return
}

// -----

// Two bounds of which only the difference is used: the access unit computes it,
// with the inner one of the units that they belong to. Where the bounds
// themselves are used as well, both are sent.

// CHECK-LABEL: func.func @length(
// CHECK:      %[[A:.*]] = dlc.new_tu
// CHECK:      %[[I:.*]] = dlc.mem_str %[[A]]
// CHECK:      %[[B:.*]] = dlc.new_tu
// CHECK:      %[[J:.*]] = dlc.mem_str %[[B]]
// CHECK-NOT:  dlc.fwd_str
// CHECK:      dlc.register_callback %[[C:.*]], end, 0 announced
// CHECK-NEXT: %[[D:.*]] = dlc.alu_str %[[B]], sub %[[J]], %[[I]] : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
// CHECK-NEXT: %[[WIDE:.*]] = dlc.fwd_str %[[B]], %[[D]] : !slc.stream<index> -> !slc.stream<vector<8xindex>>
// CHECK-NEXT: dlc.register_operand %[[C]], beg, %[[WIDE]] for 0
// CHECK-NEXT: dlc.register_operand %[[C]], ite
// CHECK:      case 0 {
// CHECK-NEXT:   %[[POPPED:.*]] = dlc.pop_operand : vector<8xindex>
// CHECK-NEXT:   %[[V:.*]] = vector.extract %[[POPPED]][0]
// CHECK-NEXT:   scf.for
// CHECK-NEXT:   dlc.pop_operand : index
// CHECK:        memref.store %[[V]]
// CHECK:      case 1 {
// CHECK-NEXT:   dlc.pop_operand
// CHECK-NEXT:   dlc.pop_operand
// CHECK-NEXT:   arith.subi
func.func @length(%n: index, %in: memref<?xindex>, %out: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %a : !slc.stream<index>
    %i = dlc.mem_str %a, %in[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %b = dlc.new_tu %c0 to %n step %c1 in %a
    %r = dlc.get_ind_var %b : !slc.stream<index>
    %j = dlc.mem_str %b, %in[%r] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %wide = dlc.fwd_str %b, %i : !slc.stream<index> -> !slc.stream<vector<8xindex>>
    %wider = dlc.fwd_str %b, %j : !slc.stream<index> -> !slc.stream<vector<8xindex>>
    %c = dlc.new_tu %c0 to %n step %c1 in %b
    %t = dlc.get_ind_var %c : !slc.stream<index>
    %e = dlc.mem_str %c, %in[%t] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_callback %c, end, 0 announced
    dlc.register_operand %c, beg, %wide for 0 : !slc.stream<vector<8xindex>>
    dlc.register_operand %c, beg, %wider for 0 : !slc.stream<vector<8xindex>>
    dlc.register_operand %c, ite, %e for 0 : !slc.stream<index>
    dlc.register_callback %b, ite, 1
    dlc.register_operand %b, ite, %i for 1 : !slc.stream<index>
    dlc.register_operand %b, ite, %j for 1 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %is = dlc.pop_operand : vector<8xindex>
      %js = dlc.pop_operand : vector<8xindex>
      %i = vector.extract %is[0] : index from vector<8xindex>
      %j = vector.extract %js[0] : index from vector<8xindex>
      scf.for %k = %c0 to %n step %c1 {
        %e = dlc.pop_operand : index
      }
      %length = arith.subi %j, %i : index
      memref.store %length, %out[%c0] : memref<?xindex>
    }
    case 1 {
      %i = dlc.pop_operand : index
      %j = dlc.pop_operand : index
      %length = arith.subi %j, %i : index
      memref.store %length, %out[%i] : memref<?xindex>
    }
  }
  return
}
