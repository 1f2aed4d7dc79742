// A row that a case pops is not loaded again.

// RUN: ember-opt %s --reuse-operands --split-input-file | FileCheck %s
// RUN: ember-opt %s --reuse-operands --split-input-file | ember-opt --split-input-file | FileCheck %s

// The coordinate goes with the loads that needed it.

// CHECK-LABEL: func.func @twice(
// CHECK: dlc.register_callback %[[TU:.*]], end, 0 announced
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %{{.*}} for 0 : !slc.stream<vector<4xf32>>
// CHECK-NEXT: }
// CHECK: %[[ROW:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf32>
// CHECK: case 0 {
// CHECK-NEXT: scf.for %[[K:.*]] = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK-NEXT: %[[V:.*]] = dlc.pop_operand : vector<4xf32>
// CHECK: %[[PLACE:.*]] = arith.muli %[[K]], %c4
// CHECK-NEXT: vector.store %[[V]], %[[ROW]][%[[PLACE]]] : memref<8xf32>, vector<4xf32>
// CHECK: scf.for %[[E:.*]] =
// CHECK: vector.load %[[ROW]][%{{.*}}] : memref<8xf32>, vector<4xf32>
// CHECK-NOT: vector.load %table
func.func @twice(%n: index, %ids: memref<?xindex>, %table: memref<?x8xf32>, %out: memref<8xf32>) {
  dlc.program captures(%n = %n : index, %ids = %ids : memref<?xindex>, %table = %table : memref<?x8xf32>, %out = %out : memref<8xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %lookups = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %lookups : !slc.stream<index>
    %j = dlc.mem_str %lookups, %ids[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %c8 step %c1 in %lookups vector<4>
    %e = dlc.get_ind_var %row : !slc.stream<vector<4xindex>>
    %v = dlc.mem_str %row, %table[%j, %e] contiguous : memref<?x8xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %j for 0 : !slc.stream<index>
    dlc.register_operand %row, ite, %v for 0 : !slc.stream<vector<4xf32>>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    dlc.compute_loop
    case 0 {
      %j = dlc.pop_operand : index
      %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
        %v = dlc.pop_operand : vector<4xf32>
        %s = arith.addf %a, %v : vector<4xf32>
        scf.yield %s : vector<4xf32>
      }
      scf.for %e = %c0 to %c8 step %c4 {
        %w = vector.load %table[%j, %e] : memref<?x8xf32>, vector<4xf32>
        %s = arith.mulf %w, %sum : vector<4xf32>
        vector.store %s, %out[%e] : memref<8xf32>, vector<4xf32>
      }
    }
  }
  return
}

// -----

// Another row; one that is read before it has come; beyond the row.

// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.alloca
func.func @others(%n: index, %ids: memref<?xindex>, %table: memref<?x8xf32>, %out: memref<16xf32>) {
  dlc.program captures(%n = %n : index, %ids = %ids : memref<?xindex>, %table = %table : memref<?x8xf32>, %out = %out : memref<16xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %lookups = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %lookups : !slc.stream<index>
    %j = dlc.mem_str %lookups, %ids[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %c4 step %c1 in %lookups
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %v = dlc.mem_str %row, %table[%j, %e] : memref<?x8xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 0 announced
    dlc.register_operand %row, beg, %i for 0 : !slc.stream<index>
    dlc.register_operand %row, beg, %j for 0 : !slc.stream<index>
    dlc.register_operand %row, ite, %v for 0 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    dlc.compute_loop
    case 0 {
      %i = dlc.pop_operand : index
      %j = dlc.pop_operand : index
      %early = memref.load %table[%j, %c0] : memref<?x8xf32>
      scf.for %k = %c0 to %c4 step %c1 {
        %v = dlc.pop_operand : f32
        %s = arith.addf %v, %early : f32
        memref.store %s, %out[%k] : memref<16xf32>
      }
      scf.for %k = %c4 to %c8 step %c1 {
        %beyond = memref.load %table[%j, %k] : memref<?x8xf32>
        memref.store %beyond, %out[%k] : memref<16xf32>
      }
      scf.for %k = %c0 to %c4 step %c1 {
        %other = memref.load %table[%i, %k] : memref<?x8xf32>
        memref.store %other, %out[%k] : memref<16xf32>
      }
    }
  }
  return
}
