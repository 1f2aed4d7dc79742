// RUN: ember-opt %s --canonicalize --cse | FileCheck %s

// Streams that nothing reads need not be computed; what registers, pushes or
// traverses stays. Nor need what nothing reads be captured.

// CHECK-LABEL: func.func @unread_streams(
// CHECK: dlc.program captures(%arg0 = %arg0 : index, %arg2 = %arg2 : memref<?xindex>){{$}}
// CHECK-NEXT: access {
// CHECK: %[[TU:.*]] = dlc.new_tu
// CHECK-NEXT: %[[I:.*]] = dlc.get_ind_var %[[TU]]
// CHECK-NEXT: %[[J:.*]] = dlc.alu_str %[[TU]], add %[[I]], %c1
// CHECK-NEXT: dlc.register_callback %[[TU]], ite, 0
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %[[J]] for 0
// CHECK-NEXT: dlc.register_operand %[[TU]], ite, %[[J]] for 0
// CHECK-NEXT: dlc.new_tu
// CHECK-NEXT: }
// CHECK: dlc.compute_loop
func.func @unread_streams(%n: index, %in: memref<?xf32>, %out: memref<?xindex>) {
  dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>, %out = %out : memref<?xindex>)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %again = dlc.get_ind_var %tu : !slc.stream<index>
    %unread = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %count = dlc.get_iter_count %tu : !slc.stream<index>
    %j = dlc.alu_str %tu, add %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %k = dlc.alu_str %tu, add %again, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %j for 0 : !slc.stream<index>
    dlc.register_operand %tu, ite, %k for 0 : !slc.stream<index>
    %in_tu = dlc.new_tu %c0 to %n step %c1 in %tu
  }
  compute {
    dlc.compute_loop
    case 0 {
      %a = dlc.pop_operand : index
      %b = dlc.pop_operand : index
      memref.store %a, %out[%b] : memref<?xindex>
    }
  }
  return
}

// Both pops stay, though nothing reads one of them, and so does a case that
// does nothing else: the queues must not lose step.

// CHECK-LABEL: func.func @unread_operands(
// CHECK: dlc.compute_loop
// CHECK-NEXT: case 0 {
// CHECK-NEXT: dlc.pop_operand : index
// CHECK-NEXT: dlc.pop_operand : index
func.func @unread_operands(%n: index) {
  dlc.program captures(%n = %n : index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    dlc.register_callback %tu, ite, 0
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
    dlc.register_operand %tu, ite, %i for 0 : !slc.stream<index>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %a = dlc.pop_operand : index
      %b = dlc.pop_operand : index
    }
  }
  return
}

// What is captured twice is captured once, and constants are not.

// CHECK-LABEL: func.func @captures(
// CHECK-NEXT: dlc.program captures(%arg0 = %arg0 : index, %arg1 = %arg1 : memref<?xindex>){{$}}
// CHECK-NEXT: access {
// CHECK-NEXT:   %[[C2:.*]] = arith.constant 2
// CHECK-NEXT:   dlc.new_tu %arg0 to %arg0 step %[[C2]]
// CHECK-NEXT: }
// CHECK-NEXT: compute {
// CHECK-NEXT:   %[[C2:.*]] = arith.constant 2
// CHECK-NEXT:   memref.store %[[C2]], %arg1[%arg0]
// CHECK-NEXT:   dlc.compute_loop
func.func @captures(%n: index, %out: memref<?xindex>) {
  %c2 = arith.constant 2 : index
  dlc.program captures(%l = %n : index, %s = %c2 : index, %u = %n : index, %o = %out : memref<?xindex>, %t = %c2 : index)
  access {
    %tu = dlc.new_tu %l to %u step %s
  }
  compute {
    memref.store %t, %o[%u] : memref<?xindex>
    dlc.compute_loop
  }
  return
}

// Nor is what nothing reads returned, nor a register kept that cases only hand
// on. One that a case computes with stays, though nothing reads its last value.

// CHECK-LABEL: func.func @unread_results(
// CHECK: %[[R:.*]] = dlc.program captures(%arg0 = %arg0 : index) -> (f32)
// CHECK: %[[A:.*]] = arith.constant 0.0
// CHECK: %[[B:.*]] = arith.constant 2.0
// CHECK: %[[L:.*]]:2 = dlc.compute_loop iter_args(%[[A]], %[[B]]) -> (f32, f32)
// CHECK-NEXT: case 0 {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:   %[[S:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK-NEXT:   dlc.yield %[[S]], %[[Y]] : f32, f32
// CHECK: dlc.yield %[[L]]#0 : f32
// CHECK: return %[[R]]
func.func @unread_results(%n: index) -> f32 {
  %r:3 = dlc.program captures(%n = %n : index) -> (f32, f32, f32)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %tu, ite, 0
  }
  compute {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %l:3 = dlc.compute_loop iter_args(%zero, %one, %two) -> (f32, f32, f32)
    case 0 {
    ^bb0(%x: f32, %unread: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      dlc.yield %s, %unread, %y : f32, f32, f32
    }
    dlc.yield %l#0, %l#1, %l#2 : f32, f32, f32
  }
  return %r#0 : f32
}
