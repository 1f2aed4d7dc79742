// Queues within the storage of a lane, numbers of layers, and what is reserved.

// RUN: ember-opt %s --map-tmu=computed-queues --split-input-file | FileCheck %s
// RUN: ember-opt %s --map-tmu=computed-queues --split-input-file | ember-opt --map-tmu=computed-queues --split-input-file | FileCheck %s
// RUN: ember-opt %s --map-tmu --split-input-file | FileCheck %s --check-prefix=LOADED
// RUN: ember-opt %s --map-tmu="storage=2048 computed-queues" --split-input-file | FileCheck %s --check-prefix=LARGE
// RUN: ember-opt %s --map-tmu="storage=110 computed-queues fiber=4 lanes=2 layers=2" --split-input-file | FileCheck %s --check-prefix=SMALL

func.func private @f.compute.0(%data: !ring.data<16>, %tokens: !ring.tokens<3>)

// CHECK-LABEL: func.func @rows(
// CHECK: machine <lanes = 8, layers = 8, streams = 32, storage = 1024, requests = 256, chunk = 2048, tokens = 512, computed_queues = true> {
// Rows of 4 elements: a quarter of the entries and seven more.
// CHECK: tmu.set_dns_tu {{.*}} queue 14{{$}}
// CHECK: tmu.set_single_layer {{.*}} number 0
// CHECK: %[[TU:.*]], %[[E:.*]], %{{.*}} = tmu.set_dns_tu {{.*}} queue 28{{$}}
// CHECK: %[[BASE:.*]] = tmu.set_fwd_str
// What is computed twice is one stream, what is not read is none.
// CHECK: %[[A:.*]] = tmu.set_alu_str %[[TU]], add %[[BASE]], %[[E]]
// CHECK-NEXT: %[[V:.*]] = tmu.set_mem_str
// CHECK-NEXT: tmu.set_single_layer %[[TU]] number 1
// All that comes at one event, wherever it begins: 7 + 8 + 4; a value that may not
// fit its token: 7 + 8.
// CHECK-NEXT: tmu.set_control_token %{{.*}}, ite, 0 reserve 19{{$}}
// CHECK: tmu.set_control_token %{{.*}}, ite, 1 reserve 15 value
// A row of constant length that is announced: 4 floats, and one operand before.
// CHECK: tmu.set_control_token %{{.*}}, end, 2 announced reserve 31{{$}}
// A token that comes behind its row reserves nothing.
// CHECK: tmu.set_control_token %{{.*}}, end, 3{{$}}
// LARGE: queue 22{{$}}
// LARGE: queue 60{{$}}
// Where what is computed takes no storage, rows take none.
// LOADED-LABEL: func.func @rows(
// LOADED: tokens = 512> {
// LOADED: tmu.set_dns_tu {{.*}} queue 71{{$}}
// LOADED: tmu.set_dns_tu {{.*}} queue 256{{$}}
func.func @rows(%in: memref<?xf32>, %n: index) {
  tmu.program captures(%i = %in : memref<?xf32>, %m = %n : index) compute @f.compute.0() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %row, %r, %k = tmu.set_dns_tu %c0 to %m step %c1
    %begin = tmu.set_alu_str %row, shl %r, %c2 : !slc.stream<index>, index -> !slc.stream<index>
    %rows = tmu.set_single_layer %row
    %tu, %e, %l = tmu.set_dns_tu %c0 to %c4 step %c1 in %rows
    %base = tmu.set_fwd_str %tu, %begin : !slc.stream<index> -> !slc.stream<index>
    %a = tmu.set_alu_str %tu, add %base, %e : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %again = tmu.set_alu_str %tu, add %base, %e : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %unread = tmu.set_mem_str %tu, %i[%e] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %v = tmu.set_mem_str %tu, %i[%again] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %elements = tmu.set_single_layer %tu
    tmu.set_control_token %elements, ite, 0
    tmu.set_operand %elements, ite, (%a) for 0 : (!slc.stream<index>) -> index
    tmu.set_operand %elements, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    tmu.set_control_token %elements, ite, 1 value %a : !slc.stream<index>
    tmu.set_control_token %elements, end, 2 announced
    tmu.set_operand %elements, beg, (%r) for 2 : (!slc.stream<index>) -> index
    tmu.set_operand %elements, ite, (%v) for 2 : (!slc.stream<f32>) -> f32
    tmu.set_control_token %elements, end, 3
    tmu.set_operand %elements, ite, (%v) for 3 : (!slc.stream<f32>) -> f32
  }
  return
}

