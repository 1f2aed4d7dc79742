// A bag of rows, as an operation of the embed dialect.
func.func @bag(%table: tensor<?x4xf32>, %indices: tensor<?xi64>,
               %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = embed.bag sum tables(%table : tensor<?x4xf32>)
      indices(%indices : tensor<?xi64>) offsets(%offsets : tensor<?xi64>)
      outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
