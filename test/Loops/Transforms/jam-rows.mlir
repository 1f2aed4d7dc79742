// RUN: ember-opt %s --jam-rows="vector-bits=256 vector-registers=16" --canonicalize --split-input-file | FileCheck %s
// RUN: ember-opt %s --jam-rows="vector-bits=256 vector-registers=3" --split-input-file | FileCheck %s --check-prefix=FEW

// Four rows go over the list of terms at once. What they read of it, and the
// prefetch ahead in it, is there once.

// CHECK-LABEL: func.func @terms
// CHECK-SAME: %[[V:.*]]: memref<?xf32>, %[[FROM:.*]]: memref<?xindex>, %[[TO:[^:]*]]: memref<?xindex>, %[[TABLE:[^:]*]]: memref<?x9x8xf32>, %[[OUT:[^:]*]]: memref
// CHECK: scf.for %[[B:.*]] = %c0{{.*}} to %[[N:.*]] step %c4
// CHECK:   %[[LAST:.*]] = arith.addi %[[B]], %c3
// CHECK:   %[[WHOLE:.*]] = arith.cmpi ult, %[[LAST]], %[[N]]
// CHECK:   scf.if %[[WHOLE]] {
// CHECK:     %[[B1:.*]] = arith.addi %[[B]], %c1
// CHECK:     %[[B2:.*]] = arith.addi %[[B]], %c2
// CHECK:     %[[B3:.*]] = arith.addi %[[B]], %c3
// CHECK:     scf.for %[[P:.*]] =
// CHECK:       memref.prefetch
// CHECK-NOT:   memref.prefetch
// CHECK:       memref.load %[[V]][%[[P]]]
// CHECK-NOT:   memref.load %[[V]]
// CHECK:       %[[I:.*]] = memref.load %[[FROM]][%[[P]]]
// CHECK:       %[[K:.*]] = memref.load %[[TO]][%[[P]]]
// CHECK-NOT:   memref.load
// CHECK-DAG:   vector.load %[[TABLE]][%[[B]], %[[I]],
// CHECK-DAG:   vector.load %[[TABLE]][%[[B1]], %[[I]],
// CHECK-DAG:   vector.load %[[TABLE]][%[[B2]], %[[I]],
// CHECK-DAG:   vector.load %[[TABLE]][%[[B3]], %[[I]],
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[B]], %[[K]],
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[B1]], %[[K]],
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[B2]], %[[K]],
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[B3]], %[[K]],
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %[[B]] to
// CHECK:       scf.for
// CHECK:   } {ember.independent}

// FEW-LABEL: func.func @terms
// FEW-NOT: scf.if
// FEW: return
func.func @terms(%v: memref<?xf32>, %from: memref<?xindex>, %to: memref<?xindex>, %table: memref<?x9x8xf32>, %out: memref<?x9x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %out, %c0 : memref<?x9x8xf32>
  %m = memref.dim %v, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %c0 to %m step %c1 {
      %ahead = arith.addi %p, %c16 : index
      memref.prefetch %v[%ahead], read, locality<3>, data : memref<?xf32>
      %w = memref.load %v[%p] : memref<?xf32>
      %i = memref.load %from[%p] : memref<?xindex>
      %k = memref.load %to[%p] : memref<?xindex>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %x = vector.load %table[%b, %i, %c0] : memref<?x9x8xf32>, vector<8xf32>
      %y = vector.load %out[%b, %k, %c0] : memref<?x9x8xf32>, vector<8xf32>
      %z = math.fma %f, %x, %y : vector<8xf32>
      vector.store %z, %out[%b, %k, %c0] : memref<?x9x8xf32>, vector<8xf32>
    }
  } {ember.independent}
  return
}

// -----

// Sums that are carried; a length that the number of rows divides.

