// Each lookup is a statement, with all that its ids are made by.

// RUN: ember-opt %s --col-expand-concatenations --convert-col-to-cin --cse --split-input-file | FileCheck %s
// RUN: ember-opt %s --cin-to-scf --split-input-file | FileCheck %s --check-prefix=LOOPS

// Boundaries are counted, so that NaN has reached all of them.
// CHECK-LABEL: func.func @bucketize(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf64>, %[[TABLE:.*]]: tensor<3x4xf16>)
// CHECK:         %[[LIST:.*]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK:         %[[BATCH:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[INIT:.*]] = tensor.empty(%[[BATCH]]) : tensor<?x4xf32>
// CHECK:         %[[RESULT:.*]] = cin.evaluate ins(%table = %[[TABLE]], %values = %[[X]], %boundaries = %[[LIST]]
// CHECK-SAME:        outs(%out = %[[INIT]] : tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK:           cin.forall (%b, %e)
// CHECK:             %[[SUM:.*]] = cin.reduce add (%p in
// CHECK:               %[[VALUE:.*]] = cin.access %values[%b] : tensor<?xf64>
// CHECK:               %[[ID:.*]] = cin.reduce add (%k) -> i32
// CHECK:                 %[[ELEMENT:.*]] = cin.access %boundaries[%k] : tensor<2xf32>
// CHECK:                 %[[BOUNDARY:.*]] = cin.call convert(%[[ELEMENT]]) : (f32) -> f64
// CHECK:                 %[[LESS:.*]] = cin.call lt(%[[VALUE]], %[[BOUNDARY]]) : (f64, f64) -> i1
// CHECK:                 cin.call select(%[[LESS]], %{{.*}}, %{{.*}}) : (i1, i32, i32) -> i32
// CHECK:               %[[ROW:.*]] = cin.access %table[%[[ID]], %e] : tensor<3x4xf16> (i32, index)
// CHECK:               %[[WIDE:.*]] = cin.call convert(%[[ROW]]) : (f16) -> f32
// CHECK:               cin.yield %[[WIDE]] : f32
// CHECK:             cin.assign %[[SUM]] to %out[%b, %e]
// CHECK:         return %[[RESULT]]
func.func @bucketize(%x: tensor<?xf64>, %table: tensor<3x4xf16>) -> tensor<?x4xf32> {
  %boundaries = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %values = col.from_dense %x : tensor<?xf64> -> !col.jagged<f64>
  %ids = col.bucketize %values by %boundaries : !col.jagged<f64>, tensor<2xf32> -> !col.jagged<i32>
  %rows = col.lookup sum %ids in %table : !col.jagged<i32>, tensor<3x4xf16> -> tensor<?x4xf32>
  return %rows : tensor<?x4xf32>
}

// -----

