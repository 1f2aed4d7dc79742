// RUN: ember-opt %s | ember-opt | FileCheck %s

func.func private @bag.compute.0(%out: memref<?x?xf32>, %data: !ring.data<8>, %tokens: !ring.tokens)

// CHECK-LABEL: func.func @bag
func.func @bag(%bags: index, %width: index, %offsets: memref<?xindex>, %indices: memref<?xi32>,
               %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  // CHECK: tmu.program captures(%[[BAGS:[a-z_0-9]+]] = %{{.*}} : index, {{.*}}) compute @bag.compute.0(
  tmu.program captures(%n = %bags : index, %w = %width : index, %o = %offsets : memref<?xindex>,
                       %i = %indices : memref<?xi32>, %t = %table : memref<?x?xf32>)
      compute @bag.compute.0(%out : memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // CHECK: %[[BAG:[a-z_0-9]+]], %[[B:[a-z_0-9]+]], %{{.*}} = tmu.set_dns_tu %{{.*}} to %[[BAGS]] step %{{.*}}{{$}}
    %bag, %b, %bn = tmu.set_dns_tu %c0 to %n step %c1
    // CHECK: tmu.set_alu_str %[[BAG]], add %[[B]], %{{.*}} : !slc.stream<index>, index -> !slc.stream<index>
    %b1 = tmu.set_alu_str %bag, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: %[[BEG:[a-z_0-9]+]] = tmu.set_mem_str %[[BAG]], %{{.*}}[%[[B]]] : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
    %beg = tmu.set_mem_str %bag, %o[%b] : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
    %end = tmu.set_mem_str %bag, %o[%b1] level llc : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
    // CHECK: %[[OUTER:[a-z_0-9]+]] = tmu.set_single_layer %[[BAG]]
    %outer = tmu.set_single_layer %bag
    // CHECK: %[[SEG:[a-z_0-9]+]], %[[P:[a-z_0-9]+]], %{{.*}} = tmu.set_rng_tu %[[BEG]] to %{{.*}} step %{{.*}} in %[[OUTER]]
    %seg, %p, %pn = tmu.set_rng_tu %beg to %end step %c1 in %outer
    %raw = tmu.set_mem_str %seg, %i[%p] : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    // CHECK: tmu.set_cast_str %[[SEG]], %{{.*}} : !slc.stream<i32> to !slc.stream<index>
    %id = tmu.set_cast_str %seg, %raw : !slc.stream<i32> to !slc.stream<index>
    // CHECK: %[[OK:[a-z_0-9]+]] = tmu.set_cmp_str %[[SEG]], sge
    %ok = tmu.set_cmp_str %seg, sge %id, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    %row = tmu.set_alu_str %seg, mul %id, %w : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: %[[LOOKUPS:[a-z_0-9]+]] = tmu.set_bcast_layer %[[SEG]]
    %lookups = tmu.set_bcast_layer %seg
    // CHECK: %[[E0:[a-z_0-9]+]], %{{.*}}, %{{.*}} = tmu.set_dns_tu {{.*}} in %[[LOOKUPS]]
    %e0, %i0, %n0 = tmu.set_dns_tu %c0 to %w step %c2 in %lookups
    %r0 = tmu.set_fwd_str %e0, %row : !slc.stream<index> -> !slc.stream<index>
    %a0 = tmu.set_alu_str %e0, add %r0, %i0 : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    // CHECK: %[[V0:[a-z_0-9]+]] = tmu.set_mem_str %[[E0]], {{.*}} level l2 nontemporal : memref<?x?xf32>
    %v0 = tmu.set_mem_str %e0, %t[%a0] level l2 nontemporal : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<f32>
    // CHECK: %[[E1:[a-z_0-9]+]], %{{.*}}, %{{.*}} = tmu.set_idx_tu %{{.*}} size %{{.*}} step %{{.*}} in %[[LOOKUPS]]
    %e1, %i1, %n1 = tmu.set_idx_tu %row size %w step %c2 in %lookups
    %m1 = tmu.set_fwd_str %e1, %ok : !slc.stream<i1> -> !slc.stream<i1>
    // CHECK: %[[V1:[a-z_0-9]+]] = tmu.set_mem_str %[[E1]], %{{.*}} mask %{{.*}} : memref<?x?xf32>
    %v1 = tmu.set_mem_str %e1, %t[%i1] mask %m1 : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<f32>
    // CHECK: %[[ELEMENTS:[a-z_0-9]+]] = tmu.set_lockstep_layer %[[E0]], %[[E1]]
    %elements = tmu.set_lockstep_layer %e0, %e1
    // CHECK: tmu.set_control_token %[[ELEMENTS]], end, 0 announced mask %[[OK]] : !slc.stream<i1>
    tmu.set_control_token %elements, end, 0 announced mask %ok : !slc.stream<i1>
    // CHECK: tmu.set_operand %[[ELEMENTS]], ite, (%[[V0]], %[[V1]]) for 0 : (!slc.stream<f32>, !slc.stream<f32>) -> vector<2xf32>
    tmu.set_operand %elements, ite, (%v0, %v1) for 0 : (!slc.stream<f32>, !slc.stream<f32>) -> vector<2xf32>
    // CHECK: tmu.set_control_token %[[LOOKUPS]], ite, 2 on same %{{.*}} : !slc.stream<index> value %[[P]] : !slc.stream<index>
    tmu.set_control_token %lookups, ite, 2 on same %id : !slc.stream<index> value %p : !slc.stream<index>
    // CHECK: tmu.set_control_token %[[LOOKUPS]], end, 1{{$}}
    tmu.set_control_token %lookups, end, 1
  }
  return
}