// CHECK-LABEL: func.func @product
// CHECK: scf.for %[[B:.*]] = %c0{{.*}} to %c8{{.*}} step %c2
// CHECK-NOT: scf.if
// CHECK:   %[[S:.*]]:6 = scf.for
// CHECK:     vector.load
// CHECK:     vector.load
// CHECK:     vector.load
// CHECK-NOT: vector.load
// CHECK:     scf.yield
// CHECK:   vector.store %[[S]]#0, %{{.*}}[%[[B]],
// CHECK:   vector.store %[[S]]#3, %
func.func @product(%a: memref<8x?xf32>, %table: memref<?x24xf32>, %out: memref<8x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %table, %c0 : memref<?x24xf32>
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.for %b = %c0 to %c8 step %c1 {
    %s:3 = scf.for %p = %c0 to %m step %c1 iter_args(%x = %zeros, %y = %zeros, %z = %zeros) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
      %w = memref.load %a[%b, %p] : memref<8x?xf32>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %t0 = vector.load %table[%p, %c0] : memref<?x24xf32>, vector<8xf32>
      %t1 = vector.load %table[%p, %c8] : memref<?x24xf32>, vector<8xf32>
      %t2 = vector.load %table[%p, %c16] : memref<?x24xf32>, vector<8xf32>
      %x1 = math.fma %f, %t0, %x : vector<8xf32>
      %y1 = math.fma %f, %t1, %y : vector<8xf32>
      %z1 = math.fma %f, %t2, %z : vector<8xf32>
      scf.yield %x1, %y1, %z1 : vector<8xf32>, vector<8xf32>, vector<8xf32>
    }
    vector.store %s#0, %out[%b, %c0] : memref<8x24xf32>, vector<8xf32>
    vector.store %s#1, %out[%b, %c8] : memref<8x24xf32>, vector<8xf32>
    vector.store %s#2, %out[%b, %c16] : memref<8x24xf32>, vector<8xf32>
  }
  return
}

// -----

// What a row looks up itself may be out of range in a later row before it is in
// an earlier one: rows stay one after the other.

// CHECK-LABEL: func.func @own_lookups
// CHECK-NOT: scf.if
// CHECK: return
func.func @own_lookups(%v: memref<?xf32>, %from: memref<?x?xindex>, %table: memref<?x8xf32>, %out: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x8xf32>
  %m = memref.dim %v, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %c0 to %m step %c1 {
      %w = memref.load %v[%p] : memref<?xf32>
      %i = memref.load %from[%b, %p] : memref<?x?xindex>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %x = vector.load %table[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %y = vector.load %out[%b, %c0] : memref<?x8xf32>, vector<8xf32>
      %z = math.fma %f, %x, %y : vector<8xf32>
      vector.store %z, %out[%b, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Rows that are looked up may be the same ones.

// CHECK-LABEL: func.func @dependent
// CHECK-NOT: scf.if
// CHECK: return
func.func @dependent(%v: memref<?xf32>, %to: memref<?xindex>, %table: memref<?x8xf32>, %out: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %table, %c0 : memref<?x8xf32>
  %m = memref.dim %v, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %c0 to %m step %c1 {
      %w = memref.load %v[%p] : memref<?xf32>
      %k = memref.load %to[%p] : memref<?xindex>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %x = vector.load %table[%b, %c0] : memref<?x8xf32>, vector<8xf32>
      %y = vector.load %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
      %z = math.fma %f, %x, %y : vector<8xf32>
      vector.store %z, %out[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Rows that use the same scratch follow each other.

// CHECK-LABEL: func.func @scratch
// CHECK-NOT: scf.if
// CHECK: return
func.func @scratch(%v: memref<?xf32>, %table: memref<?x?x8xf32>, %out: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x8xf32>
  %m = memref.dim %v, %c0 : memref<?xf32>
  %sums = memref.alloca() {ember.scratch} : memref<8xf32>
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.for %b = %c0 to %n step %c1 {
    vector.store %zeros, %sums[%c0] : memref<8xf32>, vector<8xf32>
    scf.for %p = %c0 to %m step %c1 {
      %w = memref.load %v[%p] : memref<?xf32>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %x = vector.load %table[%b, %p, %c0] : memref<?x?x8xf32>, vector<8xf32>
      %y = vector.load %sums[%c0] : memref<8xf32>, vector<8xf32>
      %z = math.fma %f, %x, %y : vector<8xf32>
      vector.store %z, %sums[%c0] : memref<8xf32>, vector<8xf32>
    }
    %s = vector.load %sums[%c0] : memref<8xf32>, vector<8xf32>
    vector.store %s, %out[%b, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Each row adds another number of terms.

// CHECK-LABEL: func.func @segments
// CHECK-NOT: scf.if
// CHECK: return
func.func @segments(%offsets: memref<?xindex>, %v: memref<?xf32>, %table: memref<?x8xf32>, %out: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x8xf32>
  scf.for %b = %c0 to %n step %c1 {
    %m = memref.load %offsets[%b] : memref<?xindex>
    scf.for %p = %c0 to %m step %c1 {
      %w = memref.load %v[%p] : memref<?xf32>
      %f = vector.broadcast %w : f32 to vector<8xf32>
      %x = vector.load %table[%p, %c0] : memref<?x8xf32>, vector<8xf32>
      %y = vector.load %out[%b, %c0] : memref<?x8xf32>, vector<8xf32>
      %z = math.fma %f, %x, %y : vector<8xf32>
      vector.store %z, %out[%b, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}
