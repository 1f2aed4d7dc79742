// RUN: ember-opt %s --vectorize-workspaces="vector-bits=256" --canonicalize | FileCheck %s
// RUN: ember-opt %s --vectorize-workspaces="vector-bits=256 may-alias" --canonicalize | FileCheck %s --check-prefix=ALIAS

// Full vectors; what is the same for all elements goes into all lanes.

// CHECK-LABEL: func.func @row
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x64xf32>, %[[O:[a-z0-9]+]]: memref<?x64xf32>, %[[W:[a-z0-9]+]]: f32
// CHECK: scf.for %[[D:.*]] = %c0 to %c64 step %c8
// CHECK: %[[V:.*]] = vector.load %[[X]][%{{.*}}, %[[D]]] : memref<?x64xf32>, vector<8xf32>
// CHECK: %[[OLD:.*]] = vector.load %[[O]][%{{.*}}, %[[D]]] : memref<?x64xf32>, vector<8xf32>
// CHECK: %[[LANES:.*]] = vector.broadcast %[[W]] : f32 to vector<8xf32>
// CHECK: %[[NEW:.*]] = math.fma %[[V]], %[[LANES]], %[[OLD]] : vector<8xf32>
// CHECK: vector.store %[[NEW]], %[[O]][%{{.*}}, %[[D]]]
// ALIAS-LABEL: func.func @row
// ALIAS-NOT: vector.load
// ALIAS: return
func.func @row(%x: memref<?x64xf32>, %o: memref<?x64xf32>, %w: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %d = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i, %d] : memref<?x64xf32>
    %old = memref.load %o[%i, %d] : memref<?x64xf32>
    %new = math.fma %v, %w, %old : f32
    memref.store %new, %o[%i, %d] : memref<?x64xf32>
  }
  return
}

// An unknown length, a row that begins somewhere, and two types: as many lanes
// as the wider one has.

// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[FIRST:[a-z0-9]+]]: index
// CHECK: scf.for %[[D:.*]] = %c0 to %[[N]] step %c4
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[D]]
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<4xi1>
// CHECK: %[[AT:.*]] = arith.addi %[[D]], %[[FIRST]]
// CHECK: vector.maskedload %{{.*}}[%[[AT]]], %[[MASK]], {{.*}} into vector<4xf32>
// CHECK: arith.extf {{.*}} : vector<4xf32> to vector<4xf64>
// CHECK: vector.maskedstore %{{.*}}[%[[D]]], %[[MASK]]
func.func @masked(%x: memref<?xf32>, %o: memref<?xf64>, %n: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %d = %c0 to %n step %c1 {
    %at = arith.addi %d, %first : index
    %v = memref.load %x[%at] : memref<?xf32>
    %wide = arith.extf %v : f32 to f64
    memref.store %wide, %o[%d] : memref<?xf64>
  }
  return
}

// Three elements take four lanes.

// CHECK-LABEL: func.func @short
// CHECK: vector.maskedstore {{.*}} vector<4xf32>
func.func @short(%o: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  scf.for %d = %c0 to %c3 step %c1 {
    memref.store %zero, %o[%d] : memref<3xf32>
  }
  return
}

// An element of the iteration before; a column; a position that is stored; a
// value of the counter; a loop without stores; a division, as lanes past the end
// hold zeros.

// CHECK-LABEL: func.func @kept
// CHECK-NOT: vector.
// CHECK: return
func.func @kept(%x: memref<?xf32>, %m: memref<?x?xf32>, %p: memref<?xindex>, %i: memref<?xi32>, %n: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %d = %c0 to %n step %c1 {
    %next = arith.addi %d, %c1 : index
    %v = memref.load %x[%d] : memref<?xf32>
    memref.store %v, %x[%next] : memref<?xf32>
  }
  scf.for %d = %c0 to %n step %c1 {
    %v = memref.load %x[%d] : memref<?xf32>
    memref.store %v, %m[%d, %j] : memref<?x?xf32>
  }
  scf.for %d = %c0 to %n step %c1 {
    %next = arith.addi %d, %c1 : index
    memref.store %next, %p[%d] : memref<?xindex>
  }
  scf.for %d = %c0 to %n step %c1 {
    %k = arith.index_cast %d : index to i32
    %v = arith.sitofp %k : i32 to f32
    memref.store %v, %x[%d] : memref<?xf32>
  }
  scf.for %d = %c0 to %n step %c1 {
    %v = memref.load %x[%d] : memref<?xf32>
  }
  scf.for %d = %c0 to %n step %c1 {
    %v = memref.load %i[%d] : memref<?xi32>
    %w = arith.remsi %v, %v : i32
    memref.store %w, %i[%d] : memref<?xi32>
  }
  return
}
