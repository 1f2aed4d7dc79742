// Every operation and every form of its assembly.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func.func private @types(
// CHECK-SAME: !slc.stream<index>, !slc.stream<i1>, !slc.stream<vector<16xbf16>>, !slc.buffer<f64>, !slc.buffer<vector<4xi8>>)
func.func private @types(!slc.stream<index>, !slc.stream<i1>,
                         !slc.stream<vector<16xbf16>>, !slc.buffer<f64>,
                         !slc.buffer<vector<4xi8>>)

// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[N:.*]]: index, %[[ENDS:.*]]: memref<?xindex>)
func.func @loops(%n: index, %ends: memref<?xindex>) -> (index, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: slc.for %[[I:.*]] = %c0 to %[[N]] step %c1 {
  slc.for %i = %c0 to %n step %c1 {
    // CHECK: %[[END:.*]] = slc.mem_str %[[ENDS]][%[[I]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %ends[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    // CHECK: slc.for (%{{.*}}, %[[COUNT:.*]]) = %c0 to %[[END]] step %c1 : index, !slc.stream<index> {
    slc.for (%j, %count) = %c0 to %end step %c1 : index, !slc.stream<index> {
      // CHECK: slc.fwd_str %[[COUNT]]
      %f = slc.fwd_str %count : !slc.stream<index> -> !slc.stream<index>
      // CHECK: slc.for %{{.*}} = %[[I]] to %[[END]] step %c1 : !slc.stream<index>, !slc.stream<index> {
      slc.for %k = %i to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      // CHECK-NEXT: } {ember.name = "k"}
      } {ember.name = "k"}
    }
  }
  // CHECK: %[[R:.*]]:2 = slc.for %{{.*}} = %c0 to %[[N]] step %c1 iter_args(%[[A:.*]] = %c0, %[[B:.*]] = %{{.*}}) -> (index, f32) {
  %r:2 = slc.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %zero) -> (index, f32) {
    // CHECK: %[[NEXT:.*]] = slc.callback ite -> index {
    %next = slc.callback ite -> index {
      %m = arith.addi %a, %c1 : index
      // CHECK: slc.yield %{{.*}} : index
      slc.yield %m : index
    }
    // CHECK: slc.yield %[[NEXT]], %[[B]] : index, f32
    slc.yield %next, %b : index, f32
  }
  return %r#0, %r#1 : index, f32
}

// CHECK-LABEL: func.func @streams(
// CHECK-SAME: %[[N:[^:]*]]: index, %[[IN:[^:]*]]: memref<?x?xf32>, %[[RAW:[^:]*]]: memref<?xi32>, %[[ONE:[^:]*]]: memref<f32>, %[[X:[^:]*]]: f32)
func.func @streams(%n: index, %in: memref<?x?xf32>, %raw: memref<?xi32>,
                   %one: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // CHECK: slc.mem_str %[[ONE]][] : memref<f32>[] -> !slc.stream<f32>
    %v = slc.mem_str %one[] : memref<f32>[] -> !slc.stream<f32>
    // CHECK: slc.mem_str %[[IN]][%{{.*}}, %c0] : memref<?x?xf32>[!slc.stream<index>, index] -> !slc.stream<f32>
    %w = slc.mem_str %in[%i, %c0] : memref<?x?xf32>[!slc.stream<index>, index] -> !slc.stream<f32>
    // CHECK: %[[R:.*]] = slc.mem_str %[[RAW]]
    %r = slc.mem_str %raw[%i] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
    // CHECK: slc.cast_str %[[R]] : !slc.stream<i32> to !slc.stream<index>
    %s = slc.cast_str %r : !slc.stream<i32> to !slc.stream<index>
    // CHECK: slc.cast_str unsigned %[[R]] : !slc.stream<i32> to !slc.stream<i64>
    %u = slc.cast_str unsigned %r : !slc.stream<i32> to !slc.stream<i64>
    // CHECK: slc.fwd_str %[[X]] : f32 -> !slc.stream<f32>
    %f = slc.fwd_str %x : f32 -> !slc.stream<f32>
    // CHECK: slc.fwd_str %[[X]] : f32 -> !slc.stream<vector<16xf32>>
    %wide = slc.fwd_str %x : f32 -> !slc.stream<vector<16xf32>>
    // CHECK: slc.alu_str add %[[R]], %[[R]] : !slc.stream<i32>, !slc.stream<i32> -> !slc.stream<i32>
    %o0 = slc.alu_str add %r, %r : !slc.stream<i32>, !slc.stream<i32> -> !slc.stream<i32>
    // CHECK: slc.alu_str sub %c1, %{{.*}} : index, !slc.stream<index> -> !slc.stream<index>
    %o1 = slc.alu_str sub %c1, %i : index, !slc.stream<index> -> !slc.stream<index>
    // CHECK: slc.alu_str mul
    %o2 = slc.alu_str mul %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str divs
    %o3 = slc.alu_str divs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str divu
    %o4 = slc.alu_str divu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str rems
    %o5 = slc.alu_str rems %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str remu
    %o6 = slc.alu_str remu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str and
    %o7 = slc.alu_str and %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str or
    %o8 = slc.alu_str or %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str xor
    %o9 = slc.alu_str xor %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str shl
    %o10 = slc.alu_str shl %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str shrs
    %o11 = slc.alu_str shrs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str shru
    %o12 = slc.alu_str shru %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str mins
    %o13 = slc.alu_str mins %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str maxs
    %o14 = slc.alu_str maxs %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str minu
    %o15 = slc.alu_str minu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slc.alu_str maxu
    %o16 = slc.alu_str maxu %i, %c1 : !slc.stream<index>, index -> !slc.stream<index>
  }
  return
}