// What drops values is a condition of each term, and they are counted by it. What is
// replaced counts, and what was dropped is not asked any more.
// CHECK-LABEL: func.func @conditions(
// CHECK:         cin.forall (%b, %e)
// CHECK:           %[[BEGIN:.*]] = cin.access %offsets[%b]
// CHECK:           %[[END:.*]] = cin.access %offsets[
// CHECK:           %[[SUM:.*]] = cin.reduce add (%p in %[[BEGIN]] to %[[END]] : i64) -> f32
// CHECK:             %[[ID:.*]] = cin.access %values[%p]
// CHECK:             %[[FIRST:.*]] = cin.call ne(%[[ID]], %{{.*}})
// CHECK:             %[[NEGATIVE:.*]] = cin.call lt(%[[ID]], %{{.*}})
// CHECK:             %[[REPLACED:.*]] = cin.call select(%[[NEGATIVE]], %{{.*}}, %[[ID]])
// CHECK:             %[[EVEN:.*]] = cin.call @is_even(%[[REPLACED]])
// CHECK:             %[[BOTH:.*]] = cin.call and(%[[FIRST]], %[[EVEN]])
// CHECK:             %[[ROW:.*]] = cin.access %table[%[[REPLACED]], %e]
// CHECK:             cin.yield %[[ROW]] where %[[BOTH]] : f32
// CHECK:           %[[COUNT:.*]] = cin.reduce add {{.*}} -> index
// CHECK:             cin.yield %{{.*}} where %{{.*}} : index
// CHECK:           %[[LEAST:.*]] = cin.call max(%[[COUNT]], %{{.*}})
// CHECK:           %[[DIVISOR:.*]] = cin.call convert(%[[LEAST]])
// CHECK:           %[[ROOT:.*]] = cin.call sqrt(%[[DIVISOR]])
// CHECK:           %[[MEAN:.*]] = cin.call div(%[[SUM]], %[[ROOT]])
// CHECK:           cin.assign %[[MEAN]] to %out[%b, %e]
func.func @conditions(%x: tensor<?xi64>, %offsets: tensor<?xi64>, %table: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %values = col.from_offsets %x at %offsets : tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
  %kept = col.keep_if ne(%values, -1 : i64) : !col.jagged<i64>
  %replaced = col.replace_if lt(%kept, 0 : i64) by 7 : i64 : !col.jagged<i64>
  %even = col.keep_if @is_even(%replaced) : !col.jagged<i64>
  %rows = col.lookup sqrtn %even in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

cin.function @is_even(%x: i64) -> i1 {
  %one = arith.constant 1 : i64
  %bit = arith.andi %x, %one : i64
  %zero = arith.constant 0 : i64
  %is_even = arith.cmpi eq, %bit, %zero : i64
  cin.return %is_even : i1
}

// -----

// Rows that were empty when they were filled are assigned by a statement of their own,
// unless what fills them is dropped again.
// CHECK-LABEL: func.func @fill(
// CHECK:         cin.forall (%b, %e)
// CHECK:           cin.reduce add (%p
// CHECK:         cin.forall (%b, %e)
// CHECK:           %[[FILL:.*]] = cin.literal 3 : i64
// CHECK:           %[[COUNT:.*]] = cin.call sub(
// CHECK:           %[[EMPTY:.*]] = cin.call eq(%[[COUNT]], %{{.*}}) : (index, index) -> i1
// CHECK:           %[[BELOW:.*]] = cin.call lt(%[[FILL]], %{{.*}})
// CHECK:           %[[BOTH:.*]] = cin.call and(%[[EMPTY]], %[[BELOW]])
// CHECK:           %[[ROW:.*]] = cin.access %table[%[[FILL]], %e]
// CHECK:           cin.assign %[[ROW]] to %out[%b, %e] where %[[BOTH]]
func.func @fill(%x: tensor<?x?xi64>, %table: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %values = col.from_dense %x : tensor<?x?xi64> -> !col.jagged<i64>
  %filled = col.fill_empty %values by 3 : i64 : !col.jagged<i64>
  %kept = col.keep_if lt(%filled, 5 : i64) : !col.jagged<i64>
  %rows = col.lookup mean %kept in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// -----

// Columns beside each other are computed where they stand there, from batches of the
// same size; how large they are is known without them.
// CHECK-LABEL: func.func @beside(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi64>, %[[Y:.*]]: tensor<?xi64>, %{{.*}}, %[[REST:.*]]: tensor<?x3xf32>)
// CHECK-DAG:     %[[ROWS:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK-DAG:     %[[OTHERS:.*]] = tensor.dim %[[Y]], %{{.*}}
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %[[ROWS]], %[[OTHERS]]
// CHECK:         %[[ALL_EQUAL:.*]] = arith.andi %[[EQUAL]], %{{.*}}
// CHECK:         cf.assert %[[ALL_EQUAL]], "tensor.concat: parts have different sizes along dimension 0"
// CHECK:         %[[ALL:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x19xf32>
// CHECK:         %[[LEFT:.*]] = tensor.extract_slice %[[ALL]][0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK:         %[[A:.*]] = cin.evaluate {{.*}} outs(%out = %[[LEFT]]
// CHECK:         %[[ONE:.*]] = tensor.insert_slice %[[A]] into %[[ALL]]
// CHECK:         %[[RIGHT:.*]] = tensor.extract_slice %[[ONE]][0, 8] [%[[OTHERS]], 8] [1, 1]
// CHECK:         %[[B:.*]] = cin.evaluate {{.*}} outs(%out = %[[RIGHT]]
// CHECK:         %[[TWO:.*]] = tensor.insert_slice %[[B]] into %[[ONE]]
// CHECK:         tensor.insert_slice %[[REST]] into %[[TWO]]

// No column is copied.
// LOOPS-LABEL: func.func @beside(
// LOOPS:         %[[ALL:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x19xf32>
// LOOPS-NOT:     memref.alloc
// LOOPS:         memref.subview %[[ALL]][0, 0]
// LOOPS-NOT:     memref.alloc
// LOOPS:         memref.subview %[[ALL]][0, 8]
// LOOPS-NOT:     memref.alloc
// LOOPS:         return %[[ALL]]
func.func @beside(%x: tensor<?xi64>, %y: tensor<?xi64>, %table: tensor<?x8xf32>,
                  %rest: tensor<?x3xf32>) -> tensor<?x19xf32> {
  %left = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %a = col.lookup sum %left in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  %right = col.from_dense %y : tensor<?xi64> -> !col.jagged<i64>
  %b = col.lookup sum %right in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  %all = tensor.concat dim(1) %a, %b, %rest
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x3xf32>) -> tensor<?x19xf32>
  return %all : tensor<?x19xf32>
}

// -----

// What somebody else reads, too, is a tensor of its own, of the size that its type says.
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[INIT:.*]] = tensor.empty() : tensor<5x8xf32>
// CHECK:         %[[A:.*]] = cin.evaluate {{.*}} outs(%out = %[[INIT]]
// CHECK:         %[[ONE:.*]] = tensor.insert_slice %[[A]]
// CHECK:         tensor.insert_slice %[[A]] into %[[ONE]]
func.func @twice(%x: tensor<?xi64>, %table: tensor<?x8xf32>) -> tensor<5x16xf32> {
  %values = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %a = col.lookup sum %values in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<5x8xf32>
  %all = tensor.concat dim(1) %a, %a : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x16xf32>
  return %all : tensor<5x16xf32>
}

