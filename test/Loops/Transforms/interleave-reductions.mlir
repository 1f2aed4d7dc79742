// RUN: ember-opt %s --interleave-reductions="vector-registers=16" --canonicalize | FileCheck %s
// RUN: ember-opt %s --interleave-reductions="most=1" --canonicalize | FileCheck %s --check-prefix=OFF
// RUN: ember-opt %s --interleave-reductions="vector-registers=16 may-alias" --canonicalize | FileCheck %s --check-prefix=ALIAS

// Four rows at once: within 128 bits two steps make the sums of four vectors,
// one more adds the halves.

// CHECK-LABEL: func.func @scores
// CHECK: scf.for %[[K:.*]] = %c0 to %c8 step %c4
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: %[[B:.*]] = arith.mulf
// CHECK: %[[C:.*]] = arith.mulf
// CHECK: %[[D:.*]] = arith.mulf
// CHECK-NOT: memref.store
// CHECK: %[[L:.*]] = vector.shuffle %[[A]], %[[B]] [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK: %[[R:.*]] = vector.shuffle %[[A]], %[[B]] [2, 10, 3, 11, 6, 14, 7, 15]
// CHECK: %[[AB:.*]] = arith.addf %[[L]], %[[R]] fastmath<reassoc>
// CHECK: vector.shuffle %[[C]], %[[D]]
// CHECK: %[[CD:.*]] = arith.addf
// CHECK: vector.shuffle %[[AB]], %[[CD]] [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK: vector.shuffle %[[AB]], %[[CD]] [2, 3, 10, 11, 6, 7, 14, 15]
// CHECK: %[[PARTS:.*]] = arith.addf
// CHECK: vector.shuffle %[[PARTS]], %[[PARTS]] [0, 1, 2, 3]
// CHECK: vector.shuffle %[[PARTS]], %[[PARTS]] [4, 5, 6, 7]
// CHECK: %[[SUMS:.*]] = arith.addf {{.*}} : vector<4xf32>
// CHECK: %[[S0:.*]] = vector.extract %[[SUMS]][0]
// CHECK: vector.extract %[[SUMS]][3]
// CHECK: memref.store %[[S0]], %{{.*}}[%[[K]]]
// CHECK-COUNT-3: memref.store
// CHECK-NOT: scf.for
// CHECK: return
// OFF-LABEL: func.func @scores
// OFF-NOT: vector.shuffle
// OFF: vector.reduction
// ALIAS-LABEL: func.func @scores
// ALIAS-NOT: vector.shuffle
// ALIAS: vector.reduction
func.func @scores(%keys: memref<?x8xf32>, %query: vector<8xf32>, %scores: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    %row = vector.load %keys[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    %product = arith.mulf %query, %row : vector<8xf32>
    %score = vector.reduction <add>, %product fastmath<reassoc> : vector<8xf32> into f32
    memref.store %score, %scores[%k] : memref<?xf32>
  }
  return
}

// Nine iterations: the last one is left over. Carried values go through both
// loops, and each iteration adds its own start.

