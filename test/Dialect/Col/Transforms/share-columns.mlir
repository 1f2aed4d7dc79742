// Columns of the same structure are calls of one function, whatever tensors they read.

// RUN: ember-opt %s --col-share-columns=least-columns=2 --cse | FileCheck %s
// RUN: ember-opt %s --col-share-columns | FileCheck %s --check-prefix=FEW

// Fewer than eight stay where they are.
// FEW-NOT: call

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<4x8xf32>, %[[U:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<3xf32>, %[[N:.*]]: index, %[[W:.*]]: tensor<?x64xf32>)
func.func @columns(%x: tensor<?xf32>, %y: tensor<?xf32>, %t: tensor<4x8xf32>, %u: tensor<4x8xf32>,
                   %other: tensor<3xf32>, %n: index, %whole: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %low = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %same = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>

  // The constant that both read is in the function.
  // CHECK:       %[[W0:.*]] = call @column(%[[X]], %[[T]], %[[W]], %{{.*}}) : (tensor<?xf32>, tensor<4x8xf32>, tensor<?x64xf32>, index)
  %a = col.from_dense %x : tensor<?xf32> -> !col.jagged<f32>
  %b = col.bucketize %a by %low : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %c = col.lookup mean %b in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w0 = tensor.insert_slice %c into %whole[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  // CHECK:       %[[W1:.*]] = call @column(%[[Y]], %[[U]], %[[W0]], %[[N]])
  %d = col.from_dense %y : tensor<?xf32> -> !col.jagged<f32>
  %e = col.bucketize %d by %same : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %f = col.lookup mean %e in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w1 = tensor.insert_slice %f into %w0[0, %n] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>

  // Of those that read different ones, they are arguments; a number behind the value makes another structure.
  // CHECK:       %[[W2:.*]] = call @column_0(%[[X]], %[[LOW:.*]], %[[T]], %[[W1]], %{{.*}})
  %g = col.keep_if ge(%a, 0.0 : f32) : !col.jagged<f32>
  %h = col.bucketize %g by %low : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %i = col.lookup mean %h in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w2 = tensor.insert_slice %i into %w1[0, 16] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  // CHECK:       %[[W3:.*]] = call @column_0(%[[Y]], %[[B]], %[[U]], %[[W2]], %{{.*}})
  %j = col.keep_if ge(%d, 0.0 : f32) : !col.jagged<f32>
  %k = col.bucketize %j by %other : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %l = col.lookup mean %k in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w3 = tensor.insert_slice %l into %w2[0, 24] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  // CHECK:       col.keep_if ge(%{{.*}}, 1.000000e+00 : f32)
  // CHECK:       %[[LOOKUP:.*]] = col.lookup mean
  // CHECK:       %[[W4:.*]] = tensor.insert_slice %[[LOOKUP]] into %[[W3]]
  %m = col.keep_if ge(%d, 1.0 : f32) : !col.jagged<f32>
  %o = col.bucketize %m by %other : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %p = col.lookup mean %o in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w4 = tensor.insert_slice %p into %w3[0, 32] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  // CHECK:       return %[[W4]]
  return %w4 : tensor<?x64xf32>
}

// What is the same tensor in one column, and two in another one, is another structure; so is a result
// that something else reads, too.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     call
// CHECK:         return
func.func @apart(%x: tensor<8xi64>, %y: tensor<8xi64>, %n: index, %t: tensor<4x8xf32>,
                 %whole: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?x8xf32>) {
  %a = col.from_offsets %x at %x : tensor<8xi64>, tensor<8xi64> -> !col.jagged<i64>
  %b = col.lookup sum %a in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w0 = tensor.insert_slice %b into %whole[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  %c = col.from_offsets %x at %y : tensor<8xi64>, tensor<8xi64> -> !col.jagged<i64>
  %d = col.lookup sum %c in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w1 = tensor.insert_slice %d into %w0[0, 8] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  %e = col.lookup sum %c in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w2 = tensor.insert_slice %e into %w1[0, 16] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  return %w2, %e : tensor<?x32xf32>, tensor<?x8xf32>
}

// CHECK:       func.func private @column(%[[VALUES:.*]]: tensor<?xf32> {ember.name = "values"}, %[[TABLE:.*]]: tensor<4x8xf32> {ember.name = "table"}, %[[WHOLE:.*]]: tensor<?x64xf32>, %[[PLACE:.*]]: index) -> tensor<?x64xf32>
// CHECK:         %[[LIST:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]>
// CHECK:         %[[BATCH:.*]] = col.from_dense %[[VALUES]]
// CHECK:         %[[IDS:.*]] = col.bucketize %[[BATCH]] by %[[LIST]]
// CHECK:         %[[ROWS:.*]] = col.lookup mean %[[IDS]] in %[[TABLE]]
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[VALUES]]
// CHECK:         %[[INSERTED:.*]] = tensor.insert_slice %[[ROWS]] into %[[WHOLE]][0, %[[PLACE]]] [%[[SIZE]], 8] [1, 1]
// CHECK:         return %[[INSERTED]]

// CHECK:       func.func private @column_0(%{{.*}}: tensor<?xf32> {ember.name = "values"}, %{{.*}}: tensor<3xf32> {ember.name = "boundaries"}, %{{.*}}: tensor<4x8xf32> {ember.name = "table"}, %{{.*}}: tensor<?x64xf32>, %{{.*}}: index)
