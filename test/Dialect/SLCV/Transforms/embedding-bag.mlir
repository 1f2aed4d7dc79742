// The embedding bag through all optimisations: figures 15 (a) to (d) of the
// Ember paper. Figure (a) is the input.
// RUN: ember-opt %s --slc-vectorize=vector-length=16 --simplify-casts --vectorize-callbacks --simplify-mem-ops --canonicalize --cse | FileCheck %s --check-prefix=FIGB
// RUN: ember-opt %s --slc-vectorize=vector-length=16 --simplify-casts --vectorize-callbacks --bufferize-compound-types --simplify-mem-ops --canonicalize --cse | FileCheck %s --check-prefix=FIGC
// RUN: ember-opt %s --slc-vectorize=vector-length=16 --simplify-casts --vectorize-callbacks --bufferize-compound-types --align-queues --simplify-mem-ops --canonicalize --cse | FileCheck %s --check-prefix=FIGD

// FIGB-LABEL: func.func @embedding_bag(
// FIGB-SAME:    %[[TABLE:[a-z0-9]*]]: memref<?x?xf32>, %[[OUT:[a-z0-9]*]]: memref<?x?xf32>, %{{[a-z0-9]*}}: index, %[[LENGTH:[a-z0-9]*]]: index)
// FIGB:         slc.for %[[B:.*]] = %c0 to
// FIGB:           slc.for %[[P:.*]] =
// FIGB:             slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) = %c0 to %[[LENGTH]] step %c1 vector<16> {
// FIGB-NEXT:          %[[V:.*]] = slcv.vec_mem_str %[[TABLE]][%{{.*}}, %[[E]]] mask %[[MASK]] contiguous :
// FIGB-NEXT:          slc.callback ite {
// FIGB-NEXT:            %[[BAG:.*]] = slc.str_to_val %[[B]] : !slc.stream<index> -> index
// FIGB-NEXT:            %[[E0:.*]] = slc.str_to_val %[[E]][0] : !slc.stream<vector<16xindex>> -> index
// FIGB-NEXT:            %[[VAL:.*]] = slc.str_to_val %[[V]] : !slc.stream<vector<16xf32>> -> vector<16xf32>
// FIGB-NEXT:            %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[E0]]
// FIGB-NEXT:            %[[M:.*]] = vector.create_mask %[[LEFT]]
// FIGB-NEXT:            %[[ACC:.*]] = vector.maskedload %[[OUT]][%[[BAG]], %[[E0]]], %[[M]]
// FIGB-NEXT:            %[[SUM:.*]] = arith.addf %[[ACC]], %[[VAL]]
// FIGB-NEXT:            vector.maskedstore %[[OUT]][%[[BAG]], %[[E0]]], %[[M]], %[[SUM]]
// FIGB-NEXT:          }
// FIGB-NEXT:        }

// FIGC-LABEL: func.func @embedding_bag(
// FIGC:         slc.for %[[B:.*]] = %c0 to
// FIGC:           slc.for %[[P:.*]] =
// FIGC:             %[[BUF:.*]] = slcv.buf_str : !slc.buffer<vector<16xf32>>
// FIGC:             slcv.vec_for
// FIGC-NEXT:          %[[V:.*]] = slcv.vec_mem_str {{.*}} contiguous
// FIGC-NEXT:          slcv.push %[[V]], %[[BUF]]
// FIGC-NEXT:        }
// FIGC-NEXT:        slc.callback end {
// FIGC-NEXT:          %[[BAG:.*]] = slc.str_to_val %[[B]] : !slc.stream<index> -> index
// FIGC-NEXT:          %[[ROW:.*]] = slc.str_to_val %[[BUF]]
// FIGC-NEXT:          scf.for %[[K:.*]] =
// FIGC:                 %[[VAL:.*]] = memref.load %[[ROW]][%[[K]]]
// FIGC:                 %[[ACC:.*]] = vector.maskedload %{{.*}}[%[[BAG]], %[[E:.*]]],
// FIGC-NEXT:            %[[SUM:.*]] = arith.addf %[[ACC]], %[[VAL]]
// FIGC-NEXT:            vector.maskedstore %{{.*}}[%[[BAG]], %[[E]]], %{{.*}}, %[[SUM]]

// FIGD-LABEL: func.func @embedding_bag(
// FIGD:         slc.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[I:.*]] = %c0) -> (index) {
// FIGD:           slc.for
// FIGD:             slc.callback end {
// FIGD-NEXT:          slc.str_to_val %{{.*}} : !slc.buffer
// FIGD-NEXT:          scf.for
// FIGD:                 vector.maskedload %{{.*}}[%[[I]], %[[E:.*]]],
// FIGD:                 vector.maskedstore %{{.*}}[%[[I]], %[[E]]],
// FIGD:           %[[NEXT:.*]] = slc.callback end -> index {
// FIGD-NEXT:        %[[SUM:.*]] = arith.addi %[[I]], %c1
// FIGD-NEXT:        slc.yield %[[SUM]]
// FIGD:           slc.yield %[[NEXT]]
func.func @embedding_bag(%offsets: memref<?xindex>, %indices: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %bags: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %bags step %c1 {
    %b1  = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      %i = slc.mem_str %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      slc.for %e = %c0 to %length step %c1 {
        %v = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        slc.callback ite {
          %bag = slc.str_to_val %b : !slc.stream<index> -> index
          %pos = slc.str_to_val %e : !slc.stream<index> -> index
          %val = slc.str_to_val %v : !slc.stream<f32> -> f32
          %acc = memref.load %out[%bag, %pos] : memref<?x?xf32>
          %sum = arith.addf %acc, %val : f32
          memref.store %sum, %out[%bag, %pos] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