// CHECK-LABEL: func.func @rest
// CHECK-SAME: %[[START:[a-z0-9]+]]: f32
// CHECK: %[[RESULT:.*]]:2 = scf.for %{{.*}} = %c0 to %c8 step %c4 iter_args(%[[I:.*]] = %c0, %[[S:.*]] = %[[START]])
// CHECK-COUNT-4: vector.load
// CHECK: %[[SUMS:.*]] = arith.addf {{.*}} : vector<4xf32>
// CHECK: %[[FIRST:.*]] = vector.extract %[[SUMS]][0]
// CHECK: arith.addf %[[FIRST]], %[[START]]
// CHECK: vector.load %{{.*}}[%[[RESULT]]#0,
// CHECK: vector.reduction
// CHECK: arith.mulf %[[RESULT]]#1,
func.func @rest(%keys: memref<?x8xf32>, %start: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %r:2 = scf.for %k = %c0 to %c9 step %c1 iter_args(%i = %c0, %s = %start) -> (index, f32) {
    %row = vector.load %keys[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    %dot = vector.reduction <add>, %row, %start fastmath<reassoc> : vector<8xf32> into f32
    %product = arith.mulf %s, %dot : f32
    %next = arith.addi %i, %c2 : index
    scf.yield %next, %product : index, f32
  }
  return %r#1 : f32
}

// Two rows leave room for more of the loop around them; how often that runs is
// not known, so only those two are reduced together. What only the results need
// is loaded behind them.

// CHECK-LABEL: func.func @pairs
// CHECK-SAME: %[[KEYS:[a-z0-9]+]]: memref<?x2x8xf32>, %[[FACTORS:[a-z0-9]+]]: memref<?xf32>
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK-NOT: scf.for
// CHECK-COUNT-2: vector.load %[[KEYS]]
// CHECK: vector.extract %{{.*}}[1] : f32 from vector<2xf32>
// CHECK: memref.load %[[FACTORS]]
// CHECK: memref.store
// CHECK: memref.load %[[FACTORS]]
// CHECK: memref.store
func.func @pairs(%keys: memref<?x2x8xf32>, %factors: memref<?xf32>, %scores: memref<?x2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %t = %c0 to %c2 step %c1 {
      %row = vector.load %keys[%k, %t, %c0] : memref<?x2x8xf32>, vector<8xf32>
      %factor = memref.load %factors[%t] : memref<?xf32>
      %sum = vector.reduction <add>, %row fastmath<reassoc> : vector<8xf32> into f32
      %score = arith.mulf %sum, %factor : f32
      memref.store %score, %scores[%k, %t] : memref<?x2xf32>
    }
  }
  return
}

// One row at a time, not known how often: as it was.

// CHECK-LABEL: func.func @unknown
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1
// CHECK-NOT: vector.shuffle
// CHECK: vector.reduction
func.func @unknown(%keys: memref<?x8xf32>, %scores: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %keys[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    %score = vector.reduction <add>, %row fastmath<reassoc> : vector<8xf32> into f32
    memref.store %score, %scores[%k] : memref<?xf32>
  }
  return
}

// The vector depends on the result before it; the order of the sum is fixed;
// memory that is stored to is loaded for the next vector.

// CHECK-LABEL: func.func @kept
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @kept(%keys: memref<?x8xf32>, %other: memref<?xf32>, %v: vector<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %wide = vector.broadcast %s : f32 to vector<8xf32>
    %scaled = arith.mulf %v, %wide : vector<8xf32>
    %sum = vector.reduction <add>, %scaled fastmath<reassoc> : vector<8xf32> into f32
    scf.yield %sum : f32
  }
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %keys[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    %sum = vector.reduction <add>, %row : vector<8xf32> into f32
    memref.store %sum, %other[%k] : memref<?xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    %row = vector.load %keys[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    %sum = vector.reduction <add>, %row fastmath<reassoc> : vector<8xf32> into f32
    memref.store %sum, %keys[%k, %c0] : memref<?x8xf32>
  }
  return %r : f32
}

// Three vectors an iteration leave room for two iterations in 16 registers'
// quarter and for five in 64: four run at once, as a mask cuts off.

// RUN: ember-opt %s --interleave-reductions="vector-registers=64" --canonicalize | FileCheck %s --check-prefix=POWER
// RUN: ember-opt %s --interleave-reductions="most=16" --canonicalize | FileCheck %s --check-prefix=POWER
// RUN: ember-opt %s --interleave-reductions="most=14" --canonicalize | FileCheck %s --check-prefix=POWER
// POWER-LABEL: func.func @three
// POWER: scf.for %{{.*}} = %c0 to %c16 step %c4
// POWER-NOT: scf.for
func.func @three(%keys: memref<16x16xf32>, %a: memref<16xf32>, %b: memref<16xf32>, %c: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %k = %c0 to %c16 step %c1 {
    %row = vector.load %keys[%k, %c0] : memref<16x16xf32>, vector<16xf32>
    %p = arith.mulf %row, %row : vector<16xf32>
    %q = arith.addf %row, %row : vector<16xf32>
    %x = vector.reduction <add>, %p fastmath<reassoc> : vector<16xf32> into f32
    %y = vector.reduction <add>, %q fastmath<reassoc> : vector<16xf32> into f32
    %z = vector.reduction <add>, %row fastmath<reassoc> : vector<16xf32> into f32
    memref.store %x, %a[%k] : memref<16xf32>
    memref.store %y, %b[%k] : memref<16xf32>
    memref.store %z, %c[%k] : memref<16xf32>
  }
  return
}
