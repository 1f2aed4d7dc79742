// Texts become ids in memory in front of columns, and rows an order.

// RUN: ember-opt %s --col-expand-sources --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %[[BYTES:.*]]: tensor<?xi8> {ember.name = "tag.bytes"}, %[[PLACES:.*]]: tensor<?x3x2xi64> {ember.name = "tag.places"}, %[[WEIGHTS:.*]]: tensor<?x3xf32>, %[[TABLE:.*]]: tensor
// CHECK-NEXT:    %[[RECIPE:.*]] = arith.constant dense<[1, 100, 0, 0, 0, 0, 0, 0]> : tensor<8xi64>
// CHECK-NEXT:    %[[IDS:.*]] = col.text_ids %[[BYTES]] at %[[PLACES]] by %[[RECIPE]]
// CHECK-NEXT:    %[[ALL:.*]] = col.from_dense %[[IDS]] : tensor<?x3xi64> -> !col.jagged<i64>
// CHECK-NEXT:    %[[WEIGHED:.*]] = col.weigh %[[ALL]] by %[[WEIGHTS]]
// CHECK-NEXT:    %[[KEPT:.*]] = col.keep_if ge(%[[WEIGHED]], 0 : i64)
// CHECK-NEXT:    col.lookup mean %[[KEPT]] in %[[TABLE]]
func.func @kept(%tag: tensor<?x3x!col.text> {ember.name = "tag"}, %w: tensor<?x3xf32>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  %0 = col.from_dense %tag : tensor<?x3x!col.text> -> !col.jagged<!col.text>
  %1 = col.weigh %0 by %w : !col.jagged<!col.text>, tensor<?x3xf32>
  %2 = col.keep_if ne(%1, "") : !col.jagged<!col.text>
  %3 = col.hash %2 into 100 : !col.jagged<!col.text> -> !col.jagged<i64>
  %4 = col.lookup mean %3 in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// -----

// Every part has an id; the separator is a word, its first byte the lowest.
// CHECK-LABEL: func.func @parts(
// CHECK:         %[[RECIPE:.*]] = arith.constant dense<[4, 7, 0, 5, 6, 0, 2, 8236, 0]> : tensor<9xi64>
// CHECK-NEXT:    %[[IDS:.*]], %[[OFFSETS:.*]] = col.part_ids %{{.*}} at %{{.*}} by %[[RECIPE]] : tensor<?xi8>, tensor<?x2xi64>
// CHECK-NEXT:    %[[ALL:.*]] = col.from_offsets %[[IDS]] at %[[OFFSETS]]
// CHECK-NEXT:    %[[NARROW:.*]] = col.map convert(%[[ALL]]) : !col.jagged<i64> -> !col.jagged<i32>
// CHECK-NEXT:    col.lookup sum %[[NARROW]]
func.func @parts(%tag: tensor<?x!col.text>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  %0 = col.from_dense %tag : tensor<?x!col.text> -> !col.jagged<!col.text>
  %1 = col.split %0 at ", " : !col.jagged<!col.text>
  %2 = col.hash %1 into 7 by [5, 6] : !col.jagged<!col.text> -> !col.jagged<i32>
  %3 = col.lookup sum %2 in %table : !col.jagged<i32>, tensor<100x8xf32> -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// -----

// Listed texts are in order, with the places that they had; others have none, and neither have empty parts.
// CHECK-LABEL: func.func @found(
// CHECK:         arith.constant dense<[2, 0, -1, 0, 0, 3, 0, 2, 0, 1, 0, 1, 3, 4, 1650680161]> : tensor<15xi64>
// CHECK:         %[[KEPT:.*]] = col.keep_if ge(%{{.*}}, 0 : i64)
func.func @found(%tag: tensor<?x!col.text>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  %0 = col.from_dense %tag : tensor<?x!col.text> -> !col.jagged<!col.text>
  %1 = col.split %0 at "" : !col.jagged<!col.text>
  %2 = col.keep_if ne(%1, "") : !col.jagged<!col.text>
  %3 = col.find %2 of ["ac", "b", "a"] otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
  %4 = col.lookup sum %3 in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @coordinates(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi64>, %[[PLACES:.*]]: tensor<?x2xi64>, %[[SHAPE:.*]]: tensor<2xi64>,
// CHECK-NEXT:    %[[ORDER:.*]], %[[OFFSETS:.*]] = col.order_rows %[[PLACES]] of %[[SHAPE]]
// CHECK-NEXT:    %[[ALL:.*]] = col.from_offsets %[[X]] at %[[OFFSETS]] in %[[ORDER]]
// CHECK-NEXT:    col.lookup sum %[[ALL]]
func.func @coordinates(%x: tensor<?xi64>, %places: tensor<?x2xi64>, %shape: tensor<2xi64>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  %0 = col.from_coordinates %x at %places of %shape : tensor<?xi64>, tensor<?x2xi64>, tensor<2xi64> -> !col.jagged<i64>
  %1 = col.lookup sum %0 in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

func.func @node(%tag: tensor<?x!col.text>) -> tensor<?x!col.text> {
  // expected-error @below {{'col.node' op reads texts, and is computed by TensorFlow alone}}
  %0 = col.node "StringLower" "lower"(%tag) pure : (tensor<?x!col.text>) -> tensor<?x!col.text>
  return %0 : tensor<?x!col.text>
}

// -----

func.func @made(%x: tensor<?xi64>, %table: tensor<7x8xf32>) -> tensor<?x8xf32> {
  %0 = col.node "AsString" "digits"(%x) pure : (tensor<?xi64>) -> tensor<?x!col.text>
  // expected-error @below {{'col.from_dense' op takes texts from a tensor that is no argument of the function}}
  %1 = col.from_dense %0 : tensor<?x!col.text> -> !col.jagged<!col.text>
  %2 = col.hash %1 into 7 : !col.jagged<!col.text> -> !col.jagged<i64>
  %3 = col.lookup sum %2 in %table : !col.jagged<i64>, tensor<7x8xf32> -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// -----

func.func @again(%x: tensor<?x!col.text>, %table: tensor<7x8xf32>) -> tensor<?x8xf32> {
  %0 = col.from_dense %x : tensor<?x!col.text> -> !col.jagged<!col.text>
  %1 = col.split %0 at "," : !col.jagged<!col.text>
  %2 = col.split %1 at " " : !col.jagged<!col.text>
  // expected-error @below {{'col.hash' op has texts that are not taken from a tensor in this function, and split and kept in this order}}
  %3 = col.hash %2 into 7 : !col.jagged<!col.text> -> !col.jagged<i64>
  %4 = col.lookup sum %3 in %table : !col.jagged<i64>, tensor<7x8xf32> -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}

// -----

// expected-error @below {{argument 0 is of texts in 3 dimensions, expected 1 or 2}}
func.func @rank(%x: tensor<?x2x2x!col.text>) {
  return
}

// -----

// expected-error @below {{argument 0 is of texts, which no function that is called takes}}
func.func private @called(%x: tensor<?x!col.text>) {
  return
}
func.func @caller(%x: tensor<?xi64>) {
  %0 = col.node "AsString" "digits"(%x) pure : (tensor<?xi64>) -> tensor<?x!col.text>
  func.call @called(%0) : (tensor<?x!col.text>) -> ()
  return
}
