// What is no node becomes a function that one node calls.

// RUN: ember-opt %s --col-outline=library=libx.so | FileCheck %s

// The variable is passed by its handle, the table that is a constant as one, and nodes that read a
// column wait for all columns. Boundaries stay what the function knows.
// CHECK-LABEL: func.func @graph(
// CHECK-SAME:    %[[X:.*]]: tensor<?x1xf32> {ember.name = "x"}, %[[Y:.*]]: tensor<?x1xi64> {ember.name = "y"},
// CHECK-SAME:    %[[T:.*]]: tensor<3x8xf32> {col.node = "VarHandleOp", ember.name = "t"})
// CHECK:         %[[U:.*]] = col.node "Const" "u"() pure {dtype = f32, value = dense<1.000000e+00> : tensor<5x2xf32>}
// CHECK:         %[[Z:.*]] = col.node "Neg" "z"(%[[Y]]) pure
// CHECK-NEXT:    %[[ROWS:.*]]:2 = col.node "EmberKernel" "ember/columns"(%[[X]], %[[T]], %[[Z]], %[[U]]) reads
// CHECK-SAME:      argument_types = [f32, !col.foreign<resource>, i64, f32]
// CHECK-SAME:      entry = "columns", library = "libx.so"
// CHECK-SAME:      result_shapes = [array<i64: -1, 8>, array<i64: -1, 2>], result_types = [f32, f32]
// CHECK-NEXT:    %[[TOP:.*]] = col.node "Relu" "top"(%[[ROWS]]#0)
// CHECK-NEXT:    return %[[TOP]], %[[ROWS]]#1
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    {ember.name = "x"}, %{{.*}}: tensor<3x8xf32> {ember.name = "t"}, %{{.*}}: tensor<?x1xi64> {ember.name = "z"}, %{{.*}}: tensor<5x2xf32> {ember.name = "u"}) -> (tensor<?x8xf32>, tensor<?x2xf32>)
// CHECK-NEXT:    arith.constant dense<[0.000000e+00, 5.000000e+00]>
// CHECK:         col.lookup mean
// CHECK:         col.lookup sum
func.func @graph(%x: tensor<?x1xf32> {ember.name = "x"}, %y: tensor<?x1xi64> {ember.name = "y"},
                 %t: tensor<3x8xf32> {col.node = "VarHandleOp", ember.name = "t"})
    -> (tensor<*xf32>, tensor<*xf32>) {
  %u = arith.constant dense<1.0> : tensor<5x2xf32> loc("u")
  %list = arith.constant dense<[0.0, 5.0]> : tensor<2xf32>
  %0 = col.from_dense %x : tensor<?x1xf32> -> !col.jagged<f32>
  %1 = col.bucketize %0 by %list : !col.jagged<f32>, tensor<2xf32> -> !col.jagged<i64>
  %2 = col.lookup mean %1 in %t : !col.jagged<i64>, tensor<3x8xf32> -> tensor<?x8xf32>
  %3 = col.node "Relu" "top"(%2) pure {T = f32} : (tensor<?x8xf32>) -> tensor<*xf32>
  %z = col.node "Neg" "z"(%y) pure {T = i64} : (tensor<?x1xi64>) -> tensor<?x1xi64>
  %4 = col.from_dense %z : tensor<?x1xi64> -> !col.jagged<i64>
  %5 = col.lookup sum %4 in %u : !col.jagged<i64>, tensor<5x2xf32> -> tensor<?x2xf32>
  %6 = tensor.cast %5 : tensor<?x2xf32> to tensor<*xf32>
  return %3, %6 : tensor<*xf32>, tensor<*xf32>
}

// A column of what a node makes of another column, and one whose node changes something first.
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[A:.*]] = col.node "EmberKernel" "ember/[[FIRST:columns_.*]]"(%{{.*}}, %{{.*}}) pure
// CHECK-NEXT:    %[[ID:.*]] = col.node "ArgMax" "id"(%[[A]])
// CHECK-NEXT:    %[[B:.*]] = col.node "EmberKernel" "ember/[[SECOND:columns_.*]]"(%[[ID]], %{{.*}}) pure
// CHECK-NEXT:    col.node "Print" "print"(%[[B]])
// CHECK-DAG:   func.func @[[FIRST]](
// CHECK-DAG:   func.func @[[SECOND]](
func.func @twice(%x: tensor<?xi64> {ember.name = "x"}, %t: tensor<?x4xf32> {ember.name = "t"}) {
  %0 = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %1 = col.lookup sum %0 in %t : !col.jagged<i64>, tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = col.node "ArgMax" "id"(%1) pure : (tensor<?x4xf32>) -> tensor<?xi64>
  %3 = col.from_dense %2 : tensor<?xi64> -> !col.jagged<i64>
  %4 = col.lookup sum %3 in %t : !col.jagged<i64>, tensor<?x4xf32> -> tensor<?x4xf32>
  %5 = col.node "Print" "print"(%4) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}
