// RUN: ember-opt %s --split-index-casts | FileCheck %s
// RUN: ember-opt %s --split-index-casts --canonicalize | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: func @narrow(
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[CUT:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK: arith.index_cast %[[CUT]] : i32 to index
// KEPT-LABEL: func @narrow(
// KEPT: arith.trunci
func.func @narrow(%i: index) -> index {
  %0 = arith.index_cast %i : index to i32
  %1 = arith.index_cast %0 : i32 to index
  return %1 : index
}

// CHECK-LABEL: func @lanes(
// CHECK: %[[WIDE:.*]] = arith.index_castui %{{.*}} : vector<4xindex> to vector<4xi64>
// CHECK: %[[CUT:.*]] = arith.trunci %[[WIDE]] : vector<4xi64> to vector<4xi8>
// CHECK: arith.index_castui %[[CUT]] : vector<4xi8> to vector<4xindex>
// KEPT-LABEL: func @lanes(
// KEPT: arith.trunci
func.func @lanes(%i: vector<4xindex>) -> vector<4xindex> {
  %0 = arith.index_castui %i : vector<4xindex> to vector<4xi8>
  %1 = arith.index_castui %0 : vector<4xi8> to vector<4xindex>
  return %1 : vector<4xindex>
}

// CHECK-LABEL: func @wide(
// CHECK: %[[CUT:.*]] = arith.trunci %{{.*}} : i128 to i64
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[CUT]] : i64 to index
// CHECK: arith.index_cast %[[INDEX]] : index to i128
// KEPT-LABEL: func @wide(
// KEPT: arith.trunci
func.func @wide(%i: i128) -> i128 {
  %0 = arith.index_cast %i : i128 to index
  %1 = arith.index_cast %0 : index to i128
  return %1 : i128
}

// Casts that lose nothing stay.
// CHECK-LABEL: func @same(
// CHECK-NOT: arith.trunci
// KEPT-LABEL: func @same(
func.func @same(%i: index, %j: i16) -> (index, index) {
  %0 = arith.index_cast %i : index to i64
  %1 = arith.index_cast %0 : i64 to index
  %2 = arith.index_cast %j : i16 to index
  return %1, %2 : index, index
}