func.func private @none.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens) -> index

// CHECK-LABEL: func.func @gather
func.func @gather(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) -> index {
  // CHECK: %[[LAST:[a-z_0-9]+]] = tmu.program captures
  // CHECK-SAME: -> (index) {
  %last = tmu.program captures(%i = %in : memref<?xf32>, %o = %out : memref<?xf32>, %m = %n : index)
      compute @none.compute.0() -> (index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu, %p, %k = tmu.set_dns_tu %c0 to %m step %c1
    // CHECK: tmu.set_acc_str %{{.*}}, %{{.*}} from %{{.*}} : !slc.stream<index>, index
    %sum = tmu.set_acc_str %tu, %p from %c0 : !slc.stream<index>, index
    %even = tmu.set_alu_str %tu, and %sum, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %is = tmu.set_cmp_str %tu, eq %even, %c0 : !slc.stream<index>, index -> !slc.stream<i1>
    // CHECK: tmu.set_sel_str
    %a = tmu.set_sel_str %tu, %is, %p, %c0 : !slc.stream<i1>, !slc.stream<index>, index -> !slc.stream<index>
    %v = tmu.set_mem_str %tu, %i[%a] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    // CHECK: tmu.set_store_str %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} nontemporal : !slc.stream<f32>, memref<?xf32>, !slc.stream<index>
    tmu.set_store_str %tu, %v, %o[%p] mask %is nontemporal : !slc.stream<f32>, memref<?xf32>, !slc.stream<index>
    %layer = tmu.set_single_layer %tu
  }
  // CHECK: return %[[LAST]]
  return %last : index
}

func.func private @mapped.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens)

// What is mapped to a machine.
// CHECK-LABEL: func.func @mapped
func.func @mapped(%rows: memref<?xi64>, %in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  // CHECK: compute @mapped.compute.0() machine <lanes = 8, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 2048, tokens = 512> {
  tmu.program captures(%r = %rows : memref<?xi64>, %i = %in : memref<?xf32>, %o = %out : memref<?xf32>, %m = %n : index)
      compute @mapped.compute.0() machine <lanes = 8, layers = 4, streams = 16, storage = 1024, requests = 256, chunk = 2048, tokens = 512> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    // CHECK: %[[SEG:.*]], %[[P:.*]], %{{.*}}, %[[END:.*]] = tmu.set_seg_tu %{{.*}} to %{{.*}} segments(%{{.*}} : memref<?xi64>) : index, index queue 4
    %seg, %p, %k, %end = tmu.set_seg_tu %c0 to %m segments(%r : memref<?xi64>) : index, index queue 4
    // CHECK: tmu.set_single_layer %[[SEG]] number 0
    %segments = tmu.set_single_layer %seg number 0
    // CHECK: tmu.set_rng_tu %[[P]] to %[[END]] step %{{.*}} in %{{.*}} queue 12
    %tu, %e, %l = tmu.set_rng_tu %p to %end step %c2 in %segments queue 12
    // CHECK: %[[SUM:.*]] = tmu.set_acc_str %{{.*}}, %{{.*}} from %[[P]] : !slc.stream<index>, !slc.stream<index>
    %sum = tmu.set_acc_str %tu, %e from %p : !slc.stream<index>, !slc.stream<index>
    // CHECK: %[[V:.*]] = tmu.set_mem_str %{{.*}} -> !slc.stream<vector<2xf32>>
    %v = tmu.set_mem_str %tu, %i[%sum] : memref<?xf32>, !slc.stream<index> -> !slc.stream<vector<2xf32>>
    // CHECK: tmu.set_store_str %{{.*}}, %[[V]], %{{.*}} : !slc.stream<vector<2xf32>>, memref<?xf32>, !slc.stream<index>
    tmu.set_store_str %tu, %v, %o[%e] : !slc.stream<vector<2xf32>>, memref<?xf32>, !slc.stream<index>
    // CHECK: tmu.set_single_layer %{{.*}} number 1
    %elements = tmu.set_single_layer %tu number 1
    // CHECK: tmu.set_control_token %{{.*}}, ite, 0 reserve 15{{$}}
    tmu.set_control_token %elements, ite, 0 reserve 15
    // CHECK: tmu.set_operand %{{.*}}, ite, (%[[V]]) for 0 : (!slc.stream<vector<2xf32>>) -> vector<2xf32>
    tmu.set_operand %elements, ite, (%v) for 0 : (!slc.stream<vector<2xf32>>) -> vector<2xf32>
  }
  return
}
