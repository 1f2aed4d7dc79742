// RUN: ember-opt %s --share-loops | FileCheck %s

// Loops that differ in memrefs, and in where their columns begin.

// CHECK-LABEL: func.func private @tables_loop(
// CHECK-SAME:    %[[ROWS:.*]]: index, %[[INDICES:.*]]: memref<?xindex>, %[[TABLE:.*]]: memref<?x4xf32>, %[[BEGIN:.*]]: index, %[[OUT:.*]]: memref<?x?xf32>)
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK:           scf.for %[[E:.*]] = %{{.*}} to %[[C4]]
// CHECK:             memref.load %[[TABLE]]
// CHECK:             arith.addi %[[E]], %[[BEGIN]]
// CHECK-LABEL: func.func @tables(
// CHECK-SAME:    %[[OUT:[^ ]*]]: memref<?x?xf32>, %[[INDICES:[^ ]*]]: memref<?xindex>, %[[LEFT:[^ ]*]]: memref<?x4xf32>, %[[RIGHT:[^ ]*]]: memref<?x4xf32>
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         call @tables_loop(%{{.*}}, %[[INDICES]], %[[LEFT]], %[[C8]], %[[OUT]])
// CHECK-NEXT:    call @tables_loop(%{{.*}}, %[[INDICES]], %[[RIGHT]], %[[C16]], %[[OUT]])
// Rows of another length are another loop.
// CHECK-NEXT:    scf.for
func.func @tables(%out: memref<?x?xf32>, %indices: memref<?xindex>, %left: memref<?x4xf32>, %right: memref<?x4xf32>, %other: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %rows = memref.dim %out, %c0 : memref<?x?xf32>
  scf.for %r = %c0 to %rows step %c1 {
    %row = memref.load %indices[%r] : memref<?xindex>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %left[%row, %e] : memref<?x4xf32>
      %column = arith.addi %e, %c8 : index
      memref.store %x, %out[%r, %column] : memref<?x?xf32>
    }
  }
  scf.for %r = %c0 to %rows step %c1 {
    %row = memref.load %indices[%r] : memref<?xindex>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %right[%row, %e] : memref<?x4xf32>
      %column = arith.addi %e, %c16 : index
      memref.store %x, %out[%r, %column] : memref<?x?xf32>
    }
  }
  scf.for %r = %c0 to %rows step %c1 {
    %row = memref.load %indices[%r] : memref<?xindex>
    scf.for %e = %c0 to %c3 step %c1 {
      %x = memref.load %other[%row, %e] : memref<?x4xf32>
      %column = arith.addi %e, %c16 : index
      memref.store %x, %out[%r, %column] : memref<?x?xf32>
    }
  }
  return
}

//===----------------------------------------------------------------------===//

// One table that both read, where the other loop reads two: not alike.

// CHECK-LABEL: func.func @sums(
// CHECK-NOT:     call
func.func @sums(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?xf32>
  scf.for %r = %c0 to %rows step %c1 {
    %a = memref.load %x[%r] : memref<?xf32>
    memref.store %a, %x[%r] : memref<?xf32>
  }
  scf.for %r = %c0 to %rows step %c1 {
    %a = memref.load %x[%r] : memref<?xf32>
    memref.store %a, %y[%r] : memref<?xf32>
  }
  return
}

// Nor the other way round: a function's arguments share no memory.

// CHECK-LABEL: func.func @in_place(
// CHECK-NOT:     call
func.func @in_place(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?xf32>
  scf.for %r = %c0 to %rows step %c1 {
    %a = memref.load %x[%r] : memref<?xf32>
    memref.store %a, %y[%r] : memref<?xf32>
  }
  scf.for %r = %c0 to %rows step %c1 {
    %a = memref.load %x[%r] : memref<?xf32>
    memref.store %a, %x[%r] : memref<?xf32>
  }
  return
}

//===----------------------------------------------------------------------===//

// Rows that lie one behind another: what is one element stays one.

// CHECK-LABEL: func.func private @stacked_loop(
// CHECK-SAME:    %{{.*}}: index, %[[TABLE:.*]]: memref<?x4xf32>, %[[OUT:.*]]: memref<?x2x4xf32>, %[[PLACE:[^ ]*]]: index)
// CHECK:         memref.load %[[OUT]][%{{.*}}, %[[PLACE]], %{{.*}}]
// CHECK:         memref.store %{{.*}}, %[[OUT]][%{{.*}}, %[[PLACE]], %{{.*}}]
// CHECK-LABEL: func.func @stacked(
// CHECK-COUNT-2: call @stacked_loop
func.func @stacked(%out: memref<?x2x4xf32>, %left: memref<?x4xf32>, %right: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rows = memref.dim %out, %c0 : memref<?x2x4xf32>
  scf.for %r = %c0 to %rows step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %left[%r, %e] : memref<?x4xf32>
      %before = memref.load %out[%r, %c0, %e] : memref<?x2x4xf32>
      %sum = arith.addf %before, %x : f32
      memref.store %sum, %out[%r, %c0, %e] : memref<?x2x4xf32>
    }
  }
  scf.for %r = %c0 to %rows step %c1 {
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %right[%r, %e] : memref<?x4xf32>
      %before = memref.load %out[%r, %c1, %e] : memref<?x2x4xf32>
      %sum = arith.addf %before, %x : f32
      memref.store %sum, %out[%r, %c1, %e] : memref<?x2x4xf32>
    }
  }
  return
}
