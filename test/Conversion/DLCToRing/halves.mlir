// Both programs of a pair as functions that meet in rings, or one of them alone.

// RUN: ember-opt %s --dlc-to-ring --split-input-file | FileCheck %s --check-prefixes=CHECK,ACCESS,COMPUTE,BOTH
// RUN: ember-opt %s --dlc-to-ring=half=access --split-input-file | FileCheck %s --check-prefixes=CHECK,ACCESS,ALONE,NOCOMPUTE
// RUN: ember-opt %s --dlc-to-ring=half=compute --split-input-file | FileCheck %s --check-prefixes=CHECK,COMPUTE,ALONE,NOACCESS
// RUN: ember-opt %s --dlc-to-ring=queue-capacity=7 --split-input-file | FileCheck %s --check-prefix=CAPACITY
// RUN: ember-opt %s --dlc-to-ring=instrument=true --split-input-file | FileCheck %s --check-prefix=TRACE

// The function stays as it is where one half is made beside it.

// CHECK-LABEL: func.func @bags(
// BOTH-NOT: dlc.
// BOTH: %[[DATA:.*]] = ring.create : !ring.data<16>
// BOTH: %[[TOKENS:.*]] = ring.create : !ring.tokens
// BOTH: %[[LAST:.*]] = ring.run "bags" access @bags.access.0(%{{.*}}, %[[DATA]], %[[TOKENS]] : {{.*}}, !ring.data<16>, !ring.tokens) compute @bags.compute.0(%{{.*}}, %[[DATA]], %[[TOKENS]] : memref<?x8xf32>, !ring.data<16>, !ring.tokens) -> index
// BOTH: return %[[LAST]]
// ALONE-NOT: ring.
// ALONE: dlc.program
// ALONE: dlc.compute_loop
// ALONE: return

// CAPACITY: ring.create capacity 7 : !ring.data<16>
// CAPACITY: ring.create capacity 7 : !ring.tokens

// NOACCESS-NOT: #ring.half<access>
// ACCESS-LABEL: func.func private @bags.access.0(
// ACCESS-SAME: memref<?xindex> {ember.message_name = "'indices'"}
// ACCESS-SAME: %[[DATA:[^:]*]]: !ring.data<16>, %[[TOKENS:[^:]*]]: !ring.tokens) attributes {ring.half = #ring.half<access>}
// ACCESS: scf.for
// ACCESS:   scf.for
// ACCESS:     ring.push %[[TOKENS]], 0 : !ring.tokens
// ACCESS:     %[[AT:.*]] = ring.acquire %[[DATA]] for 0 : !ring.data<16> -> !ring.slot<index>
// ACCESS:     ring.store %{{.*}}, %[[AT]] : !ring.slot<index>
// ACCESS:     ring.commit %[[AT]] : !ring.slot<index>
// ACCESS:     scf.for
// ACCESS:       %[[ROW:.*]] = vector.load
// ACCESS:       %[[SLOT:.*]] = ring.acquire %[[DATA]] for 0 : !ring.data<16> -> !ring.slot<vector<4xf32>>
// ACCESS:       ring.store %[[ROW]], %[[SLOT]] : !ring.slot<vector<4xf32>>
// ACCESS:       ring.commit %[[SLOT]] : !ring.slot<vector<4xf32>>
// ACCESS:   ring.push %[[TOKENS]], 1 : !ring.tokens
// ACCESS: ring.end %[[TOKENS]] : !ring.tokens
// ACCESS-NEXT: return

// TRACE-LABEL: func.func private @bags.access.0(
// TRACE: llvm.call @ember_count_access
// TRACE: ring.trace_token 0, "bags.0" at "tu2.end" named "e.end"
// TRACE: ring.push %{{.*}}, 0
// TRACE: ring.store %{{.*}}, %[[AT:.*]] : !ring.slot<index>
// TRACE-NEXT: ring.trace_operand %[[AT]], "b" : !ring.slot<index>
// TRACE-NEXT: ring.commit %[[AT]]
// TRACE: ring.trace_operand %{{.*}}, "weight" : !ring.slot<vector<4xf32>>
// TRACE: ring.trace_token -1, "bags.0" at "done" named "done"
// TRACE-NEXT: ring.end

