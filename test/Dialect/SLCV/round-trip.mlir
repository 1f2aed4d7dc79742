// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[ENDS:[^:]*]]: memref<?xindex>, %[[IN:[^:]*]]: vector<8xi1>, %[[X:[^:]*]]: f32)
func.func @loops(%n: index, %ends: memref<?xindex>, %in: vector<8xi1>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: slcv.vec_for (%[[E:.*]], %[[M:.*]]) = %c0 to %[[N]] step %c1 vector<8> {
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<8> {
    // CHECK: %[[END:.*]] = slcv.vec_mem_str %[[ENDS]][%[[E]]] mask %[[M]] : memref<?xindex>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xindex>>
    %end = slcv.vec_mem_str %ends[%e] mask %mask : memref<?xindex>[!slc.stream<vector<8xindex>>] -> !slc.stream<vector<8xindex>>
    // CHECK: slcv.vec_for (%{{.*}}, %{{.*}}, %[[COUNT:.*]]) = %c0 to %[[END]] step %c1 vector<8> mask %[[M]] : index, !slc.stream<vector<8xindex>>, !slc.stream<vector<8xi1>> {
    slcv.vec_for (%f, %m, %count) = %c0 to %end step %c1 vector<8> mask %mask : index, !slc.stream<vector<8xindex>>, !slc.stream<vector<8xi1>> {
      // CHECK: slc.fwd_str %[[COUNT]]
      %g = slc.fwd_str %count : !slc.stream<index> -> !slc.stream<index>
    // CHECK: } {ember.name = "inner"}
    } {ember.name = "inner"}
  }
  // CHECK: slcv.vec_for ({{.*}}) = %c0 to %[[N]] step %c1 vector<8> mask %[[IN]] : index, index, vector<8xi1> {
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<8> mask %in : index, index, vector<8xi1> {
  }
  // CHECK: slcv.vec_for ({{.*}}) = %c0 to %[[N]] step %c1 vector<1> scalar {
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<1> scalar {
  }
  // CHECK: %[[R:.*]] = slcv.vec_for ({{.*}}) = %c0 to %[[N]] step %c1 vector<8> bcast mask %[[IN]] iter_args(%[[A:.*]] = %[[X]]) -> (f32) : index, index, vector<8xi1> {
  %r = slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<8> bcast mask %in iter_args(%a = %x) -> (f32) : index, index, vector<8xi1> {
    %next = slc.callback ite -> f32 {
      %s = arith.addf %a, %a : f32
      slc.yield %s : f32
    }
    // CHECK: slc.yield %{{.*}} : f32
    slc.yield %next : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @streams(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[IN:[^:]*]]: memref<?x?xf32>, %[[S:[^:]*]]: i32)
func.func @streams(%n: index, %in: memref<?x?xf32>, %s: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // CHECK: %[[BUF:.*]] = slcv.buf_str : !slc.buffer<vector<4xf32>>
    %buf = slcv.buf_str : !slc.buffer<vector<4xf32>>
    // CHECK: slcv.vec_for (%[[E:.*]], %[[M:.*]]) =
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
      // CHECK: %[[V:.*]] = slcv.vec_mem_str %[[IN]][%{{.*}}, %[[E]]] mask %[[M]] contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %v = slcv.vec_mem_str %in[%i, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      // CHECK: slcv.vec_mem_str %[[IN]][%c0, %[[E]]] contiguous : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %w = slcv.vec_mem_str %in[%c0, %e] contiguous : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      // CHECK: slcv.vec_mem_str %[[IN]][%[[E]], %c0] : memref<?x?xf32>[!slc.stream<vector<4xindex>>, index] -> !slc.stream<vector<4xf32>>
      %g = slcv.vec_mem_str %in[%e, %c0] : memref<?x?xf32>[!slc.stream<vector<4xindex>>, index] -> !slc.stream<vector<4xf32>>
      // CHECK: slcv.vec_alu_str add %[[E]], %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
      %a = slcv.vec_alu_str add %e, %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
      // CHECK: slcv.vec_alu_str mul %{{.*}}, %[[E]] : !slc.stream<index>, !slc.stream<vector<4xindex>> -> !slc.stream<vector<4xindex>>
      %b = slcv.vec_alu_str mul %i, %e : !slc.stream<index>, !slc.stream<vector<4xindex>> -> !slc.stream<vector<4xindex>>
      // CHECK: slc.cast_str %[[E]] : !slc.stream<vector<4xindex>> to !slc.stream<vector<4xi32>>
      %c = slc.cast_str %e : !slc.stream<vector<4xindex>> to !slc.stream<vector<4xi32>>
      // CHECK: slcv.as_scalar %[[V]] : !slc.stream<vector<4xf32>> to !slc.stream<f32>
      %one = slcv.as_scalar %v : !slc.stream<vector<4xf32>> to !slc.stream<f32>
      // CHECK: slcv.push %[[V]], %[[BUF]] : !slc.stream<vector<4xf32>>, !slc.buffer<vector<4xf32>>
      slcv.push %v, %buf : !slc.stream<vector<4xf32>>, !slc.buffer<vector<4xf32>>
      slc.callback ite {
        // CHECK: %[[X:.*]] = slc.str_to_val %[[V]] : !slc.stream<vector<4xf32>> -> vector<4xf32>
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        // CHECK: slcv.as_scalar %[[X]] : vector<4xf32> to f32
        %y = slcv.as_scalar %x : vector<4xf32> to f32
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @stores(
func.func @stores(%n: index, %a: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: slcv.vec_for (%[[E:.*]], %[[M:.*]]) =
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    // CHECK: %[[V:.*]] = slcv.vec_mem_str %arg1[%c0, %[[E]]] mask %[[M]] contiguous level l2 nontemporal {ember.name = "v"} : memref<?x?xf32>
    %v = slcv.vec_mem_str %a[%c0, %e] mask %mask contiguous level l2 nontemporal {ember.name = "v"} : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    // CHECK: slcv.vec_store_str %[[V]], %arg1[%c1, %[[E]]] mask %[[M]] contiguous level llc nontemporal : !slc.stream<vector<4xf32>>, memref<?x?xf32>[index, !slc.stream<vector<4xindex>>]
    slcv.vec_store_str %v, %a[%c1, %e] mask %mask contiguous level llc nontemporal : !slc.stream<vector<4xf32>>, memref<?x?xf32>[index, !slc.stream<vector<4xindex>>]
    // CHECK: slcv.vec_store_str %[[V]], %arg1[%[[E]], %c0] {ember.name = "w"} : !slc.stream<vector<4xf32>>, memref<?x?xf32>[!slc.stream<vector<4xindex>>, index]
    slcv.vec_store_str %v, %a[%e, %c0] {ember.name = "w"} : !slc.stream<vector<4xf32>>, memref<?x?xf32>[!slc.stream<vector<4xindex>>, index]
  }
  return
}
