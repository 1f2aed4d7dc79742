// Rows that registers of the execute unit select stay in a buffer while cases
// work on them.

// RUN: ember-opt %s --promote-rows='vector-bits=128 vector-registers=8' --split-input-file | FileCheck %s
// RUN: ember-opt %s --promote-rows='vector-bits=128 vector-registers=8' --split-input-file | ember-opt --split-input-file | FileCheck %s
// RUN: ember-opt %s --promote-rows='vector-bits=128 vector-registers=8 may-alias' --split-input-file | FileCheck %s --check-prefix=ALIAS
// RUN: ember-opt %s --promote-rows='vector-bits=128 vector-registers=2' --split-input-file | FileCheck %s --check-prefix=FEW
// ALIAS-NOT: memref.alloca
// FEW-NOT: memref.alloca

// CHECK-LABEL: func.func @sums(
// CHECK: compute {
// CHECK: %[[ROW:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[LAST:.*]]:2 = dlc.compute_loop iter_args(%{{.*}}, %false) -> (index, i1)
// CHECK: case 1 {
// CHECK: ^bb0(%[[B:.*]]: index, %[[BEGUN:.*]]: i1):
// CHECK: scf.for %[[K:.*]] =
// CHECK: vector.load %[[ROW]][%[[K]]] : memref<8xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[ROW]][%[[K]]] : memref<8xf32>, vector<4xf32>
// CHECK: dlc.yield %[[B]], %[[BEGUN]] : index, i1
// CHECK: case 0 {
// CHECK: ^bb0(%[[B:.*]]: index, %[[BEGUN:.*]]: i1):
// What there is goes back before the next row comes.
// CHECK-NEXT: scf.if %[[BEGUN]] {
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %c8{{.*}} step %c4
// CHECK: %[[DONE:.*]] = vector.load %[[ROW]][%[[K]]]
// CHECK: vector.store %[[DONE]], %{{.*}}[%[[B]], %[[K]]] : memref<?x8xf32>, vector<4xf32>
// CHECK: %[[NEXT:.*]] = arith.addi %[[B]],
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = vector.load %{{.*}}[%[[NEXT]], %[[K:.*]]] : memref<?x8xf32>, vector<4xf32>
// CHECK: vector.store %[[OLD]], %[[ROW]][%[[K]]]
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %{{.*}}], write
// CHECK: vector.store %{{.*}}, %[[ROW]]
// CHECK: dlc.yield %[[NEXT]], %true{{.*}} : index, i1
// CHECK: }
// CHECK: scf.if %[[LAST]]#1 {
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[LAST]]#0, %{{.*}}] : memref<?x8xf32>, vector<4xf32>
func.func @sums(%n: index, %rows: memref<?x8xf32>, %out: memref<?x8xf32>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?x8xf32>, %out = %out : memref<?x8xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %bags = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bags, ite, 0
    %lookups = dlc.new_tu %c0 to %n step %c1 in %bags
    %i = dlc.get_ind_var %lookups : !slc.stream<index>
    %row = dlc.new_tu %c0 to %c8 step %c1 in %lookups vector<4>
    %e = dlc.get_ind_var %row : !slc.stream<vector<4xindex>>
    %v = dlc.mem_str %row, %rows[%i, %e] contiguous : memref<?x8xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %row, end, 1 announced
    dlc.register_operand %row, ite, %v for 1 : !slc.stream<vector<4xf32>>
  }
  compute {
    %none = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %last = dlc.compute_loop iter_args(%none) -> (index)
    case 1 {
    ^bb0(%b: index):
      scf.for %k = %c0 to %c8 step %c4 {
        %v = dlc.pop_operand : vector<4xf32>
        %a = vector.load %out[%b, %k] : memref<?x8xf32>, vector<4xf32>
        %s = arith.addf %a, %v : vector<4xf32>
        vector.store %s, %out[%b, %k] : memref<?x8xf32>, vector<4xf32>
      }
      dlc.yield %b : index
    }
    case 0 {
    ^bb0(%b: index):
      %next = arith.addi %b, %c1 : index
      scf.for %k = %c0 to %c8 step %c4 {
        vector.store %zero, %out[%next, %k] : memref<?x8xf32>, vector<4xf32>
      }
      dlc.yield %next : index
    }
  }
  return
}

