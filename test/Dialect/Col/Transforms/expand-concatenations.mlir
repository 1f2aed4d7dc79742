// Parts are inserted one by one, once they are known to be equally large; sizes of
// results are those of what lookups read.

// RUN: ember-opt %s --col-expand-concatenations --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @beside(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi64>, %[[Y:.*]]: tensor<?xi64>, %[[OFFSETS:.*]]: tensor<?xi64>, %{{.*}}, %[[REST:.*]]: tensor<?x3xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[ROWS:.*]] = tensor.dim %[[X]], %[[ZERO]]
// CHECK-DAG:     %[[COUNT:.*]] = tensor.dim %[[OFFSETS]], %[[ZERO]]
// CHECK-DAG:     %[[LEAST:.*]] = arith.maxui %[[COUNT]], %[[ONE]]
// CHECK-DAG:     %[[OTHERS:.*]] = arith.subi %[[LEAST]], %[[ONE]]
// CHECK-DAG:     %[[A:.*]] = col.lookup sum
// CHECK-DAG:     %[[B:.*]] = col.lookup mean
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %[[ROWS]], %[[OTHERS]]
// CHECK:         %[[ALL_EQUAL:.*]] = arith.andi %[[EQUAL]], %{{.*}}
// CHECK:         cf.assert %[[ALL_EQUAL]], "tensor.concat: parts have different sizes along dimension 0"
// CHECK-NOT:     cf.assert
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x19xf32>
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %[[EMPTY]][0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK:         %[[SECOND:.*]] = tensor.insert_slice %[[B]] into %[[FIRST]][0, 8] [%[[OTHERS]], 8] [1, 1]
// CHECK:         %[[ALL:.*]] = tensor.insert_slice %[[REST]] into %[[SECOND]][0, 16]
// CHECK:         return %[[ALL]]
func.func @beside(%x: tensor<?xi64>, %y: tensor<?xi64>, %offsets: tensor<?xi64>,
                  %table: tensor<?x8xf32>, %rest: tensor<?x3xf32>) -> tensor<?x19xf32> {
  %left = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %a = col.lookup sum %left in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  %right = col.from_offsets %y at %offsets : tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
  %b = col.lookup mean %right in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x8xf32>
  %all = tensor.concat dim(1) %a, %b, %rest
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x3xf32>) -> tensor<?x19xf32>
  return %all : tensor<?x19xf32>
}

// -----

// Sizes that types say are not asked for, nor concatenations of anything else touched.
// CHECK-LABEL: func.func @static(
// CHECK-NOT:     cf.assert
// CHECK:         tensor.insert_slice
// CHECK:         return
func.func @static(%x: tensor<4xi64>, %table: tensor<9x8xf32>) -> tensor<4x16xf32> {
  %ids = col.from_dense %x : tensor<4xi64> -> !col.jagged<i64>
  %a = col.lookup sum %ids in %table : !col.jagged<i64>, tensor<9x8xf32> -> tensor<4x8xf32>
  %all = tensor.concat dim(1) %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %all : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    tensor.concat
func.func @others(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %all = tensor.concat dim(1) %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %all : tensor<4x16xf32>
}
