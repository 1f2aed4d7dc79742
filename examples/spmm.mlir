// A sparse matrix in CSR times a dense one, on tensors. Upstream MLIR's
// sparsifier turns it into the loops over memrefs that Ember starts from:
//
//   mlir-opt-22 --sparsification-and-bufferization spmm.mlir
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#CSR = #sparse_tensor.encoding<{
  map = (row, column) -> (row : dense, column : compressed)
}>

#matmul = {
  indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                   affine_map<(i, j, k) -> (k, j)>,
                   affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}

func.func @spmm(%a: tensor<?x?xf32, #CSR>, %b: tensor<?x?xf32>,
                %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sum = linalg.generic #matmul
      ins(%a, %b : tensor<?x?xf32, #CSR>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %z, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
