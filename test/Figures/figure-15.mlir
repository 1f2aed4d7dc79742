// The progressive optimisation of the embedding bag (paper, figure 15): unoptimised,
// vectorised, bufferised and queue-aligned lookup-compute code.

// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=0 vector-length=2" | FileCheck %s --check-prefix=A
// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=1 vector-length=2" | FileCheck %s --check-prefix=B
// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=2 vector-length=2" | FileCheck %s --check-prefix=C
// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=3 vector-length=2" | FileCheck %s --check-prefix=D

// Figure 15(a).
// A-LABEL: func.func @sls(
// A-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// A: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// A-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// A-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// A-NEXT: %[[V7:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V4]] : memref<?x4xf32>
// A-NEXT: slc.for %[[V8:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V7]] step %[[V5]] {
// A-NEXT: %[[V9:[a-zA-Z0-9_]+]] = slc.alu_str add %[[V8]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// A-NEXT: %[[V10:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V8]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// A-NEXT: %[[V11:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// A-NEXT: slc.for %[[V12:[a-zA-Z0-9_]+]] = %[[V10]] to %[[V11]] step %[[V5]] : !slc.stream<index>, !slc.stream<index> {
// A-NEXT: %[[V13:[a-zA-Z0-9_]+]] = slc.mem_str %[[V0]][%[[V12]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// A-NEXT: slc.for %[[V14:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V6]] step %[[V5]] {
// A-NEXT: %[[V15:[a-zA-Z0-9_]+]] = slc.mem_str %[[V2]][%[[V13]], %[[V14]]] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
// A-NEXT: slc.callback ite {
// A-NEXT: %[[V16:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V8]] : !slc.stream<index> -> index
// A-NEXT: %[[V17:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V14]] : !slc.stream<index> -> index
// A-NEXT: %[[V18:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V15]] : !slc.stream<f32> -> f32
// A-NEXT: %[[V19:[a-zA-Z0-9_]+]] = memref.load %[[V3]][%[[V16]], %[[V17]]] : memref<?x4xf32>
// A-NEXT: %[[V20:[a-zA-Z0-9_]+]] = arith.addf %[[V19]], %[[V18]] : f32
// A-NEXT: memref.store %[[V20]], %[[V3]][%[[V16]], %[[V17]]] : memref<?x4xf32>
// A: return

// Figure 15(b).
// B-LABEL: func.func @sls(
// B-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// B: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// B-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// B-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// B-NEXT: %[[V7:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V4]] : memref<?x4xf32>
// B-NEXT: slc.for %[[V8:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V7]] step %[[V5]] {
// B-NEXT: %[[V9:[a-zA-Z0-9_]+]] = slc.alu_str add %[[V8]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// B-NEXT: %[[V10:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V8]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// B-NEXT: %[[V11:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// B-NEXT: slc.for %[[V12:[a-zA-Z0-9_]+]] = %[[V10]] to %[[V11]] step %[[V5]] : !slc.stream<index>, !slc.stream<index> {
// B-NEXT: %[[V13:[a-zA-Z0-9_]+]] = slc.mem_str %[[V0]][%[[V12]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// B-NEXT: slcv.vec_for (%[[V14:[a-zA-Z0-9_]+]], %[[V15:[a-zA-Z0-9_]+]]) = %[[V4]] to %[[V6]] step %[[V5]] vector<2> {
// B-NEXT: %[[V16:[a-zA-Z0-9_]+]] = slcv.vec_mem_str %[[V2]][%[[V13]], %[[V14]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// B-NEXT: slc.callback ite {
// B-NEXT: %[[V17:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V8]] : !slc.stream<index> -> index
// B-NEXT: %[[V18:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V14]][0] : !slc.stream<vector<2xindex>> -> index
// B-NEXT: %[[V19:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V16]] : !slc.stream<vector<2xf32>> -> vector<2xf32>
// B-NEXT: %[[V20:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V17]], %[[V18]]] : memref<?x4xf32>, vector<2xf32>
// B-NEXT: %[[V21:[a-zA-Z0-9_]+]] = arith.addf %[[V20]], %[[V19]] : vector<2xf32>
// B-NEXT: vector.store %[[V21]], %[[V3]][%[[V17]], %[[V18]]] : memref<?x4xf32>, vector<2xf32>
// B: return

