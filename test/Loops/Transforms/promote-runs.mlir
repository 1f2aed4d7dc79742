// RUN: ember-opt %s --promote-runs=vector-registers=8 --split-input-file | FileCheck %s
// RUN: ember-opt %s --promote-runs="vector-registers=8 may-alias" --split-input-file | FileCheck %s --check-prefix=ALIAS

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[ROWS:.*]]: memref<?xi64>, %[[T:.*]]: memref<?x16xf32>, %[[O:.*]]: memref<?x16xf32>, %[[LB:.*]]: index, %[[UB:.*]]: index
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK: scf.if %[[ANY]] {
// CHECK: %[[R0:.*]] = memref.load %[[ROWS]][%[[LB]]]
// CHECK: %[[I0:.*]] = arith.index_cast %[[R0]]
// CHECK: %[[X0:.*]] = vector.load %[[O]][%[[I0]], %c0]
// CHECK: %[[Y0:.*]] = vector.load %[[O]][%[[I0]], %c8]
// CHECK: %[[SUM:.*]]:3 = scf.for {{.*}} iter_args(%[[J:.*]] = %[[I0]], %[[X:.*]] = %[[X0]], %[[Y:.*]] = %[[Y0]])
// CHECK: %[[I:.*]] = arith.index_cast
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[I]], %[[J]]
// CHECK: %[[HERE:.*]]:2 = scf.if %[[OTHER]]
// CHECK: vector.store %[[X]], %[[O]][%[[J]], %c0]
// CHECK: vector.store %[[Y]], %[[O]][%[[J]], %c8]
// CHECK: vector.load %[[O]][%[[I]], %c0]
// CHECK: vector.load %[[O]][%[[I]], %c8]
// CHECK: } else {
// CHECK: scf.yield %[[X]], %[[Y]]
// CHECK: }
// CHECK-NOT: vector.store
// CHECK: %[[X1:.*]] = arith.addf %[[HERE]]#0
// CHECK: %[[Y1:.*]] = arith.addf %[[HERE]]#1
// CHECK: scf.yield %[[I]], %[[X1]], %[[Y1]]
// CHECK: vector.store %[[SUM]]#1, %[[O]][%[[SUM]]#0, %c0]
// CHECK: vector.store %[[SUM]]#2, %[[O]][%[[SUM]]#0, %c8]

// The table may be the output.
// ALIAS-LABEL: func.func @sum
// ALIAS-NOT: iter_args
func.func @sum(%rows: memref<?xi64>, %t: memref<?x16xf32>, %o: memref<?x16xf32>, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %lb to %ub step %c1 {
    %r = memref.load %rows[%p] : memref<?xi64>
    %i = arith.index_cast %r : i64 to index
    %t0 = vector.load %t[%p, %c0] : memref<?x16xf32>, vector<8xf32>
    %o0 = vector.load %o[%i, %c0] : memref<?x16xf32>, vector<8xf32>
    %s0 = arith.addf %o0, %t0 : vector<8xf32>
    vector.store %s0, %o[%i, %c0] : memref<?x16xf32>, vector<8xf32>
    %t1 = vector.load %t[%p, %c8] : memref<?x16xf32>, vector<8xf32>
    %o1 = vector.load %o[%i, %c8] : memref<?x16xf32>, vector<8xf32>
    %s1 = arith.addf %o1, %t1 : vector<8xf32>
    vector.store %s1, %o[%i, %c8] : memref<?x16xf32>, vector<8xf32>
  }
  return
}

// -----

// The index is another one in every iteration.
// CHECK-LABEL: func.func @each
// CHECK-NOT: iter_args
func.func @each(%t: memref<?x8xf32>, %o: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = arith.addi %p, %c1 : index
    %t0 = vector.load %t[%p, %c0] : memref<?x8xf32>, vector<8xf32>
    %o0 = vector.load %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    %s0 = arith.addf %o0, %t0 : vector<8xf32>
    vector.store %s0, %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Another row of the output is read.
// CHECK-LABEL: func.func @reads
// CHECK-NOT: iter_args
func.func @reads(%rows: memref<?xindex>, %o: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %rows[%p] : memref<?xindex>
    %t0 = vector.load %o[%p, %c0] : memref<?x8xf32>, vector<8xf32>
    %o0 = vector.load %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    %s0 = arith.addf %o0, %t0 : vector<8xf32>
    vector.store %s0, %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Indices are written in the loop.
// CHECK-LABEL: func.func @writes_indices
// CHECK-NOT: iter_args
func.func @writes_indices(%rows: memref<?xindex>, %t: memref<?x8xf32>, %o: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %rows[%p] : memref<?xindex>
    memref.store %c0, %rows[%i] : memref<?xindex>
    %t0 = vector.load %t[%p, %c0] : memref<?x8xf32>, vector<8xf32>
    %o0 = vector.load %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    %s0 = arith.addf %o0, %t0 : vector<8xf32>
    vector.store %s0, %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Rows are stored to under a condition, and in iterations of a loop inside.
// CHECK-LABEL: func.func @conditional
// CHECK-NOT: iter_args
func.func @conditional(%rows: memref<?xindex>, %t: memref<?x8xf32>, %o: memref<?x8xf32>, %n: index, %if: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %rows[%p] : memref<?xindex>
    scf.if %if {
      %t0 = vector.load %t[%p, %c0] : memref<?x8xf32>, vector<8xf32>
      %o0 = vector.load %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %s0 = arith.addf %o0, %t0 : vector<8xf32>
      vector.store %s0, %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// More than the registers hold.
// CHECK-LABEL: func.func @long
// CHECK-NOT: iter_args
func.func @long(%rows: memref<?xindex>, %o: memref<?x64xf32>, %n: index, %x: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %rows[%p] : memref<?xindex>
    %o0 = vector.load %o[%i, %c0] : memref<?x64xf32>, vector<64xf32>
    %s0 = arith.addf %o0, %x : vector<64xf32>
    vector.store %s0, %o[%i, %c0] : memref<?x64xf32>, vector<64xf32>
  }
  return
}