// NOCOMPUTE-NOT: #ring.half<compute>
// COMPUTE-LABEL: func.func private @bags.compute.0(
// COMPUTE-SAME: %[[DATA:[^:]*]]: !ring.data<16>, %[[TOKENS:[^:]*]]: !ring.tokens) -> index attributes {ring.half = #ring.half<compute>}
// COMPUTE: scf.while (%[[COUNT:.*]] = %{{.*}}) : (index) -> (i64, index) {
// COMPUTE:   %[[TOKEN:.*]], %[[MORE:.*]] = ring.pop %[[TOKENS]] : !ring.tokens
// COMPUTE:   scf.condition(%[[MORE]]) %[[TOKEN]], %[[COUNT]]
// COMPUTE: ^bb0(%[[TOKEN:.*]]: i64, %{{.*}}: index):
// COMPUTE:   ring.token_id %[[TOKEN]] in %[[TOKENS]] : !ring.tokens
// COMPUTE:   scf.index_switch
// COMPUTE:   case 0 {
// COMPUTE:     %[[AT:.*]] = ring.wait %[[DATA]] for 0 : !ring.data<16> -> !ring.slot<index>
// COMPUTE:     %[[B:.*]] = ring.load %[[AT]] : !ring.slot<index>
// COMPUTE:     ring.release %[[AT]] : !ring.slot<index>
// COMPUTE:     scf.for
// COMPUTE:       %[[SLOT:.*]] = ring.wait %[[DATA]] for 0 : !ring.data<16> -> !ring.slot<vector<4xf32>>
// COMPUTE:       ring.load %[[SLOT]] : !ring.slot<vector<4xf32>>
// COMPUTE:       ring.release %[[SLOT]] : !ring.slot<vector<4xf32>>
// COMPUTE:   case 1 {
// COMPUTE-NOT: ring.wait
// COMPUTE:   default {
func.func @bags(%offsets: memref<?xindex> {ember.name = "offsets"}, %indices: memref<?xindex> {ember.name = "indices"},
                %table: memref<?x8xf32> {ember.name = "weight"}, %out: memref<?x8xf32> {ember.name = "out"}) -> index {
  %c0 = arith.constant 0 : index
  %bags = memref.dim %out, %c0 : memref<?x8xf32>
  %last = dlc.program captures(%bags = %bags : index, %offsets = %offsets : memref<?xindex>, %indices = %indices : memref<?xindex>, %table = %table : memref<?x8xf32>, %out = %out : memref<?x8xf32>) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %b_tr = dlc.new_tu %c0 to %bags step %c1 {ember.name = "b"}
    %b = dlc.get_ind_var %b_tr : !slc.stream<index>
    %b1 = dlc.alu_str %b_tr, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = dlc.mem_str %b_tr, %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = dlc.mem_str %b_tr, %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %s_tr = dlc.new_tu %beg to %end step %c1 in %b_tr {ember.name = "s"} : !slc.stream<index>, !slc.stream<index>
    %p = dlc.get_ind_var %s_tr : !slc.stream<index>
    %i = dlc.mem_str %s_tr, %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %e_tr = dlc.new_tu %c0 to %c8 step %c1 in %s_tr vector<4> {ember.name = "e"}
    %e = dlc.get_ind_var %e_tr : !slc.stream<vector<4xindex>>
    %v = dlc.mem_str %e_tr, %table[%i, %e] contiguous : memref<?x8xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %e_tr, end, 0 announced
    dlc.register_operand %e_tr, beg, %b for 0 : !slc.stream<index>
    dlc.register_operand %e_tr, ite, %v for 0 : !slc.stream<vector<4xf32>>
    dlc.register_callback %s_tr, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %last = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%count: index):
      %b = dlc.pop_operand : index
      %row = dlc.pop_operand size %c2 : memref<?xvector<4xf32>>
      scf.for %k = %c0 to %c2 step %c1 {
        %v = memref.load %row[%k] : memref<?xvector<4xf32>>
        %e = arith.muli %k, %c4 : index
        %acc = vector.load %out[%b, %e] : memref<?x8xf32>, vector<4xf32>
        %sum = arith.addf %acc, %v : vector<4xf32>
        vector.store %sum, %out[%b, %e] : memref<?x8xf32>, vector<4xf32>
      }
      dlc.yield %count : index
    }
    case 1 {
    ^bb0(%count: index):
      %next = arith.addi %count, %c1 : index
      dlc.yield %next : index
    }
    dlc.yield %last : index
  }
  return %last : index
}

// -----

