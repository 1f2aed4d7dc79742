// Coordinates are sent by a callback of their own, toggled when they change.

// RUN: ember-opt %s --toggle-callbacks --verify-diagnostics | FileCheck %s
// RUN: ember-opt %s --pass-pipeline='builtin.module(func.func(dlc.program(toggle-callbacks)))' 2>/dev/null | FileCheck %s
// RUN: ember-opt %s --toggle-callbacks=which=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: ember-opt %s --toggle-callbacks=which=all 2>&1 | FileCheck %s --check-prefix=ALL

// NONE-NOT: {{ on %}}

// Two cases read the same stream: one register. The padded row is sent as it is.
// CHECK-LABEL: func.func @accumulates(
// CHECK:      %[[TU:.*]] = dlc.new_tu
// CHECK:      %[[ROW:.*]] = dlc.cast_str %[[TU]]
// CHECK:      dlc.register_callback %[[TU]], ite, 3 on %[[ROW]] : !slc.stream<index>
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %[[ROW]] for 3 : !slc.stream<index>
// CHECK-NEXT: dlc.register_callback %[[TU]], ite, 2
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %{{.*}} for 2 : !slc.stream<vector<4xf32>>
// CHECK-NEXT: %[[INNER:.*]] = dlc.new_tu
// CHECK-NEXT: dlc.register_callback %[[INNER]], end, 0
// CHECK-NOT:  dlc.register_operand
// CHECK:      %[[R:.*]]:2 = dlc.compute_loop iter_args(%{{.*}}, %{{.*}}) -> (f32, index)
// CHECK-NEXT: case 2 {
// CHECK-NEXT: ^bb0(%[[F:.*]]: f32, %[[AT:.*]]: index):
// CHECK-NEXT:   %[[V:.*]] = dlc.pop_operand : vector<4xf32>
// CHECK-NEXT:   vector.load %arg2[%[[AT]], %c0]
// CHECK:        vector.store %{{.*}}, %arg2[%[[AT]], %c0]
// CHECK-NEXT:   dlc.yield %[[F]], %[[AT]] : f32, index
// CHECK:      case 0 {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[AT:.*]]: index):
// CHECK-NEXT:   memref.load %arg2[%[[AT]], %c0]
// CHECK:      case 3 {
// CHECK-NEXT: ^bb0(%[[F:.*]]: f32, %{{.*}}: index):
// CHECK-NEXT:   %[[NEXT:.*]] = dlc.pop_operand : index
// CHECK-NEXT:   dlc.yield %[[F]], %[[NEXT]] : f32, index
// CHECK:      dlc.yield %[[R]]#0 : f32
func.func @accumulates(%rows: memref<?xi32>, %x: memref<?x4xf32>, %out: memref<?x4xf32>, %n: index, %init: f32) -> f32 {
  %r = dlc.program captures(%n = %n : index, %rows = %rows : memref<?xi32>, %init = %init : f32, %out = %out : memref<?x4xf32>) -> (f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    %narrow = dlc.mem_str %tu, %rows[%p] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    %row = dlc.cast_str %tu, %narrow : !slc.stream<i32> to !slc.stream<index>
    %wide = dlc.fwd_str %tu, %row : !slc.stream<index> -> !slc.stream<vector<4xindex>>
    %w = dlc.fwd_str %tu, %init : f32 -> !slc.stream<vector<4xf32>>
    dlc.register_callback %tu, ite, 2
    dlc.register_operand %tu, ite, %wide for 2 : !slc.stream<vector<4xindex>>
    dlc.register_operand %tu, ite, %w for 2 : !slc.stream<vector<4xf32>>
    %inner = dlc.new_tu %c0 to %n step %c1 in %tu
    dlc.register_callback %inner, end, 0
    dlc.register_operand %inner, end, %row for 0 : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %r = dlc.compute_loop iter_args(%init) -> (f32)
    case 2 {
    ^bb0(%f: f32):
      %lanes = dlc.pop_operand : vector<4xindex>
      %at = vector.extract %lanes[0] : index from vector<4xindex>
      %v = dlc.pop_operand : vector<4xf32>
      %old = vector.load %out[%at, %c0] : memref<?x4xf32>, vector<4xf32>
      %new = arith.addf %old, %v : vector<4xf32>
      vector.store %new, %out[%at, %c0] : memref<?x4xf32>, vector<4xf32>
      dlc.yield %f : f32
    }
    case 0 {
    ^bb0(%f: f32):
      %at = dlc.pop_operand : index
      %old = memref.load %out[%at, %c0] : memref<?x4xf32>
      %new = arith.addf %old, %f : f32
      memref.store %new, %out[%at, %c0] : memref<?x4xf32>
      dlc.yield %new : f32
    }
    dlc.yield %r : f32
  }
  return %r : f32
}

// What is only stored need not repeat; an induction variable always changes.
// CHECK-LABEL: func.func @scatters(
// CHECK-NOT: {{ on %}}
// ALL-LABEL: func.func @scatters(
// ALL: dlc.register_callback %{{.*}}, ite, 1 on %{{.*}} : !slc.stream<index>
// ALL: dlc.register_operand %{{.*}}, ite, %{{.*}} for 0 : !slc.stream<index>
func.func @scatters(%rows: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    %row = dlc.mem_str %tu, %rows[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    // expected-remark @below {{operand of token 0 is sent each time: nothing shows that coordinates repeat}}
    dlc.register_operand %tu, ite, %row for 0 : !slc.stream<index>
    dlc.register_operand %tu, ite, %p for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %at = dlc.pop_operand : index
      %v = dlc.pop_operand : index
      memref.store %v, %out[%at] : memref<?xindex>
    }
  }
  return
}

// A registration in front of the stream would read the register before it is
// written.
// ALL-LABEL: func.func @registered_first(
// ALL-NOT: {{ on %}}
func.func @registered_first(%rows: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  dlc.program captures(%n = %n : index, %rows = %rows : memref<?xindex>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
    %p = dlc.get_ind_var %tu : !slc.stream<index>
    %row = dlc.mem_str %tu, %rows[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_operand %tu, ite, %row for 0 : !slc.stream<index>
  }
  compute {
    %c1 = arith.constant 1 : index
    dlc.compute_loop
    case 0 {
      %at = dlc.pop_operand : index
      %old = memref.load %out[%at] : memref<?xindex>
      %new = arith.addi %old, %c1 : index
      memref.store %new, %out[%at] : memref<?xindex>
    }
  }
  return
}
