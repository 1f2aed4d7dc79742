// The sum of the rows of a table that each bag names: PyTorch's EmbeddingBag
// with mode "sum", written by hand as loops over memrefs.
//
// Bag b looks up the rows indices[offsets[b]] ... indices[offsets[b + 1] - 1].
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @embedding_bag(%weight: memref<?x?xf32> {ember.name = "weight"},
                         %indices: memref<?xi64> {ember.name = "indices"},
                         %offsets: memref<?xi64> {ember.name = "offsets"},
                         %out: memref<?x?xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = memref.dim %out, %c0 : memref<?x?xf32>
  %length = memref.dim %out, %c1 : memref<?x?xf32>
  scf.for %b = %c0 to %bags step %c1 {
    %next = arith.addi %b, %c1 : index
    %first = memref.load %offsets[%b] : memref<?xi64>
    %last = memref.load %offsets[%next] : memref<?xi64>
    %begin = arith.index_cast %first : i64 to index
    %end = arith.index_cast %last : i64 to index
    scf.for %p = %begin to %end step %c1 {
      %index = memref.load %indices[%p] : memref<?xi64>
      %row = arith.index_cast %index : i64 to index
      scf.for %e = %c0 to %length step %c1 {
        %value = memref.load %weight[%row, %e] : memref<?x?xf32>
        %old = memref.load %out[%b, %e] : memref<?x?xf32>
        %new = arith.addf %old, %value : f32
        memref.store %new, %out[%b, %e] : memref<?x?xf32>
      }
    }
  }
  return
}