// CHECK-LABEL: func.func @callbacks(
func.func @callbacks(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %wide = slc.fwd_str %x : f32 -> !slc.stream<vector<16xf32>>
    %buf = slcv.buf_str : !slc.buffer<index>
    // CHECK: slc.callback beg {
    slc.callback beg {
      // CHECK: slc.str_to_val %{{.*}} : !slc.stream<index> -> index
      %v = slc.str_to_val %i : !slc.stream<index> -> index
      // CHECK: slc.str_to_val %[[W:.*]] : !slc.stream<vector<16xf32>> -> vector<16xf32>
      %w = slc.str_to_val %wide : !slc.stream<vector<16xf32>> -> vector<16xf32>
      // CHECK: slc.str_to_val %[[W]][15] : !slc.stream<vector<16xf32>> -> f32
      %l = slc.str_to_val %wide[15] : !slc.stream<vector<16xf32>> -> f32
    }
    slc.for %j = %c0 to %n step %c1 {
      slcv.push %j, %buf : !slc.stream<index>, !slc.buffer<index>
      // CHECK: %{{.*}}:2 = slc.callback ite -> (index, f32) {
      %r:2 = slc.callback ite -> (index, f32) {
        // CHECK: slc.yield %{{.*}}, %{{.*}} : index, f32
        slc.yield %n, %x : index, f32
      }
    }
    // CHECK: slc.callback end {
    slc.callback end {
      // CHECK: slc.str_to_val %{{.*}} : !slc.buffer<index> -> memref<?xindex>
      %row = slc.str_to_val %buf : !slc.buffer<index> -> memref<?xindex>
    // CHECK: } {ember.name = "done"}
    } {ember.name = "done"}
  }
  return
}

// CHECK-LABEL: func.func @stores(
func.func @stores(%n: index, %a: memref<?xf32>, %s: memref<f32>, %v4: memref<?xvector<4xf32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    // CHECK: %[[V:.*]] = slc.mem_str %arg1[%{{.*}}] level l1 nontemporal {ember.name = "v"} : memref<?xf32>
    %v = slc.mem_str %a[%i] level l1 nontemporal {ember.name = "v"} : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    // CHECK: slc.store_str %[[V]], %arg2[] level llc : !slc.stream<f32>, memref<f32>[]
    slc.store_str %v, %s[] level llc : !slc.stream<f32>, memref<f32>[]
    // CHECK: slc.store_str %[[V]], %arg1[%c0] nontemporal : !slc.stream<f32>, memref<?xf32>[index]
    slc.store_str %v, %a[%c0] nontemporal : !slc.stream<f32>, memref<?xf32>[index]
    // CHECK: %[[W:.*]] = slc.mem_str %arg3[%c0] : memref<?xvector<4xf32>>
    %w = slc.mem_str %v4[%c0] : memref<?xvector<4xf32>>[index] -> !slc.stream<vector<4xf32>>
    // CHECK: slc.store_str %[[W]], %arg3[%{{.*}}] : !slc.stream<vector<4xf32>>, memref<?xvector<4xf32>>[!slc.stream<index>]
    slc.store_str %w, %v4[%i] : !slc.stream<vector<4xf32>>, memref<?xvector<4xf32>>[!slc.stream<index>]
  }
  return
}

