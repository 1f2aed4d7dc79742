// What has no statement.

// RUN: ember-opt %s --convert-col-to-cin --split-input-file --verify-diagnostics

func.func @node(%x: tensor<?xf32>) -> tensor<?xi32> {
  // expected-error @below {{'col.node' op 'price/bucketize' is computed by TensorFlow alone (Bucketize)}}
  %0 = col.node "Bucketize" "price/bucketize"(%x) pure : (tensor<?xf32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @argument(%ids: !col.jagged<i64>, %table: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %kept = col.keep_if ne(%ids, -1 : i64) : !col.jagged<i64>
  // expected-error @below {{'col.lookup' op has ids that are not made of a tensor in this function}}
  %rows = col.lookup sum %kept in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// -----

func.func @result(%x: tensor<?xi64>) -> !col.jagged<i64> {
  // expected-error @below {{'col.from_dense' op makes a batch that something else than a lookup reads}}
  %ids = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  return %ids : !col.jagged<i64>
}
