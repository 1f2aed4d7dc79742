// Masks of callbacks and loads at slc, slcv and dlc: their assembly, and what
// they do, recoupled and through the queues.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s
// RUN: ember-opt %s --slc-to-dlc > %t.dlc.mlir
// RUN: FileCheck %s --input-file=%t.dlc.mlir --check-prefix=DLC
// RUN: ember-opt %t.dlc.mlir --mlir-print-op-generic | ember-opt | FileCheck %s --check-prefix=DLC
// RUN: %npy make %t.flags.npy i1 "[1, 0, 0, 1, 1, 0, 1]"
// RUN: %npy make %t.idx.npy i64 "[3, -7, 99, 0, 2, 1000000000000, 1]"
// RUN: %npy make %t.tab.npy f32 "np.arange(4) * 10 + 10"
// RUN: %npy make %t.o.npy f32 "np.zeros(7)"
// DEFINE: %{args} = @%t.flags.npy @%t.idx.npy @%t.tab.npy @%t.o.npy
// RUN: ember-run %s --entry=loads %{args} --print=3 | FileCheck %s --check-prefix=LOADS
// RUN: ember-run %t.dlc.mlir --entry=loads %{args} --print=3 | FileCheck %s --check-prefix=LOADS
// RUN: ember-run %s --entry=lanes %{args} --print=3 | FileCheck %s --check-prefix=LOADS
// RUN: ember-run %t.dlc.mlir --entry=lanes %{args} --print=3 | FileCheck %s --check-prefix=LOADS
// LOADS: [40, -1, -1, 10, 30, -1, 20]
// RUN: ember-run %s --entry=sums %{args} | FileCheck %s --check-prefix=SUMS
// RUN: ember-run %t.dlc.mlir --entry=sums %{args} | FileCheck %s --check-prefix=SUMS
// SUMS: 4
// SUMS: 100
// SUMS: 6
// RUN: ember-run %t.dlc.mlir --entry=sums %{args} --stats=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=TOKENS
// The flags that are set and the end; all flags and the end.
// TOKENS: "tokens": 13

// CHECK-LABEL: func.func @loads(
// CHECK: slc.mem_str %{{.*}}[%{{.*}}] mask %[[OK:.*]] else %{{.*}} : memref<?xf32>[!slc.stream<index>], f32 -> !slc.stream<f32>
// DLC-LABEL: func.func @loads(
// DLC: %[[OK:.*]] = dlc.mem_str %{{.*}}, %arg0
// DLC: dlc.mem_str %{{.*}}, %arg2[%{{.*}}] mask %[[OK]] else %{{.*}} : memref<?xf32>[!slc.stream<index>], f32 -> !slc.stream<f32>
func.func @loads(%flags: memref<?xi1>, %idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %other = arith.constant -1.0 : f32
  %n = memref.dim %flags, %c0 : memref<?xi1>
  slc.for %p = %c0 to %n step %c1 {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %v = slc.mem_str %tab[%i] mask %ok else %other : memref<?xf32>[!slc.stream<index>], f32 -> !slc.stream<f32>
    slc.callback ite {
      %at = slc.str_to_val %p : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%at] : memref<?xf32>
    }
  }
  return
}

// A callback with a mask of lanes runs where one of them is on.

// CHECK-LABEL: func.func @lanes(
// CHECK: slcv.vec_mem_str %{{.*}}[%{{.*}}] mask %[[OK:.*]] else %{{.*}} : memref<?xf32>[!slc.stream<vector<4xindex>>], f32 -> !slc.stream<vector<4xf32>>
// CHECK: slc.callback ite mask %{{.*}} : !slc.stream<vector<4xi1>> {
// DLC-LABEL: func.func @lanes(
// DLC: dlc.register_callback %{{.*}}, ite, 0 mask %{{.*}} : !slc.stream<vector<4xi1>>
func.func @lanes(%flags: memref<?xi1>, %idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %other = arith.constant -1.0 : f32
  %rows = memref.dim %tab, %c0 : memref<?xf32>
  %n = memref.dim %idx, %c0 : memref<?xindex>
  slcv.vec_for (%p, %on) = %c0 to %n step %c1 vector<4> {
    %i = slcv.vec_mem_str %idx[%p] mask %on : memref<?xindex>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xindex>>
    %is_row = slc.cmp_str ult %i, %rows : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xi1>>
    %ok = slcv.vec_alu_str and %on, %is_row : !slc.stream<vector<4xi1>>, !slc.stream<vector<4xi1>> -> !slc.stream<vector<4xi1>>
    %v = slcv.vec_mem_str %tab[%i] mask %ok else %other : memref<?xf32>[!slc.stream<vector<4xindex>>], f32 -> !slc.stream<vector<4xf32>>
    slc.callback ite mask %on : !slc.stream<vector<4xi1>> {
      %at = slc.str_to_val %p[0] : !slc.stream<vector<4xindex>> -> index
      %mask = slc.str_to_val %on : !slc.stream<vector<4xi1>> -> vector<4xi1>
      %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      vector.maskedstore %out[%at], %mask, %x : memref<?xf32>, vector<4xi1>, vector<4xf32>
    }
  }
  return
}

// Results of a callback that is left out; the last one needs a register of its
// own, which nothing would write: its callback branches instead.

// CHECK-LABEL: func.func @sums(
// CHECK: slc.callback ite mask %[[OK:.*]] : !slc.stream<i1> else(%{{.*}}, %{{.*}}) -> (index, f32) {
// DLC-LABEL: func.func @sums(
// DLC: dlc.register_callback %{{.*}}, ite, 0 mask %{{.*}} : !slc.stream<i1>
// DLC-NOT: scf.if
// DLC: return
func.func @sums(%flags: memref<?xi1>, %idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) -> (index, f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %flags, %c0 : memref<?xi1>
  %r:2 = slc.for %p = %c0 to %n step %c1 iter_args(%count = %c0, %sum = %zero) -> (index, f32) {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %v = slc.mem_str %tab[%i] mask %ok : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %next:2 = slc.callback ite mask %ok : !slc.stream<i1> else(%count, %sum) -> (index, f32) {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %more = arith.addi %count, %c1 : index
      %grown = arith.addf %sum, %x : f32
      slc.yield %more, %grown : index, f32
    }
    slc.yield %next#0, %next#1 : index, f32
  }
  %last = call @last(%flags) : (memref<?xi1>) -> index
  return %r#0, %r#1, %last : index, f32, index
}

// DLC-LABEL: func.func private @last(
// DLC-NOT: mask
// DLC: case 0 {
// DLC: arith.select
func.func private @last(%flags: memref<?xi1>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  %r:2 = slc.for %p = %c0 to %n step %c1 iter_args(%last = %c0, %before = %c0) -> (index, index) {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %next = slc.callback ite mask %ok : !slc.stream<i1> else(%before) -> index {
      %at = slc.str_to_val %p : !slc.stream<index> -> index
      slc.yield %at : index
    }
    slc.yield %next, %next : index, index
  }
  return %r#0 : index
}
