// RUN: ember-opt %s --parallelize-loops --tile-sweeps 2>/dev/null | FileCheck %s
// RUN: ember-opt %s --parallelize-loops --tile-sweeps=tile-bytes=512 2>/dev/null | FileCheck %s --check-prefix=SMALL
// RUN: ember-opt %s --lower-to-native -mlir-print-ir-before=interleave-reductions 2>&1 >/dev/null | FileCheck %s --check-prefix=ALL
// RUN: ember-opt %s --lower-to-native=tile-sweeps=false -mlir-print-ir-before=interleave-reductions 2>&1 >/dev/null | FileCheck %s --check-prefix=OFF

// Tiles of 64 kB, 4096 rows; what finds the query is done once a tile, and
// once where there are no rows.
// CHECK-LABEL: func.func private @scores_part
// CHECK-SAME: (%[[LB:[^:]*]]: index, %[[UB:[^:]*]]: index, %[[H:[^:]*]]: memref<?xi64>{{[^,]*}}, %[[T:[^:]*]]: memref<?x4xf32>
// CHECK: %[[SPAN:.*]] = arith.subi %[[N:.*]], %c0
// CHECK: %[[COUNT:.*]] = arith.ceildivsi %[[SPAN]], %c4096
// CHECK: %[[TILES:.*]] = arith.maxsi %[[COUNT]], %c1
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[TILES]] step %c1
// CHECK: %[[BEFORE:.*]] = arith.muli %[[K]], %c4096
// CHECK: %[[START:.*]] = arith.addi %{{.*}}, %[[BEFORE]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[START]], %c4096
// CHECK: %[[END:.*]] = arith.minsi %[[NEXT]], %[[N]]
// CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[UB]]
// CHECK: memref.load %[[H]][%[[I]]]
// CHECK: scf.for %[[E:.*]] = %[[START]] to %[[END]] step %c1
// CHECK-NOT: iter_args
// CHECK: vector.load %[[T]][%[[E]], %c0
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[E]]]

// SMALL-LABEL: func.func private @scores_part
// SMALL: arith.ceildivsi %{{.*}}, %c32

// ALL-LABEL: func.func private @scores_part
// ALL-COUNT-3: scf.for

// OFF-LABEL: func.func private @scores_part
// OFF-COUNT-2: scf.for
// OFF-NOT: scf.for
// OFF: func.func
func.func @scores(%table: memref<?x4xf32>, %heads: memref<?xi64>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %heads, %c0 : memref<?xi64>
  %n = memref.dim %table, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %m step %c1 {
    %head64 = memref.load %heads[%i] : memref<?xi64>
    %head = arith.index_cast %head64 : i64 to index
    %query = vector.load %table[%head, %c0] : memref<?x4xf32>, vector<4xf32>
    %last = scf.for %e = %c0 to %n step %c1 iter_args(%column = %c0) -> (index) {
      %row = vector.load %table[%e, %c0] : memref<?x4xf32>, vector<4xf32>
      %product = arith.mulf %query, %row : vector<4xf32>
      %score = vector.reduction <add>, %product, %zero : vector<4xf32> into f32
      memref.store %score, %out[%i, %column] : memref<?x?xf32>
      %next = arith.addi %column, %c1 : index
      scf.yield %next : index
    }
  }
  return
}

// The rows differ from iteration to iteration; the loop ends elsewhere in each;
// something follows it; it carries a sum.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: arith.ceildivsi
func.func @refused(%table: memref<?x4xf32>, %ends: memref<?xindex>, %out: memref<?x?xf32>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %ends, %c0 : memref<?xindex>
  %n = memref.dim %table, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %e = %c0 to %n step %c1 {
      %x = memref.load %table[%i, %c0] : memref<?x4xf32>
      memref.store %x, %out[%i, %e] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    %end = memref.load %ends[%i] : memref<?xindex>
    scf.for %e = %c0 to %end step %c1 {
      %x = memref.load %table[%e, %c0] : memref<?x4xf32>
      memref.store %x, %out[%i, %e] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %m step %c1 {
    scf.for %e = %c0 to %n step %c1 {
      %x = memref.load %table[%e, %c0] : memref<?x4xf32>
      memref.store %x, %out[%i, %e] : memref<?x?xf32>
    }
    memref.store %zero, %sums[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %m step %c1 {
    %sum = scf.for %e = %c0 to %n step %c1 iter_args(%a = %zero) -> (f32) {
      %x = memref.load %table[%e, %c0] : memref<?x4xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    memref.store %sum, %sums[%i] : memref<?xf32>
  }
  return
}