// -----

// What nobody looks up is gone.
// CHECK-LABEL: func.func @unread(
// CHECK-NEXT:    return
func.func @unread(%x: tensor<?xi64>) {
  %values = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %kept = col.keep_if ne(%values, -1 : i64) : !col.jagged<i64>
  return
}

// -----

// The size may be known though the type does not say it.
// CHECK-LABEL: func.func @known(
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<7x8xf32>
// CHECK:         %[[INIT:.*]] = tensor.cast %[[EMPTY]] : tensor<7x8xf32> to tensor<?x8xf32>
// CHECK:         cin.evaluate {{.*}} outs(%out = %[[INIT]] : tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @known(%x: tensor<?xi64>, %offsets: tensor<8xi64>, %table: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %values = col.from_offsets %x at %offsets : tensor<?xi64>, tensor<8xi64> -> !col.jagged<i64>
  %rows = col.lookup sum %values in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// -----

// All hashes call one function, of 64 bits, which puts digits in front of each other in registers.
// CHECK-LABEL: func.func @hashes(
// CHECK:         cin.evaluate
// CHECK:           %[[ID:.*]] = cin.access %values[%b] : tensor<?xi64>
// CHECK:           %[[BUCKETS:.*]] = cin.literal 10 : i64
// CHECK:           cin.call @hash_bucket_0(%[[ID]], %[[BUCKETS]]) : (i64, i64) -> i64
// CHECK:         cin.evaluate
// CHECK:           %[[NARROW:.*]] = cin.access %values[%b] : tensor<?xi32>
// CHECK:           %[[WIDE:.*]] = cin.call convert(%[[NARROW]]) : (i32) -> i64
// CHECK:           cin.call @hash_bucket_0(%[[WIDE]], %{{.*}}) : (i64, i64) -> i64
// CHECK:         func.func private @hash_bucket()
// CHECK:         cin.function @hash_bucket_0(
// CHECK:           scf.while
// CHECK-NOT:     cin.function
func.func @hashes(%x: tensor<?xi64>, %y: tensor<?xi32>, %table: tensor<10x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %values = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %ids = col.hash %values into 10 : !col.jagged<i64> -> !col.jagged<i64>
  %a = col.lookup sum %ids in %table : !col.jagged<i64>, tensor<10x8xf32> -> tensor<?x8xf32>
  %others = col.from_dense %y : tensor<?xi32> -> !col.jagged<i32>
  %buckets = col.hash %others into 7 : !col.jagged<i32> -> !col.jagged<i64>
  %b = col.lookup sum %buckets in %table : !col.jagged<i64>, tensor<10x8xf32> -> tensor<?x8xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}
func.func private @hash_bucket()