// -----

// -----

func.func private @f.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens)

// What a unit can compute itself from what is forwarded to it is no stream of the
// layer around, where the storage is too small for that.
// SMALL-LABEL: func.func @recomputed(
// SMALL: %[[ROW:.*]], %[[R:.*]], %{{.*}} = tmu.set_dns_tu {{.*}} queue 2
// SMALL-NOT: tmu.set_alu_str %[[ROW]]
// SMALL: tmu.set_bcast_layer %[[ROW]] number 0
// SMALL: %[[F:.*]] = tmu.set_fwd_str %[[A_TU:.*]], %[[R]]
// SMALL: %[[S:.*]] = tmu.set_alu_str %[[A_TU]], mul %[[F]]
// SMALL: tmu.set_alu_str %[[A_TU]], add %[[S]]
// SMALL: tmu.set_lockstep_layer {{.*}} number 1
func.func @recomputed(%in: memref<?xf32>, %n: index) {
  tmu.program captures(%i = %in : memref<?xf32>, %m = %n : index) compute @f.compute.0() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %row, %r, %k = tmu.set_dns_tu %c0 to %m step %c1
    %begin = tmu.set_alu_str %row, mul %r, %m : !slc.stream<index>, index -> !slc.stream<index>
    %x = tmu.set_mem_str %row, %i[%r] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %y = tmu.set_mem_str %row, %i[%c1] : memref<?xf32>, index -> !slc.stream<f32>
    %rows = tmu.set_bcast_layer %row
    %a_tu, %a, %al = tmu.set_dns_tu %c0 to %m step %c2 in %rows
    %b_tu, %b, %bl = tmu.set_dns_tu %c1 to %m step %c2 in %rows
    %a_base = tmu.set_fwd_str %a_tu, %begin : !slc.stream<index> -> !slc.stream<index>
    %a_row = tmu.set_fwd_str %a_tu, %r : !slc.stream<index> -> !slc.stream<index>
    %b_base = tmu.set_fwd_str %b_tu, %begin : !slc.stream<index> -> !slc.stream<index>
    %b_row = tmu.set_fwd_str %b_tu, %r : !slc.stream<index> -> !slc.stream<index>
    %a_at = tmu.set_alu_str %a_tu, add %a_base, %a : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %b_at = tmu.set_alu_str %b_tu, add %b_base, %b : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %v = tmu.set_mem_str %a_tu, %i[%a_at] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %w = tmu.set_mem_str %b_tu, %i[%b_at] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %elements = tmu.set_lockstep_layer %a_tu, %b_tu
    tmu.set_control_token %rows, ite, 1
    tmu.set_operand %rows, ite, (%x) for 1 : (!slc.stream<f32>) -> f32
    tmu.set_operand %rows, ite, (%y) for 1 : (!slc.stream<f32>) -> f32
    tmu.set_control_token %elements, ite, 0
    tmu.set_operand %elements, ite, (%v, %w) for 0 : (!slc.stream<f32>, !slc.stream<f32>) -> vector<2xf32>
    tmu.set_operand %elements, ite, (%a_row, %b_row) for 0 : (!slc.stream<index>, !slc.stream<index>) -> vector<2xindex>
  }
  return
}

// -----

func.func private @f.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens<2>)

// Operands that a layer within pushes for the token of one around may be any number.
// CHECK-LABEL: func.func @within(
// CHECK: tmu.set_control_token %{{.*}}, ite, 0 value %{{.*}} : !slc.stream<index>{{$}}
func.func @within(%in: memref<?xf32>, %n: index) {
  tmu.program captures(%i = %in : memref<?xf32>, %m = %n : index) compute @f.compute.0() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %row, %r, %k = tmu.set_dns_tu %c0 to %m step %c1
    %rows = tmu.set_single_layer %row
    %tu, %e, %l = tmu.set_dns_tu %c0 to %m step %c1 in %rows
    %v = tmu.set_mem_str %tu, %i[%e] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %elements = tmu.set_single_layer %tu
    tmu.set_control_token %rows, ite, 0 value %r : !slc.stream<index>
    tmu.set_operand %elements, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
  }
  return
}
