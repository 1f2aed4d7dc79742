// RUN: ember-opt %s --promote-accumulators | FileCheck %s
// RUN: ember-opt %s --promote-accumulators=may-alias | FileCheck %s --check-prefix=ALIAS

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[T:.*]]: memref<?x32xf32>, %[[O:.*]]: memref<?x32xf32>, %[[B:.*]]: index, %[[LB:.*]]: index, %[[UB:.*]]: index
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB]], %[[UB]]
// CHECK-NEXT: scf.if %[[RUNS]] {
// CHECK-DAG: %[[LOW:.*]] = vector.load %[[O]][%[[B]], %c0]
// CHECK-DAG: %[[HIGH:.*]] = vector.load %[[O]][%[[B]], %c16]
// CHECK: %[[SUM:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[LOW]], %[[Y:.*]] = %[[HIGH]])
// CHECK-NOT: vector.load %[[O]]
// CHECK-NOT: vector.store
// CHECK: %[[X1:.*]] = arith.addf %[[X]]
// CHECK: %[[Y1:.*]] = arith.addf %[[Y]]
// CHECK: scf.yield %[[X1]], %[[Y1]]
// CHECK: }
// CHECK-DAG: vector.store %[[SUM]]#0, %[[O]][%[[B]], %c0]
// CHECK-DAG: vector.store %[[SUM]]#1, %[[O]][%[[B]], %c16]

// The table may be the output.
// ALIAS-LABEL: func.func @sum
// ALIAS-NOT: iter_args
// ALIAS: return
func.func @sum(%t: memref<?x32xf32>, %o: memref<?x32xf32>, %b: index, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %p = %lb to %ub step %c1 {
    %t0 = vector.load %t[%p, %c0] : memref<?x32xf32>, vector<16xf32>
    %o0 = vector.load %o[%b, %c0] : memref<?x32xf32>, vector<16xf32>
    %s0 = arith.addf %o0, %t0 : vector<16xf32>
    vector.store %s0, %o[%b, %c0] : memref<?x32xf32>, vector<16xf32>
    %t1 = vector.load %t[%p, %c16] : memref<?x32xf32>, vector<16xf32>
    %o1 = vector.load %o[%b, %c16] : memref<?x32xf32>, vector<16xf32>
    %s1 = arith.addf %o1, %t1 : vector<16xf32>
    vector.store %s1, %o[%b, %c16] : memref<?x32xf32>, vector<16xf32>
  }
  return
}

// Memory that was stored to is there, however often the loop runs; what is only
// loaded need not be.

// CHECK-LABEL: func.func @stored
// CHECK-SAME: %[[T:.*]]: memref<?x16xf32>, %[[O:.*]]: memref<?x16xf32>, %[[Q:.*]]: memref<?x16xf32>
// CHECK: vector.store
// CHECK-NEXT: %[[START:.*]] = vector.load %[[O]]
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: %[[SUM:.*]] = scf.if
// CHECK-NEXT: vector.load %[[Q]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %[[START]])
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[START]]
// CHECK: }
// CHECK-NEXT: vector.store %[[SUM]], %[[O]]
func.func @stored(%t: memref<?x16xf32>, %o: memref<?x16xf32>, %q: memref<?x16xf32>, %b: index, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  vector.store %z, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  scf.for %p = %lb to %ub step %c1 {
    %x = vector.load %t[%p, %c0] : memref<?x16xf32>, vector<16xf32>
    %y = vector.load %q[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    %w = arith.mulf %x, %y : vector<16xf32>
    %a = vector.load %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    %s = arith.addf %a, %w : vector<16xf32>
    vector.store %s, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  }
  return
}

// A loop that is known to run needs no condition; a mask is kept.

// CHECK-LABEL: func.func @masked
// CHECK-NOT: scf.if
// CHECK: vector.maskedload
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: vector.masked
// CHECK: scf.yield
// CHECK: vector.maskedstore
func.func @masked(%o: memref<?xf32>, %v: vector<8xf32>, %m: vector<8xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %p = %c0 to %c9 step %c1 {
    %a = vector.maskedload %o[%c0], %m, %z : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %s = arith.addf %a, %v : vector<8xf32>
    vector.maskedstore %o[%c0], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// What leaves inactive lanes visible is not promoted.

// CHECK-LABEL: func.func @lanes
// CHECK-NOT: iter_args
// CHECK: return
func.func @lanes(%o: memref<?xf32>, %r: memref<?xf32>, %m: vector<8xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant dense<1.0> : vector<8xf32>
  scf.for %p = %c0 to %c9 step %c1 {
    %a = vector.maskedload %o[%c0], %m, %z : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %s = arith.addf %a, %a : vector<8xf32>
    vector.maskedstore %o[%c0], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
    vector.store %a, %r[%p] : memref<?xf32>, vector<8xf32>
  }
  return
}

// Another access may be the same element.

// CHECK-LABEL: func.func @overlap
// CHECK-NOT: iter_args
// CHECK: return
func.func @overlap(%o: memref<?xf32>, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %o[%i] : memref<?xf32>
    %x = memref.load %o[%p] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    memref.store %s, %o[%i] : memref<?xf32>
  }
  return
}

// A store under a condition is not known to happen.

// CHECK-LABEL: func.func @conditional
// CHECK-NOT: iter_args
// CHECK: return
func.func @conditional(%o: memref<?xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %o[%c0] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    scf.if %c {
      memref.store %s, %o[%c0] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @call
// CHECK-NOT: iter_args
// CHECK: return
func.func @call(%o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %o[%c0] : memref<?xf32>
    %s = arith.addf %a, %a : f32
    memref.store %s, %o[%c0] : memref<?xf32>
    func.call @unknown() : () -> ()
  }
  return
}
func.func private @unknown()
