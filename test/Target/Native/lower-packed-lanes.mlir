// RUN: ember-opt %s --lower-packed-lanes | FileCheck %s

// CHECK-LABEL: func.func @load
// CHECK: %[[BYTES:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<8xi8>
// CHECK: %[[BITS:.*]] = arith.trunci %[[BYTES]] : vector<8xi8> to vector<8xi1>
// CHECK: return %[[BITS]]
func.func @load(%m: memref<?xi1, strided<[1], offset: ?>>, %i: index) -> vector<8xi1> {
  %v = vector.load %m[%i] : memref<?xi1, strided<[1], offset: ?>>, vector<8xi1>
  return %v : vector<8xi1>
}

// CHECK-LABEL: func.func @masked
// CHECK: %[[BYTES:.*]] = arith.extui %{{.*}} : vector<8xi4> to vector<8xi8>
// CHECK: llvm.intr.masked.store %[[BYTES]], %{{.*}}, %{{.*}} {alignment = 1 : i32}
func.func @masked(%m: memref<?xi4>, %i: index, %mask: vector<8xi1>, %v: vector<8xi4>) {
  vector.maskedstore %m[%i], %mask, %v : memref<?xi4>, vector<8xi1>, vector<8xi4>
  return
}

// CHECK-LABEL: func.func @wide
// CHECK: vector.load
func.func @wide(%m: memref<?xi8>, %i: index) -> vector<8xi8> {
  %v = vector.load %m[%i] : memref<?xi8>, vector<8xi8>
  return %v : vector<8xi8>
}