// Three ids and the end need two bits of a token; a value of 64 bits may not fit
// the rest, one of 32 bits always does.

// CHECK-LABEL: func.func @values(
// ACCESS-LABEL: func.func private @values.access.0(
// ACCESS: %[[FOLLOWS:.*]] = ring.follows %[[X:.*]] in %[[TOKENS:.*]] : f64, !ring.tokens<2>
// ACCESS: ring.push %[[TOKENS]], 1 value %[[X]] : !ring.tokens<2>, f64
// ACCESS: scf.if %[[FOLLOWS]] {
// ACCESS:   %[[SLOT:.*]] = ring.acquire %{{.*}} for 1 : !ring.data<8> -> !ring.slot<f64>
// ACCESS:   ring.store %[[X]], %[[SLOT]]
// ACCESS:   ring.commit %[[SLOT]]
// ACCESS-NOT: ring.follows
// ACCESS: ring.push %[[TOKENS]], 2 value %{{.*}} : !ring.tokens<2>, f32
// COMPUTE-LABEL: func.func private @values.compute.0(
// COMPUTE: case 1 {
// COMPUTE:   %[[FOLLOWS:.*]] = ring.token_follows %[[TOKEN:.*]] in %[[TOKENS:.*]] of f64 : !ring.tokens<2>
// COMPUTE:   scf.if %[[FOLLOWS]] -> (f64) {
// COMPUTE:     ring.wait %{{.*}} for 1 : !ring.data<8> -> !ring.slot<f64>
// COMPUTE:   } else {
// COMPUTE:     ring.token_value %[[TOKEN]] in %[[TOKENS]] : !ring.tokens<2> -> f64
// COMPUTE: case 2 {
// COMPUTE-NEXT: ring.token_value %[[TOKEN]] in %[[TOKENS]] : !ring.tokens<2> -> f32
// TRACE-LABEL: func.func private @values.access.0(
// TRACE: scf.if %[[FOLLOWS:.*]] {
// TRACE-NEXT: ring.trace_token 1, "values.0" at "tu0.ite" named "tu0.ite"{{$}}
// TRACE-NEXT: } else {
// TRACE-NEXT: ring.trace_token 1, "values.0" at "tu0.ite" named "tu0.ite" value %{{.*}} : f64
func.func @values(%x: memref<?xf64>, %y: memref<?xf32>, %a: memref<f64>, %b: memref<f32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  dlc.program captures(%n = %n : index, %x = %x : memref<?xf64>, %y = %y : memref<?xf32>, %a = %a : memref<f64>, %b = %b : memref<f32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %x[%i] : memref<?xf64>[!slc.stream<index>] -> !slc.stream<f64>
    %w = dlc.mem_str %tu, %y[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %tu, ite, 1 value %v : !slc.stream<f64>
    dlc.register_callback %tu, ite, 2 value %w : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 1 {
      %v = dlc.token_value : f64
      memref.store %v, %a[] : memref<f64>
    }
    case 2 {
      %w = dlc.token_value : f32
      memref.store %w, %b[] : memref<f32>
    }
  }
  return
}

// -----

// A case may hold a pair of its own: made rings of first where both halves are,
// left as it is in one alone.

// BOTH-LABEL: func.func private @nested.compute.1(
// BOTH: ring.wait
// BOTH-NOT: dlc.
// BOTH: ring.run "nested" access @nested.access.0
// NOACCESS-LABEL: func.func private @nested.compute.1(
// NOACCESS: ring.wait %{{.*}} for 0 : !ring.data<8> -> !ring.slot<index>
// NOACCESS-NOT: ring.wait
// NOACCESS: dlc.program
// NOACCESS: dlc.pop_operand : index
func.func @nested(%n: index, %out: memref<?x?xindex>) {
  dlc.program captures(%n = %n : index, %out = %out : memref<?x?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      dlc.program captures(%i = %i : index, %out = %out : memref<?x?xindex>)
      access {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %tu = dlc.new_tu %c0 to %i step %c1
        %j = dlc.get_ind_var %tu : !slc.stream<index>
        dlc.register_callback %tu, ite, 0
        dlc.register_operand %tu, ite, %j for 0 : !slc.stream<index>
      }
      compute {
        dlc.compute_loop
        case 0 {
          %j = dlc.pop_operand : index
          memref.store %j, %out[%i, %j] : memref<?x?xindex>
        }
      }
    }
  }
  return
}
