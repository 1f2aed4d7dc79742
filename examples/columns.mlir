// Two columns of a batch beside each other: a price in four buckets, and tags, of which -1 stands
// for none. Samples without tags have those of row 0.
func.func @columns(%price: tensor<?xf32> {ember.name = "price"},
                   %tags: tensor<?x2xi64> {ember.name = "tags"},
                   %prices: tensor<4x2xf32> {ember.name = "prices"},
                   %words: tensor<?x3xf32> {ember.name = "words"}) -> tensor<?x5xf32> {
  %boundaries = arith.constant dense<[0.0, 10.0, 100.0]> : tensor<3xf32>
  %values = col.from_dense %price : tensor<?xf32> -> !col.jagged<f32>
  %buckets = col.bucketize %values by %boundaries
      : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %a = col.lookup sum %buckets in %prices
      : !col.jagged<i64>, tensor<4x2xf32> -> tensor<?x2xf32>
  %listed = col.from_dense %tags : tensor<?x2xi64> -> !col.jagged<i64>
  %known = col.keep_if ne(%listed, -1 : i64) : !col.jagged<i64>
  %ids = col.fill_empty %known by 0 : i64 : !col.jagged<i64>
  %b = col.lookup mean %ids in %words : !col.jagged<i64>, tensor<?x3xf32> -> tensor<?x3xf32>
  %all = tensor.concat dim(1) %a, %b
      : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  return %all : tensor<?x5xf32>
}
