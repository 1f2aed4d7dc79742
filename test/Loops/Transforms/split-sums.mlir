// RUN: ember-opt %s --split-sums="vector-bits=256 vector-registers=16" --split-input-file | FileCheck %s
// RUN: ember-opt %s --split-sums="vector-bits=256 vector-registers=4" --split-input-file | FileCheck %s --check-prefix=FEW

// Two vectors in four sums each are eight at a time.

// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[X:.*]]: memref<?x16xf32>, %[[W:.*]]: memref<16x16xf32>, %[[A:.*]]: vector<8xf32>, %[[B:.*]]: vector<8xf32>, %[[P:.*]]: index
// CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : vector<8xf32>
// CHECK: %[[S:.*]]:8 = scf.for %[[C:.*]] = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK-SAME: iter_args(%[[A0:.*]] = %[[A]], %[[B0:.*]] = %[[B]], %[[A1:[^ ]*]] = %{{[^ ]*}}, %[[B1:[^ ]*]] = %
// CHECK: memref.load %[[X]][%[[P]], %[[C]]]
// CHECK: %[[AS:.*]] = math.fma %{{.*}}, %{{.*}}, %[[A0]]
// CHECK: %[[BS:.*]] = math.fma %{{.*}}, %{{.*}}, %[[B0]]
// CHECK: %[[C1:.*]] = arith.addi %[[C]], %c1
// CHECK: memref.load %[[X]][%[[P]], %[[C1]]]
// CHECK: %[[AS1:.*]] = math.fma %{{.*}}, %{{.*}}, %[[A1]]
// CHECK: %[[BS1:.*]] = math.fma %{{.*}}, %{{.*}}, %[[B1]]
// CHECK: scf.yield %[[AS]], %[[BS]], %[[AS1]], %[[BS1]],
// CHECK: %[[L:.*]] = arith.addf %[[S]]#0, %[[S]]#4
// CHECK: %[[R:.*]] = arith.addf %[[S]]#2, %[[S]]#6
// CHECK: arith.addf %[[L]], %[[R]]

// FEW-LABEL: func.func @product
// FEW: scf.for {{.*}} step %c1
func.func @product(%x: memref<?x16xf32>, %w: memref<16x16xf32>, %a: vector<8xf32>, %b: vector<8xf32>, %p: index) -> (vector<8xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %s:2 = scf.for %c = %c0 to %c16 step %c1 iter_args(%a0 = %a, %b0 = %b) -> (vector<8xf32>, vector<8xf32>) {
    %e = memref.load %x[%p, %c] : memref<?x16xf32>
    %v = vector.broadcast %e : f32 to vector<8xf32>
    %w0 = vector.load %w[%c, %c0] : memref<16x16xf32>, vector<8xf32>
    %w1 = vector.load %w[%c, %c8] : memref<16x16xf32>, vector<8xf32>
    %a1 = math.fma %v, %w0, %a0 fastmath<reassoc> : vector<8xf32>
    %b1 = math.fma %v, %w1, %b0 fastmath<reassoc> : vector<8xf32>
    scf.yield %a1, %b1 : vector<8xf32>, vector<8xf32>
  }
  return %s#0, %s#1 : vector<8xf32>, vector<8xf32>
}

// -----

// In this order, as nothing says that another one will do.
// CHECK-LABEL: func.func @ordered
// CHECK: scf.for {{.*}} step %c1
func.func @ordered(%x: memref<16xf32>, %a: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = scf.for %c = %c0 to %c16 step %c1 iter_args(%a0 = %a) -> vector<8xf32> {
    %e = memref.load %x[%c] : memref<16xf32>
    %v = vector.broadcast %e : f32 to vector<8xf32>
    %a1 = arith.addf %a0, %v : vector<8xf32>
    scf.yield %a1 : vector<8xf32>
  }
  return %s : vector<8xf32>
}

// -----

// Of how many iterations is not known, and a sum that the loop looks at.
// CHECK-LABEL: func.func @unknown
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.for {{.*}} step %c1
func.func @unknown(%x: memref<?xf32>, %a: vector<8xf32>, %n: index) -> (vector<8xf32>, vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = scf.for %c = %c0 to %n step %c1 iter_args(%a0 = %a) -> vector<8xf32> {
    %e = memref.load %x[%c] : memref<?xf32>
    %v = vector.broadcast %e : f32 to vector<8xf32>
    %a1 = arith.addf %a0, %v fastmath<reassoc> : vector<8xf32>
    scf.yield %a1 : vector<8xf32>
  }
  %t = scf.for %c = %c0 to %c16 step %c1 iter_args(%a0 = %a) -> vector<8xf32> {
    %v = arith.mulf %a0, %a : vector<8xf32>
    %a1 = arith.addf %a0, %v fastmath<reassoc> : vector<8xf32>
    scf.yield %a1 : vector<8xf32>
  }
  return %s, %t : vector<8xf32>, vector<8xf32>
}

// -----

// Of a series, the sum is not what is waited for.

// CHECK-LABEL: func.func @series
// CHECK: scf.for {{.*}} step %c1
func.func @series(%x: memref<16x8xf32>, %a: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = scf.for %c = %c0 to %c16 step %c1 iter_args(%a0 = %a) -> (vector<8xf32>) {
    %v = vector.load %x[%c, %c0] : memref<16x8xf32>, vector<8xf32>
    %y = math.sin %v : vector<8xf32>
    %z = math.cos %v : vector<8xf32>
    %a1 = math.fma %y, %z, %a0 fastmath<reassoc> : vector<8xf32>
    scf.yield %a1 : vector<8xf32>
  }
  return %s : vector<8xf32>
}