// -----

// Elements that masks leave out are in the buffer, and stay out of memory: they
// may be anything behind the row, and what they were within it.

// CHECK-LABEL: func.func @masked(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<9xf32>
// CHECK: case 1 {
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[OLD:.*]] = vector.load %[[ROW:.*]][%[[K:.*]]] : memref<9xf32>, vector<4xf32>
// CHECK: arith.select %[[MASK]], %[[OLD]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: vector.store %[[SUM]], %[[ROW]][%[[K]]]
// CHECK: }
// CHECK: %[[KEPT:.*]] = vector.load %[[ROW]]
// CHECK: arith.select %[[SOME:.*]], %{{.*}}, %[[KEPT]]
// CHECK: vector.store
// CHECK: case 0 {
// CHECK: scf.if
// CHECK: vector.maskedstore %{{.*}} : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
func.func @masked(%n: index, %rows: memref<?x6xf32>, %out: memref<?x6xf32>) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?x6xf32>, %out = %out : memref<?x6xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %bags = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bags, ite, 0
    %lookups = dlc.new_tu %c0 to %n step %c1 in %bags
    dlc.register_callback %lookups, ite, 1
  }
  compute {
    %none = arith.constant -1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %last = dlc.compute_loop iter_args(%none) -> (index)
    case 1 {
    ^bb0(%b: index):
      scf.for %k = %c0 to %c6 step %c4 {
        %left = arith.subi %c6, %k : index
        %mask = vector.create_mask %left : vector<4xi1>
        %a = vector.maskedload %out[%b, %k], %mask, %zero : memref<?x6xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        %s = arith.addf %a, %one : vector<4xf32>
        vector.maskedstore %out[%b, %k], %mask, %s : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
      }
      %some = vector.create_mask %c1 : vector<4xi1>
      vector.maskedstore %out[%b, %c0], %some, %one : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
      dlc.yield %b : index
    }
    case 0 {
    ^bb0(%b: index):
      %next = arith.addi %b, %c1 : index
      scf.for %k = %c0 to %c6 step %c4 {
        %left = arith.subi %c6, %k : index
        %mask = vector.create_mask %left : vector<4xi1>
        vector.maskedstore %out[%next, %k], %mask, %zero : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
      }
      dlc.yield %next : index
    }
  }
  return
}

// -----

// A case that goes on to a row of which it uses nothing may go beyond the last
// one; rows that are selected otherwise, and memory that is read otherwise.

// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.alloca
func.func @others(%n: index, %a: memref<?x4xf32>, %b: memref<?x4xf32>, %c: memref<?x4xf32>) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?x4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bags = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bags, ite, 0
    dlc.register_callback %bags, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant dense<1.0> : vector<4xf32>
    %last = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%k: index):
      vector.store %one, %a[%k, %c0] : memref<?x4xf32>, vector<4xf32>
      dlc.yield %k : index
    }
    case 1 {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      dlc.yield %next : index
    }
  }
  dlc.program captures(%n = %n : index, %b = %b : memref<?x4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bags = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %bags : !slc.stream<index>
    dlc.register_callback %bags, ite, 0
    dlc.register_operand %bags, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<4xf32>
    dlc.compute_loop
    case 0 {
      %k = dlc.pop_operand : index
      vector.store %one, %b[%k, %c0] : memref<?x4xf32>, vector<4xf32>
    }
  }
  dlc.program captures(%n = %n : index, %c = %c : memref<?x4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bags = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %bags, ite, 0
    dlc.register_callback %bags, end, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant dense<1.0> : vector<4xf32>
    %last = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%k: index):
      vector.store %one, %c[%k, %c0] : memref<?x4xf32>, vector<4xf32>
      dlc.yield %k : index
    }
    case 1 {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      %other = vector.load %c[%k, %c0] : memref<?x4xf32>, vector<4xf32>
      vector.store %other, %c[%next, %c0] : memref<?x4xf32>, vector<4xf32>
      dlc.yield %next : index
    }
  }
  return
}
