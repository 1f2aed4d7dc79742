// RUN: ember-opt %s --convert-embed-to-scf --verify-diagnostics

func.func @tensors(%t: tensor<?x8xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                   %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @below {{is still on tensors; the pipeline 'embed-to-scf' bufferises it first}}
  %0 = embed.bag sum tables(%t : tensor<?x8xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi64>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
