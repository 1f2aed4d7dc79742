// The most frequent case of a compute program comes first.

// RUN: ember-opt %s --order-cases | FileCheck %s
// RUN: ember-opt %s --order-cases | ember-opt | FileCheck %s
// RUN: ember-opt %s --order-cases --order-cases | FileCheck %s

// Elements of a row of 8 in lanes of 2, rows of a segment, segments, and the
// end of all. Equal weights keep their order.

// CHECK-LABEL: func.func @depth(
// CHECK: dlc.compute_loop iter_args(%{{.*}}) -> (index)
// CHECK-NEXT: case 4 weight 4096 {
// CHECK-NEXT: ^bb0(%[[K:.*]]: index):
// CHECK-NEXT:   %[[E:.*]] = dlc.token_value : index
// CHECK-NEXT:   memref.store %[[E]]
// CHECK: case 1 weight 1024 {
// CHECK: case 3 weight 1024 {
// CHECK: case 0 weight 64 {
// CHECK: case 2 weight 1 {
func.func @depth(%n: index, %out: memref<?xindex>) {
  %k = dlc.program captures(%n = %n : index, %out = %out : memref<?xindex>) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %b = dlc.new_tu %c0 to %i step %c1 in %a : index, !slc.stream<index>
    %j = dlc.get_ind_var %b : !slc.stream<index>
    %c = dlc.new_tu %c0 to %c8 step %c1 in %b vector<2>
    %e = dlc.get_ind_var %c : !slc.stream<vector<2xindex>>
    dlc.register_callback %a, ite, 0
    dlc.register_callback %b, ite, 1
    dlc.register_callback %c, ite, 4 value %e[0] : !slc.stream<vector<2xindex>>
    dlc.register_callback %c, end, 3
    dlc.register_callback %a, end, 2
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%k: index):
      dlc.yield %k : index
    }
    case 1 {
    ^bb0(%k: index):
      dlc.yield %k : index
    }
    case 2 {
    ^bb0(%k: index):
      dlc.yield %c0 : index
    }
    case 3 {
    ^bb0(%k: index):
      %x = arith.addi %k, %c1 : index
      dlc.yield %x : index
    }
    case 4 {
    ^bb0(%k: index):
      %e = dlc.token_value : index
      memref.store %e, %out[%k] : memref<?xindex>
      dlc.yield %k : index
    }
    dlc.yield %k : index
  }
  return
}

// A toggled callback runs now and then.

// CHECK-LABEL: func.func @toggled(
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 1 weight 64 {
// CHECK: case 0 weight 16 {
func.func @toggled(%n: index, %rows: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %a : !slc.stream<index>
    %row = dlc.mem_str %a, %rows[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_callback %a, ite, 0 on %row : !slc.stream<index>
    dlc.register_callback %a, ite, 1
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
    case 1 {
    }
  }
  return
}

// Constant bounds count exactly, backwards ones not at all.

// CHECK-LABEL: func.func @constant(
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 1 weight 3 {
// CHECK: case 0 weight 1 {
// CHECK: case 2 weight 0 {
func.func @constant(%n: index) {
  dlc.program
  access {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %a = dlc.new_tu %c0 to %c5 step %c2
    %b = dlc.new_tu %c5 to %c0 step %c2 in %a
    dlc.register_callback %a, beg, 0
    dlc.register_callback %a, ite, 1
    dlc.register_callback %b, ite, 2
  }
  compute {
    dlc.compute_loop
    case 0 {
    }
    case 1 {
    }
    case 2 {
    }
  }
  // CHECK: dlc.compute_loop
  // CHECK-NOT: weight
  dlc.program
  access {
  }
  compute {
    dlc.compute_loop
  }
  return
}