// Figure 15(c).
// C-LABEL: func.func @sls(
// C-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// C: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 2 : index
// C-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// C-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// C-NEXT: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// C-NEXT: %[[V8:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V5]] : memref<?x4xf32>
// C-NEXT: slc.for %[[V9:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V8]] step %[[V6]] {
// C-NEXT: %[[V10:[a-zA-Z0-9_]+]] = slc.alu_str add %[[V9]], %[[V6]] : !slc.stream<index>, index -> !slc.stream<index>
// C-NEXT: %[[V11:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// C-NEXT: %[[V12:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// C-NEXT: slc.for %[[V13:[a-zA-Z0-9_]+]] = %[[V11]] to %[[V12]] step %[[V6]] : !slc.stream<index>, !slc.stream<index> {
// C-NEXT: %[[V14:[a-zA-Z0-9_]+]] = slc.mem_str %[[V0]][%[[V13]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// C-NEXT: %[[V15:[a-zA-Z0-9_]+]] = slcv.buf_str : !slc.buffer<vector<2xf32>>
// C-NEXT: slcv.vec_for (%[[V16:[a-zA-Z0-9_]+]], %[[V17:[a-zA-Z0-9_]+]]) = %[[V5]] to %[[V7]] step %[[V6]] vector<2> {
// C-NEXT: %[[V18:[a-zA-Z0-9_]+]] = slcv.vec_mem_str %[[V2]][%[[V14]], %[[V16]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// C-NEXT: slcv.push %[[V18]], %[[V15]] : !slc.stream<vector<2xf32>>, !slc.buffer<vector<2xf32>>
// C: slc.callback end {
// C-NEXT: %[[V19:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V9]] : !slc.stream<index> -> index
// C-NEXT: %[[V20:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V15]] : !slc.buffer<vector<2xf32>> -> memref<?xvector<2xf32>>
// C-NEXT: scf.for %[[V21:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V4]] step %[[V6]] {
// C-NEXT: %[[V22:[a-zA-Z0-9_]+]] = arith.muli %[[V21]], %[[V4]] : index
// C-NEXT: %[[V23:[a-zA-Z0-9_]+]] = memref.load %[[V20]][%[[V21]]] : memref<?xvector<2xf32>>
// C-NEXT: %[[V24:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V19]], %[[V22]]] : memref<?x4xf32>, vector<2xf32>
// C-NEXT: %[[V25:[a-zA-Z0-9_]+]] = arith.addf %[[V24]], %[[V23]] : vector<2xf32>
// C-NEXT: vector.store %[[V25]], %[[V3]][%[[V19]], %[[V22]]] : memref<?x4xf32>, vector<2xf32>
// C: return

// Figure 15(d).
// D-LABEL: func.func @sls(
// D-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// D: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 2 : index
// D-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// D-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// D-NEXT: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// D-NEXT: %[[V8:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V5]] : memref<?x4xf32>
// D-NEXT: %[[V9:[a-zA-Z0-9_]+]] = slc.for %[[V10:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V8]] step %[[V6]] iter_args(%[[V11:[a-zA-Z0-9_]+]] = %[[V5]]) -> (index) {
// D-NEXT: %[[V12:[a-zA-Z0-9_]+]] = slc.alu_str add %[[V10]], %[[V6]] : !slc.stream<index>, index -> !slc.stream<index>
// D-NEXT: %[[V13:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// D-NEXT: %[[V14:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V12]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// D-NEXT: slc.for %[[V15:[a-zA-Z0-9_]+]] = %[[V13]] to %[[V14]] step %[[V6]] : !slc.stream<index>, !slc.stream<index> {
// D-NEXT: %[[V16:[a-zA-Z0-9_]+]] = slc.mem_str %[[V0]][%[[V15]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// D-NEXT: %[[V17:[a-zA-Z0-9_]+]] = slcv.buf_str : !slc.buffer<vector<2xf32>>
// D-NEXT: slcv.vec_for (%[[V18:[a-zA-Z0-9_]+]], %[[V19:[a-zA-Z0-9_]+]]) = %[[V5]] to %[[V7]] step %[[V6]] vector<2> {
// D-NEXT: %[[V20:[a-zA-Z0-9_]+]] = slcv.vec_mem_str %[[V2]][%[[V16]], %[[V18]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// D-NEXT: slcv.push %[[V20]], %[[V17]] : !slc.stream<vector<2xf32>>, !slc.buffer<vector<2xf32>>
// D: slc.callback end {
// D-NEXT: %[[V21:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V17]] : !slc.buffer<vector<2xf32>> -> memref<?xvector<2xf32>>
// D-NEXT: scf.for %[[V22:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V4]] step %[[V6]] {
// D-NEXT: %[[V23:[a-zA-Z0-9_]+]] = arith.muli %[[V22]], %[[V4]] : index
// D-NEXT: %[[V24:[a-zA-Z0-9_]+]] = memref.load %[[V21]][%[[V22]]] : memref<?xvector<2xf32>>
// D-NEXT: %[[V25:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V11]], %[[V23]]] : memref<?x4xf32>, vector<2xf32>
// D-NEXT: %[[V26:[a-zA-Z0-9_]+]] = arith.addf %[[V25]], %[[V24]] : vector<2xf32>
// D-NEXT: vector.store %[[V26]], %[[V3]][%[[V11]], %[[V23]]] : memref<?x4xf32>, vector<2xf32>
// D: %[[V27:[a-zA-Z0-9_]+]] = slc.callback end -> index {
// D-NEXT: %[[V28:[a-zA-Z0-9_]+]] = arith.addi %[[V11]], %[[V6]] : index
// D-NEXT: slc.yield %[[V28]] : index
// D: slc.yield %[[V27]] : index
// D: return

func.func @sls(%idxs: memref<?xindex>, %ptrs: memref<?xindex>, %vals: memref<?x4xf32>, %out: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %emb_len = arith.constant 4 : index
  %num_batches = memref.dim %out, %c0 : memref<?x4xf32>
  scf.for %b = %c0 to %num_batches step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %ptrs[%b] : memref<?xindex>
    %end = memref.load %ptrs[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %idxs[%p] : memref<?xindex>
      scf.for %e = %c0 to %emb_len step %c1 {
        %val = memref.load %vals[%i, %e] : memref<?x4xf32>
        %acc = memref.load %out[%b, %e] : memref<?x4xf32>
        %sum = arith.addf %acc, %val : f32
        memref.store %sum, %out[%b, %e] : memref<?x4xf32>
      }
    }
  }
  return
}
