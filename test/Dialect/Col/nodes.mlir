// Nodes of TensorFlow: their assembly, and what may be dropped or moved.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s
// RUN: ember-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CLEAN

// CHECK-LABEL: func.func @nodes(
// CLEAN-LABEL: func.func @nodes(
func.func @nodes(%x: tensor<?x!col.text>, %handle: tensor<!col.foreign<resource>>) -> tensor<?xi64> {
  // CHECK: %[[HASH:.*]] = col.node "StringToHashBucketFast" "hash"(%{{.*}}) pure on "/device:CPU:0" {num_buckets = 7 : i64} : (tensor<?x!col.text>) -> tensor<?xi64>
  // CLEAN-NOT: "unread"
  // CLEAN: %[[HASH:.*]] = col.node "StringToHashBucketFast"
  %hash = col.node "StringToHashBucketFast" "hash"(%x) pure on "/device:CPU:0" {num_buckets = 7 : i64} : (tensor<?x!col.text>) -> tensor<?xi64>
  // CHECK: col.node "ReadVariableOp" "unread"(%{{.*}}) reads : (tensor<!col.foreign<resource>>) -> tensor<*xf32>
  %unread = col.node "ReadVariableOp" "unread"(%handle) reads : (tensor<!col.foreign<resource>>) -> tensor<*xf32>
  // CHECK: col.node "Somebodys" "other"(%[[HASH]]) outputs ["1"] : (tensor<?xi64>) -> tensor<*x!col.foreign<"two words">>
  // CLEAN: col.node "Somebodys" "other"(%[[HASH]]) outputs ["1"]
  %other = col.node "Somebodys" "other"(%hash) outputs ["1"] : (tensor<?xi64>) -> tensor<*x!col.foreign<"two words">>
  // CLEAN-NEXT: return
  return %hash : tensor<?xi64>
}
