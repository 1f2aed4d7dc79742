// Columns: their assembly, and what folds.

// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s
// RUN: ember-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

cin.function @is_even(%x: i64) -> i1 {
  %one = arith.constant 1 : i64
  %bit = arith.andi %x, %one : i64
  %zero = arith.constant 0 : i64
  %is_even = arith.cmpi eq, %bit, %zero : i64
  cin.return %is_even : i1
}

// CHECK-LABEL: func.func @column(
func.func @column(%prices: tensor<?x?xf32>, %tags: tensor<?xi64>, %offsets: tensor<?xi32>,
                  %table: tensor<?x8xf16>, %boundaries: tensor<2xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // CHECK: %[[VALUES:.*]] = col.from_dense %{{.*}} : tensor<?x?xf32> -> !col.jagged<f32>
  %values = col.from_dense %prices : tensor<?x?xf32> -> !col.jagged<f32>
  // CHECK: %[[BUCKETS:.*]] = col.bucketize %[[VALUES]] by %{{.*}} : !col.jagged<f32>, tensor<2xf32> -> !col.jagged<i64>
  %buckets = col.bucketize %values by %boundaries : !col.jagged<f32>, tensor<2xf32> -> !col.jagged<i64>
  // CHECK: %[[IDS:.*]] = col.from_offsets %{{.*}} at %{{.*}} : tensor<?xi64>, tensor<?xi32> -> !col.jagged<i64>
  %ids = col.from_offsets %tags at %offsets : tensor<?xi64>, tensor<?xi32> -> !col.jagged<i64>
  // CHECK: %[[KEPT:.*]] = col.keep_if ne(%[[IDS]], -1 : i64) : !col.jagged<i64>
  %kept = col.keep_if ne(%ids, -1 : i64) : !col.jagged<i64>
  // CHECK: %[[EVEN:.*]] = col.keep_if @is_even(%[[KEPT]]) : !col.jagged<i64>
  %even = col.keep_if @is_even(%kept) : !col.jagged<i64>
  // CHECK: %[[BELOW:.*]] = col.map min(%[[EVEN]], 99 : i64) : !col.jagged<i64> -> !col.jagged<i64>
  %below = col.map min(%even, 99 : i64) : !col.jagged<i64> -> !col.jagged<i64>
  // CHECK: %[[REPLACED:.*]] = col.replace_if lt(%[[BELOW]], 0 : i64) by 7 : i64 : !col.jagged<i64>
  %replaced = col.replace_if lt(%below, 0 : i64) by 7 : i64 : !col.jagged<i64>
  // CHECK: %[[FILLED:.*]] = col.fill_empty %[[REPLACED]] by 1 : i64 : !col.jagged<i64>
  %filled = col.fill_empty %replaced by 1 : i64 : !col.jagged<i64>
  // CHECK: %[[A:.*]] = col.lookup mean %[[BUCKETS]] in %{{.*}} : !col.jagged<i64>, tensor<?x8xf16> -> tensor<?x8xf32>
  %a = col.lookup mean %buckets in %table : !col.jagged<i64>, tensor<?x8xf16> -> tensor<?x8xf32>
  // CHECK: %[[B:.*]] = col.lookup sqrtn %[[FILLED]] in %{{.*}} : !col.jagged<i64>, tensor<?x8xf16> -> tensor<?x8xf32>
  %b = col.lookup sqrtn %filled in %table : !col.jagged<i64>, tensor<?x8xf16> -> tensor<?x8xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @hash(
func.func @hash(%x: tensor<?xi32>, %table: tensor<100x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[VALUES:.*]] = col.from_dense
  %values = col.from_dense %x : tensor<?xi32> -> !col.jagged<i32>
  // CHECK: col.hash %[[VALUES]] into 100 : !col.jagged<i32> -> !col.jagged<i64>
  %ids = col.hash %values into 100 : !col.jagged<i32> -> !col.jagged<i64>
  %rows = col.lookup mean %ids in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// What is kept a second time, and filled a second time, is so already.
// FOLD-LABEL: func.func @twice(
func.func @twice(%x: tensor<?xi64>) -> (!col.jagged<i64>, !col.jagged<i64>) {
  // FOLD-NEXT: %[[VALUES:.*]] = col.from_dense
  %values = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  // FOLD-NEXT: %[[KEPT:.*]] = col.keep_if ne(%[[VALUES]], -1 : i64)
  %kept = col.keep_if ne(%values, -1 : i64) : !col.jagged<i64>
  %again = col.keep_if ne(%kept, -1 : i64) : !col.jagged<i64>
  // FOLD-NEXT: %[[OTHER:.*]] = col.keep_if ne(%[[KEPT]], -2 : i64)
  %other = col.keep_if ne(%again, -2 : i64) : !col.jagged<i64>
  // FOLD-NEXT: %[[FILLED:.*]] = col.fill_empty %[[OTHER]] by 1
  %filled = col.fill_empty %other by 1 : i64 : !col.jagged<i64>
  %same = col.fill_empty %filled by 2 : i64 : !col.jagged<i64>
  // FOLD-NEXT: return %[[KEPT]], %[[FILLED]]
  return %again, %same : !col.jagged<i64>, !col.jagged<i64>
}

// Buckets are at least 0, and not at least 1.
// FOLD-LABEL: func.func @not_negative(
func.func @not_negative(%x: tensor<?xi64>) -> (!col.jagged<i64>, !col.jagged<i64>, !col.jagged<i64>) {
  // FOLD-NEXT: %[[VALUES:.*]] = col.from_dense
  %values = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  // FOLD-NEXT: %[[HASHED:.*]] = col.hash %[[VALUES]]
  %hashed = col.hash %values into 9 : !col.jagged<i64> -> !col.jagged<i64>
  %all = col.keep_if ge(%hashed, 0 : i64) : !col.jagged<i64>
  // FOLD-NEXT: %[[SOME:.*]] = col.keep_if ge(%[[HASHED]], 1 : i64)
  %some = col.keep_if ge(%hashed, 1 : i64) : !col.jagged<i64>
  // FOLD-NEXT: %[[VALUE:.*]] = col.keep_if ge(%[[VALUES]], 0 : i64)
  %value = col.keep_if ge(%values, 0 : i64) : !col.jagged<i64>
  // FOLD-NEXT: return %[[HASHED]], %[[SOME]], %[[VALUE]]
  return %all, %some, %value : !col.jagged<i64>, !col.jagged<i64>, !col.jagged<i64>
}

// CHECK-LABEL: func.func @texts(
func.func @texts(%x: tensor<?x3x!col.text>, %w: tensor<?x3xf32>, %y: tensor<?x!col.text>, %places: tensor<?x2xi64>,
                 %shape: tensor<2xi64>, %table: tensor<9x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // CHECK: %[[X:.*]] = col.from_dense %{{.*}} : tensor<?x3x!col.text> -> !col.jagged<!col.text>
  %0 = col.from_dense %x : tensor<?x3x!col.text> -> !col.jagged<!col.text>
  // CHECK: %[[WEIGHED:.*]] = col.weigh %[[X]] by %{{.*}} : !col.jagged<!col.text>, tensor<?x3xf32>
  %1 = col.weigh %0 by %w : !col.jagged<!col.text>, tensor<?x3xf32>
  // CHECK: %[[KEPT:.*]] = col.keep_if ne(%[[WEIGHED]], "") : !col.jagged<!col.text>
  %2 = col.keep_if ne(%1, "") : !col.jagged<!col.text>
  // CHECK: %[[HASHED:.*]] = col.hash %[[KEPT]] into 9 by [7, -1] : !col.jagged<!col.text> -> !col.jagged<i64>
  %3 = col.hash %2 into 9 by [7, -1] : !col.jagged<!col.text> -> !col.jagged<i64>
  // CHECK: %[[POSITIVE:.*]] = col.keep_weight %[[HASHED]] : !col.jagged<i64>
  %4 = col.keep_weight %3 : !col.jagged<i64>
  // CHECK: col.lookup mean %[[POSITIVE]]
  %a = col.lookup mean %4 in %table : !col.jagged<i64>, tensor<9x8xf32> -> tensor<?x8xf32>
  // CHECK: %[[Y:.*]] = col.from_coordinates %{{.*}} at %{{.*}} of %{{.*}} : tensor<?x!col.text>, tensor<?x2xi64>, tensor<2xi64> -> !col.jagged<!col.text>
  %5 = col.from_coordinates %y at %places of %shape : tensor<?x!col.text>, tensor<?x2xi64>, tensor<2xi64> -> !col.jagged<!col.text>
  // CHECK: %[[PARTS:.*]] = col.split %[[Y]] at "," : !col.jagged<!col.text>
  %6 = col.split %5 at "," : !col.jagged<!col.text>
  // CHECK: %{{.*}} = col.find %[[PARTS]] of ["new", "red"] into 3 : !col.jagged<!col.text> -> !col.jagged<i64>
  %7 = col.find %6 of ["new", "red"] into 3 : !col.jagged<!col.text> -> !col.jagged<i64>
  // CHECK: %[[FOUND:.*]] = col.find %[[PARTS]] of [] otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
  %8 = col.find %6 of [] otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
  // CHECK: col.lookup sum %[[FOUND]]
  %b = col.lookup sum %8 in %table : !col.jagged<i64>, tensor<9x8xf32> -> tensor<?x8xf32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @in_memory(
func.func @in_memory(%bytes: tensor<?xi8>, %texts: tensor<?x3x2xi64>, %recipe: tensor<7xi64>, %places: tensor<?x2xi64>,
                     %shape: tensor<2xi64>, %x: tensor<?xi64>) -> (tensor<?x3xi64>, !col.jagged<i64>, !col.jagged<i64>) {
  // CHECK: col.text_ids %{{.*}} at %{{.*}} by %{{.*}} : tensor<?xi8>, tensor<?x3x2xi64>, tensor<7xi64> -> tensor<?x3xi64>
  %0 = col.text_ids %bytes at %texts by %recipe : tensor<?xi8>, tensor<?x3x2xi64>, tensor<7xi64> -> tensor<?x3xi64>
  // CHECK: col.part_ids %{{.*}} at %{{.*}} by %{{.*}} : tensor<?xi8>, tensor<?x3x2xi64>, tensor<7xi64> -> tensor<?xi64>, tensor<?xi64>
  %ids, %offsets = col.part_ids %bytes at %texts by %recipe : tensor<?xi8>, tensor<?x3x2xi64>, tensor<7xi64> -> tensor<?xi64>, tensor<?xi64>
  %1 = col.from_offsets %ids at %offsets : tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
  // CHECK: %[[ORDER:.*]], %[[OFFSETS:.*]] = col.order_rows %{{.*}} of %{{.*}} : tensor<?x2xi64>, tensor<2xi64> -> tensor<?xi64>, tensor<?xi64>
  %order, %rows = col.order_rows %places of %shape : tensor<?x2xi64>, tensor<2xi64> -> tensor<?xi64>, tensor<?xi64>
  // CHECK: col.from_offsets %{{.*}} at %[[OFFSETS]] in %[[ORDER]] : tensor<?xi64>, tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
  %2 = col.from_offsets %x at %rows in %order : tensor<?xi64>, tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
  return %0, %1, %2 : tensor<?x3xi64>, !col.jagged<i64>, !col.jagged<i64>
}
