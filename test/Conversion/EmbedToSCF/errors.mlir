// RUN: ember-opt %s --convert-embed-to-scf --verify-diagnostics --split-input-file

func.func @tensors(%t: tensor<?x8xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                   %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @below {{is still on tensors; the pipeline 'embed-to-scf' bufferises it first}}
  %0 = embed.bag sum tables(%t : tensor<?x8xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi64>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @named(%e: memref<?x8xf32>, %i: memref<?xi64>, %o: memref<?xf32>) {
  // expected-error @below {{is the name of statements, which '--embed-to-cin' writes out first}}
  embed.score distmult entities(%e : memref<?x8xf32>) relations(%e : memref<?x8xf32>)
      heads(%i : memref<?xi64>) types(%i : memref<?xi64>) tails(%i : memref<?xi64>) outs(%o : memref<?xf32>)
  return
}
