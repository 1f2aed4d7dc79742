// RUN: ember-opt --embed-to-cin --cin-schedule --cin-insert-workspaces --cin-concretize --cin-derive-iteration --cin-expand-encodings --convert-cin-to-scf --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func.func @block_values(
// CHECK-SAME: %[[P:[a-z0-9]+]]: memref<?x6xf32>, %[[X:[a-z0-9]+]]: memref<?x4xf32>
// CHECK: scf.for %[[BLOCK:.*]] =
// CHECK: memref.store %cst
// CHECK: scf.for %[[CHOSEN:.*]] =
// CHECK: memref.load %{{.*}}[%[[BLOCK]], %[[CHOSEN]]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load %[[P]]
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK-NEXT: memref.load %[[X]]
// CHECK: math.fma
func.func @block_values(%p: memref<?x6xf32>, %x: memref<?x4xf32>, %b: memref<?x3xi32>, %o: memref<?x4xf32>) {
  embed.block_values block_size 2 scores(%p : memref<?x6xf32>)
      values(%x : memref<?x4xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x4xf32>)
  return
}

// Narrow sums of all queries of a block are kept in full precision, and rounded
// once.

// CHECK-LABEL: func.func @block_values_narrow(
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<?x4xbf16>)
// CHECK: %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<2x4xf32>
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: memref.load %[[SUMS]]
// CHECK: %[[SUM:.*]] = memref.load %[[SUMS]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK: memref.store %[[ROUNDED]], %[[O]]
// CHECK: memref.dealloc %[[SUMS]]
func.func @block_values_narrow(%p: memref<?x6xbf16>, %x: memref<?x4xbf16>, %b: memref<?x3xi32>, %o: memref<?x4xbf16>) {
  embed.block_values block_size 2 scores(%p : memref<?x6xbf16>)
      values(%x : memref<?x4xbf16>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x4xbf16>)
  return
}