// CHECK-LABEL: func.func @predicates(
// CHECK-SAME: %[[N:.*]]: index, %[[IF:.*]]: i1)
func.func @predicates(%n: index, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: slc.for %[[I:.*]] =
  slc.for %i = %c0 to %n step %c1 {
    // CHECK: %[[OK:.*]] = slc.cmp_str sge %[[I]], %[[N]] : !slc.stream<index>, index -> !slc.stream<i1>
    %ok = slc.cmp_str sge %i, %n : !slc.stream<index>, index -> !slc.stream<i1>
    // CHECK: %[[END:.*]] = slc.sel_str %[[OK]], %[[N]], %[[I]] : !slc.stream<i1>, index, !slc.stream<index> -> !slc.stream<index>
    %end = slc.sel_str %ok, %n, %i : !slc.stream<i1>, index, !slc.stream<index> -> !slc.stream<index>
    // CHECK: slc.sel_str %[[IF]], %[[I]], %[[N]] : i1, !slc.stream<index>, index -> !slc.stream<index>
    %fixed = slc.sel_str %if, %i, %n : i1, !slc.stream<index>, index -> !slc.stream<index>
    // CHECK: slcv.vec_for (%[[E:.*]], %[[M:.*]]) = %[[I]] to %[[END]]
    slcv.vec_for (%e, %m) = %i to %end step %c1 vector<4> : !slc.stream<index>, !slc.stream<index> {
      // CHECK: %[[IN:.*]] = slc.cmp_str ult %[[E]], %[[N]] : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xi1>>
      %in = slc.cmp_str ult %e, %n : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xi1>>
      // CHECK: slc.sel_str %[[IN]], %[[E]], %[[I]] : !slc.stream<vector<4xi1>>, !slc.stream<vector<4xindex>>, !slc.stream<index> -> !slc.stream<vector<4xindex>>
      %at = slc.sel_str %in, %e, %i : !slc.stream<vector<4xi1>>, !slc.stream<vector<4xindex>>, !slc.stream<index> -> !slc.stream<vector<4xindex>>
    }
  }
  return
}

// CHECK-LABEL: func.func @segments(
// CHECK-SAME: %[[ROWS:.*]]: memref<?xi64>, %[[N:.*]]: index)
func.func @segments(%rows: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: slc.segment_end %[[ROWS]][%c0] to %[[N]] : memref<?xi64>
  %first = slc.segment_end %rows[%c0] to %n : memref<?xi64>
  // CHECK: %[[COUNT:.*]] = slc.segment_count %[[ROWS]] from %c0 to %[[N]] : memref<?xi64>, index, index -> index
  %count = slc.segment_count %rows from %c0 to %n : memref<?xi64>, index, index -> index
  // CHECK: slc.for %{{.*}} = %c0 to %[[COUNT]] step %c1 {
  slc.for %s = %c0 to %count step %c1 {
    // CHECK: %[[B:.*]], %[[E:.*]] = slc.segment_str %[[ROWS]] from %c0 to %[[N]] : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
    %b, %e = slc.segment_str %rows from %c0 to %n : memref<?xi64>, index, index -> !slc.stream<index>, !slc.stream<index>
    // CHECK: %[[INNER:.*]] = slc.segment_count %[[ROWS]] from %[[B]] to %[[E]] : memref<?xi64>, !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %inner = slc.segment_count %rows from %b to %e : memref<?xi64>, !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    // CHECK: slc.for %{{.*}} = %c0 to %[[INNER]] step %c1 : index, !slc.stream<index> {
    slc.for %t = %c0 to %inner step %c1 : index, !slc.stream<index> {
    }
  }
  return
}
