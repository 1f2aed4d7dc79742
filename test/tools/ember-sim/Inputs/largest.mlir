func.func @largest(%x: memref<?x16xf32>, %c: memref<?xi32>, %p: memref<?xi32>, %o: memref<?x16xf32>) {
  embed.spmm max csr(%p, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x16xf32>) outs(%o : memref<?x16xf32>)
  return
}
