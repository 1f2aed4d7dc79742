// RUN: emberc --emit=llvm %s | FileCheck %s

// The bags of all tables are parts of one call of the threads.

// CHECK-LABEL: define internal void @ember_packed_bags(
// CHECK: call void @ember_parallel(ptr nonnull @ember_run_bags_part, {{.*}}, i64 2)
// CHECK-NOT: call void @ember_parallel(
// CHECK-LABEL: define internal void @ember_run_bags_part(
func.func @bags(%users: memref<?x8xf32>, %items: memref<?x8xf32>, %indices: memref<?xi64>,
                %offsets: memref<?xi64>, %out: memref<?x16xf32>) {
  embed.bag sum tables(%users, %items : memref<?x8xf32>, memref<?x8xf32>) indices(%indices : memref<?xi64>)
      offsets(%offsets : memref<?xi64>) outs(%out : memref<?x16xf32>)
  return
}
