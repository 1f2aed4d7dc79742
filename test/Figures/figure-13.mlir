// The embedding bag of the paper (figure 13a) and its lookup-compute form (13b).

// RUN: ember-opt %s --scf-to-slc | FileCheck %s

// CHECK-LABEL: func.func @sls(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// CHECK: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// CHECK-NEXT: %[[V7:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V4]] : memref<?x4xf32>
// CHECK-NEXT: slc.for %[[V8:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V7]] step %[[V5]] {
// CHECK-NEXT: %[[V9:[a-zA-Z0-9_]+]] = slc.alu_str add %[[V8]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V8]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = slc.mem_str %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: slc.for %[[V12:[a-zA-Z0-9_]+]] = %[[V10]] to %[[V11]] step %[[V5]] : !slc.stream<index>, !slc.stream<index> {
// CHECK-NEXT: %[[V13:[a-zA-Z0-9_]+]] = slc.mem_str %[[V0]][%[[V12]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// CHECK-NEXT: slc.for %[[V14:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V6]] step %[[V5]] {
// CHECK-NEXT: %[[V15:[a-zA-Z0-9_]+]] = slc.mem_str %[[V2]][%[[V13]], %[[V14]]] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
// CHECK-NEXT: slc.callback ite {
// CHECK-NEXT: %[[V16:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V8]] : !slc.stream<index> -> index
// CHECK-NEXT: %[[V17:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V14]] : !slc.stream<index> -> index
// CHECK-NEXT: %[[V18:[a-zA-Z0-9_]+]] = slc.str_to_val %[[V15]] : !slc.stream<f32> -> f32
// CHECK-NEXT: %[[V19:[a-zA-Z0-9_]+]] = memref.load %[[V3]][%[[V16]], %[[V17]]] : memref<?x4xf32>
// CHECK-NEXT: %[[V20:[a-zA-Z0-9_]+]] = arith.addf %[[V19]], %[[V18]] : f32
// CHECK-NEXT: memref.store %[[V20]], %[[V3]][%[[V16]], %[[V17]]] : memref<?x4xf32>
// CHECK: return
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
