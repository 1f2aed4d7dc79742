// RUN: ember-opt %s --split-input-file --pair-bfloat16-lanes | FileCheck %s
// RUN: ember-opt %s --split-input-file --lower-to-native | FileCheck %s --check-prefix=ON
// RUN: ember-opt %s --split-input-file --lower-to-native="pair-lanes=false" | FileCheck %s --check-prefix=OFF

// One accumulator takes the even elements, the other one the odd ones. The
// factor is the same for all.

// CHECK-LABEL: func.func @weighted(
// CHECK-SAME: %[[T:.*]]: memref<?x8xbf16>, %{{.*}}: memref<?xindex>, %{{.*}}: memref<?xf32>, %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>
// CHECK: %[[E0:.*]] = vector.shuffle %[[A]], %[[B]] [0, 2, 4, 6]
// CHECK: %[[O0:.*]] = vector.shuffle %[[A]], %[[B]] [1, 3, 5, 7]
// CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[E:.*]] = %[[E0]], %[[O:.*]] = %[[O0]])
// CHECK: %[[W:.*]] = vector.broadcast
// CHECK: %[[ROW:.*]] = vector.load %[[T]][%{{.*}}, %c0] : memref<?x8xbf16>, vector<8xbf16>
// CHECK-NOT: vector.load
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[ROW]] : vector<8xbf16> to vector<4xi32>
// CHECK: %[[LEFT:.*]] = arith.constant dense<16> : vector<4xi32>
// CHECK: %[[LOW:.*]] = arith.shli %[[WORDS]], %[[LEFT]]
// CHECK: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<4xi32>
// CHECK: %[[HIGH:.*]] = arith.andi %[[WORDS]], %[[UPPER]]
// CHECK: %[[EVEN:.*]] = arith.bitcast %[[LOW]] : vector<4xi32> to vector<4xf32>
// CHECK: %[[ODD:.*]] = arith.bitcast %[[HIGH]] : vector<4xi32> to vector<4xf32>
// CHECK: %[[E1:.*]] = math.fma %[[EVEN]], %[[W]], %[[E]]
// CHECK: %[[O1:.*]] = math.fma %[[ODD]], %[[W]], %[[O]]
// CHECK: scf.yield %[[E1]], %[[O1]]
// CHECK: %[[FIRST:.*]] = vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [0, 4, 1, 5]
// CHECK: %[[SECOND:.*]] = vector.shuffle %[[SUMS]]#0, %[[SUMS]]#1 [2, 6, 3, 7]
// CHECK: vector.store %[[FIRST]], %{{.*}}[%c0]
// CHECK: vector.store %[[SECOND]], %{{.*}}[%c4]

// ON-LABEL: llvm.func internal @weighted(
// ON: llvm.shufflevector {{.*}} [0, 2, 4, 6]
// OFF-LABEL: llvm.func internal @weighted(
// OFF-NOT: llvm.shufflevector {{.*}} [0, 2, 4, 6]
func.func @weighted(%t: memref<?x8xbf16>, %ids: memref<?xindex>, %ws: memref<?xf32>, %a: vector<4xf32>, %b: vector<4xf32>, %o: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (vector<4xf32>, vector<4xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %f = memref.load %ws[%p] : memref<?xf32>
    %w = vector.broadcast %f : f32 to vector<4xf32>
    %u = vector.load %t[%i, %c0] : memref<?x8xbf16>, vector<4xbf16>
    %eu = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %nx = math.fma %eu, %w, %x : vector<4xf32>
    %v = vector.load %t[%i, %c4] : memref<?x8xbf16>, vector<4xbf16>
    %ev = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %ny = math.fma %ev, %w, %y : vector<4xf32>
    scf.yield %nx, %ny : vector<4xf32>, vector<4xf32>
  }
  vector.store %s#0, %o[%c0] : memref<8xf32>, vector<4xf32>
  vector.store %s#1, %o[%c4] : memref<8xf32>, vector<4xf32>
  return
}

