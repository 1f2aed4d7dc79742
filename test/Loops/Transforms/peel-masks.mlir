// RUN: ember-opt %s --peel-masks --split-input-file | FileCheck %s
// RUN: ember-opt %s --peel-masks=most-operations=4 --split-input-file | FileCheck %s --check-prefix=SHORT

// A loop over positions: at most one vector is left.

// SHORT-LABEL: func.func @positions
// SHORT-NOT: vector.load

// CHECK-LABEL: func.func @positions
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[N:.*]]: index
// CHECK: %[[COUNT:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[TRIPS:.*]] = arith.divui %[[COUNT]], %c8
// CHECK: %[[WHOLE:.*]] = arith.muli %[[TRIPS]], %c8
// CHECK: scf.for %[[D:.*]] = %c0 to %[[WHOLE]] step %c8
// CHECK-NOT: mask
// CHECK: %[[V:.*]] = vector.load %[[X]][%[[D]]]
// CHECK: vector.store %[[V]], %[[Y]][%[[D]]]
// CHECK: }
// CHECK: %[[REST:.*]] = arith.cmpi slt, %[[WHOLE]], %[[N]]
// CHECK: scf.if %[[REST]] {
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %[[WHOLE]]
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]]
// CHECK: %[[W:.*]] = vector.maskedload %[[X]][%[[WHOLE]]], %[[MASK]]
// CHECK: vector.maskedstore %[[Y]][%[[WHOLE]]], %[[MASK]], %[[W]]
func.func @positions(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.for %d = %c0 to %n step %c8 {
    %left = arith.subi %n, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    %v = vector.maskedload %x[%d], %mask, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// -----

// A loop that counts vectors, and hands a sum on.

// CHECK-LABEL: func.func @vectors
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[A:.*]]: vector<8xf32>
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[N]], %c8
// CHECK: %[[S:.*]] = scf.for %[[V:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[B:.*]] = %[[A]])
// CHECK: %[[XS:.*]] = vector.load %[[X]]
// CHECK: %[[T:.*]] = arith.addf %[[B]], %[[XS]]
// CHECK: scf.yield %[[T]]
// CHECK: %[[R:.*]] = scf.if
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: } else {
// CHECK: scf.yield %[[S]]
// CHECK: return %[[R]]
func.func @vectors(%x: memref<?xf32>, %n: index, %a: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %count = arith.ceildivsi %n, %c8 : index
  %s = scf.for %v = %c0 to %count step %c1 iter_args(%b = %a) -> vector<8xf32> {
    %d = arith.muli %v, %c8 : index
    %left = arith.subi %n, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    %e = vector.maskedload %x[%d], %mask, %zeros : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %sum = arith.addf %b, %e : vector<8xf32>
    %t = arith.select %mask, %sum, %b : vector<8xi1>, vector<8xf32>
    scf.yield %t : vector<8xf32>
  }
  return %s : vector<8xf32>
}

// -----

// Two vectors in an iteration: those are whole in which both are.

// CHECK-LABEL: func.func @two
// CHECK: arith.divui %{{.*}}, %c16
// CHECK: scf.for
// CHECK: vector.store
// CHECK: vector.store
// CHECK: scf.if
// CHECK: vector.maskedstore
// CHECK: vector.maskedstore
func.func @two(%y: memref<?xf32>, %n: index, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %d = %c0 to %n step %c16 {
    %left = arith.subi %n, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    %e = arith.addi %d, %c8 : index
    %rest = arith.subi %left, %c8 : index
    %other = vector.create_mask %rest : vector<8xi1>
    vector.maskedstore %y[%e], %other, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// -----

// What is left is no part of the loop's range: some iterations may be.

// CHECK-LABEL: func.func @apart
// CHECK-SAME: %{{.*}}, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK: %[[WHOLE:.*]] = arith.minsi %{{.*}}, %[[M]]
// CHECK: scf.for %{{.*}} = %c0 to %[[WHOLE]]
// CHECK: vector.store
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[M]]
// CHECK: vector.maskedstore
func.func @apart(%y: memref<?xf32>, %n: index, %m: index, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %d = %c0 to %m step %c8 {
    %left = arith.subi %n, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// -----

// Left alone: masks that iterations do not turn off, or of more lanes than an
// iteration takes, and rows that are shorter than a vector.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
func.func @others(%y: memref<?xf32>, %n: index, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  scf.for %d = %c0 to %n step %c8 {
    %mask = vector.create_mask %c5 : vector<8xi1>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  scf.for %d = %c0 to %n step %c4 {
    %left = arith.subi %n, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  scf.for %d = %c0 to %c5 step %c8 {
    %left = arith.subi %c5, %d : index
    %mask = vector.create_mask %left : vector<8xi1>
    vector.maskedstore %y[%d], %mask, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
