// Rows of the outermost loop's iteration are loaded by the case that used to pop
// them, if a register counts these iterations.

// RUN: ember-opt %s --load-direct-rows --split-input-file | FileCheck %s
// RUN: ember-opt %s --load-direct-rows --split-input-file | ember-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @own(
// CHECK: dlc.register_callback %[[TU:.*]], end, 1 announced
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %{{.*}} for 1
// CHECK-NEXT: }
// CHECK: case 1 {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index):
// CHECK-NEXT: scf.for %[[K:.*]] =
// CHECK: %[[PLACE:.*]] = arith.muli %[[K]], %c4
// CHECK: %[[LEFT:.*]] = arith.subi %c6{{.*}}, %[[PLACE]]
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]]
// CHECK: vector.maskedload %{{.*}}[%[[B]], %[[PLACE]]], %[[MASK]], %{{.*}} : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
// CHECK: dlc.pop_operand : vector<4xf32>
// CHECK-NOT: dlc.pop_operand
func.func @own(%from: index, %to: index, %ids: memref<?xindex>, %own: memref<?x6xf32>, %table: memref<?x6xf32>, %out: memref<?x6xf32>) {
  %one = arith.constant 1 : index
  %none = arith.subi %from, %one : index
  dlc.program captures(%from = %from : index, %to = %to : index, %none = %none : index, %ids = %ids : memref<?xindex>, %own = %own : memref<?x6xf32>, %table = %table : memref<?x6xf32>, %out = %out : memref<?x6xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %vertices = dlc.new_tu %from to %to step %c1
    %i = dlc.get_ind_var %vertices : !slc.stream<index>
    dlc.register_callback %vertices, ite, 0
    %edges = dlc.new_tu %c0 to %to step %c1 in %vertices
    %p = dlc.get_ind_var %edges : !slc.stream<index>
    %j = dlc.mem_str %edges, %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %c6 step %c1 in %edges vector<4>
    %e = dlc.get_ind_var %row : !slc.stream<vector<4xindex>>
    %m = dlc.get_mask %row : !slc.stream<vector<4xi1>>
    %v = dlc.mem_str %row, %own[%i, %e] mask %m contiguous : memref<?x6xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %w = dlc.mem_str %row, %table[%j, %e] mask %m contiguous : memref<?x6xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    dlc.register_callback %row, end, 1 announced
    dlc.register_operand %row, ite, %v for 1 : !slc.stream<vector<4xf32>>
    dlc.register_operand %row, ite, %w for 1 : !slc.stream<vector<4xf32>>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %last = dlc.compute_loop iter_args(%none) -> (index)
    case 0 {
    ^bb0(%b: index):
      %next = arith.addi %b, %c1 : index
      dlc.yield %next : index
    }
    case 1 {
    ^bb0(%b: index):
      scf.for %k = %c0 to %c2 step %c1 {
        %v = dlc.pop_operand : vector<4xf32>
        %w = dlc.pop_operand : vector<4xf32>
        %s = arith.mulf %v, %w : vector<4xf32>
        %mask = vector.create_mask %c2 : vector<4xi1>
        vector.maskedstore %out[%b, %c0], %mask, %s : memref<?x6xf32>, vector<4xi1>, vector<4xf32>
      }
      dlc.yield %b : index
    }
  }
  return
}

// -----

// Nothing counts the iterations: the register begins elsewhere.

// CHECK-LABEL: func.func @uncounted(
// CHECK-COUNT-2: dlc.register_operand
// CHECK-COUNT-2: dlc.pop_operand
func.func @uncounted(%n: index, %ids: memref<?xindex>, %own: memref<?x4xf32>, %table: memref<?x4xf32>, %out: memref<?x4xf32>) {
  dlc.program captures(%n = %n : index, %ids = %ids : memref<?xindex>, %own = %own : memref<?x4xf32>, %table = %table : memref<?x4xf32>, %out = %out : memref<?x4xf32>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %vertices = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %vertices : !slc.stream<index>
    dlc.register_callback %vertices, ite, 0
    %edges = dlc.new_tu %c0 to %n step %c1 in %vertices
    %p = dlc.get_ind_var %edges : !slc.stream<index>
    %j = dlc.mem_str %edges, %ids[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %row = dlc.new_tu %c0 to %c4 step %c1 in %edges
    %e = dlc.get_ind_var %row : !slc.stream<index>
    %v = dlc.mem_str %row, %own[%i, %e] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    %w = dlc.mem_str %row, %table[%j, %e] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %row, end, 1 announced
    dlc.register_operand %row, ite, %v for 1 : !slc.stream<f32>
    dlc.register_operand %row, ite, %w for 1 : !slc.stream<f32>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %last = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%b: index):
      %next = arith.addi %b, %c1 : index
      dlc.yield %next : index
    }
    case 1 {
    ^bb0(%b: index):
      scf.for %k = %c0 to %c4 step %c1 {
        %v = dlc.pop_operand : f32
        %w = dlc.pop_operand : f32
        %s = arith.mulf %v, %w : f32
        memref.store %s, %out[%b, %k] : memref<?x4xf32>
      }
      dlc.yield %b : index
    }
  }
  return
}
