// RUN: ember-opt %s --split-segments | FileCheck %s
// RUN: ember-opt %s --split-segments=piece-length=8 | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[V:[^:]*]]: memref<?xf32>, %[[LB:[^:]*]]: index, %[[UB:[^:]*]]: index
// CHECK: %[[ZERO:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[LENGTH:.*]] = arith.subi %[[UB]], %[[LB]]
// CHECK: %[[BEYOND:.*]] = arith.subi %[[LENGTH]], %c32768
// CHECK: %[[IS_LONG:.*]] = arith.cmpi ult, %[[BEYOND]], %c4294967296
// CHECK: %[[SUM:.*]] = scf.if %[[IS_LONG]] -> (f32) {
// CHECK: %[[COUNT:.*]] = arith.divui %{{.*}}, %c16384
// CHECK: %[[SUMS:.*]] = memref.alloc(%[[COUNT]]) : memref<?xf32>
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[COUNT]]
// CHECK: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[PIECE:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[NEUTRAL]])
// CHECK: memref.store %[[PIECE]], %[[SUMS]][%[[K]]]
// CHECK: } {ember.pieces = 16384 : index}
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %[[COUNT]] {{.*}} iter_args(%[[A:.*]] = %[[ZERO]])
// CHECK: %[[NEXT:.*]] = memref.load %[[SUMS]][%[[J]]]
// CHECK: arith.addf %[[A]], %[[NEXT]]
// CHECK: memref.dealloc %[[SUMS]]
// CHECK: } else {
// CHECK: scf.for {{.*}} = %[[LB]] to %[[UB]] {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: return %[[SUM]]

// SHORT-LABEL: func.func @sum
// SHORT: arith.subi %{{.*}}, %c16
func.func @sum(%v: memref<?xf32>, %lb: index, %ub: index) -> f32 {
  %c1 = arith.constant 1 : index
  %init = arith.constant 1.0 : f32
  %r = scf.for %p = %lb to %ub step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %v[%p] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// Two values, combined in two ways.
// CHECK-LABEL: func.func @two
// CHECK-DAG: arith.constant dense<-0.000000e+00> : vector<4xf32>
// CHECK-DAG: arith.constant 0x7F800000 : f32
// CHECK: } {ember.pieces = 16384 : index}
func.func @two(%v: memref<?x4xf32>, %w: memref<?xf32>, %n: index, %a0: vector<4xf32>, %b0: f32) -> (vector<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %p = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (vector<4xf32>, f32) {
    %x = vector.load %v[%p, %c0] : memref<?x4xf32>, vector<4xf32>
    %y = memref.load %w[%p] : memref<?xf32>
    %f = vector.broadcast %y : f32 to vector<4xf32>
    %s = vector.fma %x, %f, %a : vector<4xf32>
    %m = arith.minimumf %y, %b : f32
    scf.yield %s, %m : vector<4xf32>, f32
  }
  return %r#0, %r#1 : vector<4xf32>, f32
}

// The sum so far is used otherwise; the loop stores; its length is known; the
// accumulator is a factor of the product.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: ember.pieces
func.func @refused(%v: memref<?xf32>, %n: index, %init: f32) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 99999 : index
  %0 = scf.for %p = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %v[%p] : memref<?xf32>
    %y = arith.mulf %a, %x : f32
    %s = arith.addf %a, %y : f32
    scf.yield %s : f32
  }
  %1 = scf.for %p = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %v[%p] : memref<?xf32>
    memref.store %init, %v[%p] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  %2 = scf.for %p = %c0 to %c9 step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %v[%p] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  %3 = scf.for %p = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %v[%p] : memref<?xf32>
    %s = math.fma %a, %x, %x : f32
    scf.yield %s : f32
  }
  return %0, %1, %2, %3 : f32, f32, f32, f32
}