// -----

// A row that the loop does not read as a whole, accumulators that are computed
// differently, lanes that differ in what they are multiplied with, and a sum
// that is seen on its way.

// CHECK-LABEL: func.func @refused(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @refused(%t: memref<?x16xbf16>, %ids: memref<?xindex>, %lanes: vector<4xf32>, %a: vector<4xf32>, %o: memref<8xf32>, %n: index) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %gap:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (vector<4xf32>, vector<4xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %u = vector.load %t[%i, %c0] : memref<?x16xbf16>, vector<4xbf16>
    %eu = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %nx = arith.addf %x, %eu : vector<4xf32>
    %v = vector.load %t[%i, %c8] : memref<?x16xbf16>, vector<4xbf16>
    %ev = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %ny = arith.addf %y, %ev : vector<4xf32>
    scf.yield %nx, %ny : vector<4xf32>, vector<4xf32>
  }
  %unlike:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (vector<4xf32>, vector<4xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %u = vector.load %t[%i, %c0] : memref<?x16xbf16>, vector<4xbf16>
    %eu = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %nx = arith.addf %x, %eu : vector<4xf32>
    %v = vector.load %t[%i, %c4] : memref<?x16xbf16>, vector<4xbf16>
    %ev = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %ny = arith.subf %y, %ev : vector<4xf32>
    scf.yield %nx, %ny : vector<4xf32>, vector<4xf32>
  }
  %scaled:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (vector<4xf32>, vector<4xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %u = vector.load %t[%i, %c8] : memref<?x16xbf16>, vector<4xbf16>
    %eu = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %nx = math.fma %eu, %lanes, %x : vector<4xf32>
    %v = vector.load %t[%i, %c12] : memref<?x16xbf16>, vector<4xbf16>
    %ev = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %ny = math.fma %ev, %lanes, %y : vector<4xf32>
    scf.yield %nx, %ny : vector<4xf32>, vector<4xf32>
  }
  %seen:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (vector<4xf32>, vector<4xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %u = vector.load %t[%i, %c0] : memref<?x16xbf16>, vector<4xbf16>
    %eu = arith.extf %u : vector<4xbf16> to vector<4xf32>
    %nx = arith.addf %x, %eu : vector<4xf32>
    vector.store %nx, %o[%c0] : memref<8xf32>, vector<4xf32>
    %v = vector.load %t[%i, %c4] : memref<?x16xbf16>, vector<4xbf16>
    %ev = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %ny = arith.addf %y, %ev : vector<4xf32>
    scf.yield %nx, %ny : vector<4xf32>, vector<4xf32>
  }
  return %gap#0, %gap#1, %unlike#0, %unlike#1, %scaled#0, %scaled#1, %seen#1 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// The halves of two rows of one lane each would be no halves.

// CHECK-LABEL: func.func @single
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @single(%t: memref<?x2xbf16>, %ids: memref<?xindex>, %a: vector<1xf32>, %n: index) -> (vector<1xf32>, vector<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sums:2 = scf.for %p = %c0 to %n step %c1 iter_args(%x = %a, %y = %a) -> (vector<1xf32>, vector<1xf32>) {
    %i = memref.load %ids[%p] : memref<?xindex>
    %u = vector.load %t[%i, %c0] : memref<?x2xbf16>, vector<1xbf16>
    %eu = arith.extf %u : vector<1xbf16> to vector<1xf32>
    %nx = arith.addf %x, %eu : vector<1xf32>
    %v = vector.load %t[%i, %c1] : memref<?x2xbf16>, vector<1xbf16>
    %ev = arith.extf %v : vector<1xbf16> to vector<1xf32>
    %ny = arith.addf %y, %ev : vector<1xf32>
    scf.yield %nx, %ny : vector<1xf32>, vector<1xf32>
  }
  return %sums#0, %sums#1 : vector<1xf32>, vector<1xf32>
}
