// Columns of the same structure are inserted by one function, whatever tensors they read.

// RUN: ember-opt %s --col-share-columns=least-columns=2 --cse | FileCheck %s
// RUN: ember-opt %s --col-share-columns | FileCheck %s --check-prefix=FEW
// RUN: ember-opt %s --col-share-columns=least-columns=2 --cin-to-scf | FileCheck %s --check-prefix=LOOPS

// Fewer than eight stay where they are.
// FEW-NOT: col.insert_columns

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<4x8xf32>, %[[U:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<3xf32>, %[[N:.*]]: index, %[[W:.*]]: tensor<?x64xf32>)
func.func @columns(%x: tensor<?xf32>, %y: tensor<?xf32>, %t: tensor<4x8xf32>, %u: tensor<4x8xf32>,
                   %other: tensor<3xf32>, %n: index, %whole: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %low = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %same = arith.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  %a = col.from_dense %x : tensor<?xf32> -> !col.jagged<f32>
  %b = col.bucketize %a by %low : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %c = col.lookup mean %b in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w0 = tensor.insert_slice %c into %whole[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  %d = col.from_dense %y : tensor<?xf32> -> !col.jagged<f32>
  %g = col.keep_if ge(%a, 0.0 : f32) : !col.jagged<f32>
  %h = col.bucketize %g by %low : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %i = col.lookup mean %h in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w1 = tensor.insert_slice %i into %w0[0, 16] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  %e = col.bucketize %d by %same : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %f = col.lookup mean %e in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w2 = tensor.insert_slice %f into %w1[0, 8] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>
  %j = col.keep_if ge(%d, 0.0 : f32) : !col.jagged<f32>
  %k = col.bucketize %j by %other : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %l = col.lookup mean %k in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w3 = tensor.insert_slice %l into %w2[0, 24] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>

  // A number behind the value makes another structure.
  // CHECK:       col.keep_if ge(%{{.*}}, 1.000000e+00 : f32)
  // CHECK:       %[[LOOKUP:.*]] = col.lookup mean
  // CHECK:       %[[OTHERS:.*]] = tensor.insert_slice %[[LOOKUP]] into %[[W]][0, 32]
  %m = col.keep_if ge(%d, 1.0 : f32) : !col.jagged<f32>
  %o = col.bucketize %m by %other : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
  %p = col.lookup mean %o in %u : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w4 = tensor.insert_slice %p into %w3[0, 32] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x64xf32>

  // The constant that both read is in the function; of those that read different ones, they are given.
  // CHECK:       %[[A:.*]] = col.insert_columns @column into %[[OTHERS]] at [0, 8] from(%[[X]], %[[T]], %[[Y]], %[[U]] :
  // CHECK:       %[[ALL:.*]] = col.insert_columns @column_0 into %[[A]] at [16, 24] from(%[[X]], %[[LOW:.*]], %[[T]], %[[Y]], %[[B]], %[[U]] :
  // CHECK:       return %[[ALL]]
  return %w4 : tensor<?x64xf32>
}

// In memory, that is a call for each.
// LOOPS-LABEL: func.func @columns(
// LOOPS-SAME:    %[[X:[^ ]*]]: memref<?xf32>, %[[Y:[^ ]*]]: memref<?xf32>, %[[T:[^ ]*]]: memref<4x8xf32>, %[[U:[^ ]*]]: memref<4x8xf32>, {{.*}}, %[[W:[^ ]*]]: memref<?x64xf32>)
// LOOPS-NOT:     memref.alloc
// LOOPS:         call @column(%[[X]], %[[T]], %[[W]], %c0) : (memref<?xf32>, memref<4x8xf32>, memref<?x64xf32>, index) -> ()
// LOOPS-NEXT:    call @column(%[[Y]], %[[U]], %[[W]], %c8)
// LOOPS-NOT:     memref.alloc
// LOOPS:         return

// What is the same tensor in one column, and two in another one, is another structure; so is a result
// that something else reads, too. A place that is not known may be one of the others.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     col.insert_columns
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
  %f = col.lookup sum %c in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w3 = tensor.insert_slice %f into %w2[0, %n] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  return %w3, %e : tensor<?x32xf32>, tensor<?x8xf32>
}

// Columns that overlap are inserted in their order.
// CHECK-LABEL: func.func @overlapping(
// CHECK-NOT:     col.insert_columns
// CHECK:         return
func.func @overlapping(%x: tensor<8xi64>, %t: tensor<4x8xf32>, %whole: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %a = col.from_dense %x : tensor<8xi64> -> !col.jagged<i64>
  %b = col.lookup sum %a in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<8x8xf32>
  %w0 = tensor.insert_slice %b into %whole[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x32xf32>
  %c = col.lookup sum %a in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<8x8xf32>
  %w1 = tensor.insert_slice %c into %w0[0, 4] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<8x32xf32>
  return %w1 : tensor<8x32xf32>
}

// Tables and lists of different lengths are those of any; what somebody reads in between stays what it is.
// CHECK-LABEL: func.func @lengths(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi64>, %[[T:.*]]: tensor<4x8xf32>, %[[U:.*]]: tensor<5x8xf32>, %[[N:.*]]: index, %[[W:.*]]: tensor<?x32xf32>)
// CHECK:         %[[FOUR:.*]] = tensor.cast %[[T]] : tensor<4x8xf32> to tensor<?x8xf32>
// CHECK:         %[[ONE:.*]] = col.insert_columns @column_1 into %[[W]] at [0] from(%[[X]], %[[FOUR]] :
// CHECK:         %[[FIVE:.*]] = tensor.cast %[[U]] : tensor<5x8xf32> to tensor<?x8xf32>
// CHECK:         %[[TWO:.*]] = col.insert_columns @column_1 into %[[ONE]] at [8] from(%[[X]], %[[FIVE]] :
// CHECK:         return %[[ONE]], %[[TWO]]
func.func @lengths(%x: tensor<?xi64>, %t: tensor<4x8xf32>, %u: tensor<5x8xf32>, %n: index,
                   %whole: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %a = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %b = col.lookup sum %a in %t : !col.jagged<i64>, tensor<4x8xf32> -> tensor<?x8xf32>
  %w0 = tensor.insert_slice %b into %whole[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  %c = col.lookup sum %a in %u : !col.jagged<i64>, tensor<5x8xf32> -> tensor<?x8xf32>
  %w1 = tensor.insert_slice %c into %w0[0, 8] [%n, 8] [1, 1] : tensor<?x8xf32> into tensor<?x32xf32>
  return %w0, %w1 : tensor<?x32xf32>, tensor<?x32xf32>
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

// CHECK:       func.func private @column_1(%{{.*}}: tensor<?xi64> {ember.name = "values"}, %{{.*}}: tensor<?x8xf32> {ember.name = "table"}, %{{.*}}: tensor<?x32xf32>, %{{.*}}: index)
