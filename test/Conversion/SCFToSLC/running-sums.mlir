// Segments given by their lengths: where one begins is a running sum, which the
// access unit keeps (paper, section 7.4). Each level computes the same.

// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: ember-opt %s --scf-to-slc --slc-to-dlc | FileCheck %s --check-prefix=DLC

// RUN: %npy make %t.lengths.npy i32 "[2, 0, 3, 1]"
// RUN: %npy make %t.indices.npy i64 "[4, 1, 0, 0, 2, 3]"
// RUN: %npy make %t.table.npy f32 "np.arange(15).reshape(5, 3)"
// RUN: %npy make %t.out.npy f32 "np.zeros((4, 3))"
// RUN: %npy make %t.expected.npy f32 "np.array([[15, 17, 19], [0, 0, 0], [6, 9, 12], [9, 10, 11]])"
// RUN: ember-run %s --entry=bags @%t.lengths.npy @%t.indices.npy @%t.table.npy @%t.out.npy --save=3:%t.0.npy
// RUN: %npy compare %t.0.npy %t.expected.npy
// RUN: ember-run %s --entry=bags @%t.lengths.npy @%t.indices.npy @%t.table.npy @%t.out.npy --save=3:%t.1.npy --target=cpu
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: ember-run %s --entry=bags @%t.lengths.npy @%t.indices.npy @%t.table.npy @%t.out.npy --save=3:%t.2.npy --target=dae-threads --queue-capacity=1
// RUN: %npy compare %t.2.npy %t.expected.npy
// RUN: %npy make %t.long.npy i32 "[2, 0, 3, 2]"
// RUN: not ember-run %s --entry=bags @%t.long.npy @%t.indices.npy @%t.table.npy @%t.out.npy --target=dae-threads 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: index 6 is out of range for dimension 0 of argument 1

// CHECK-LABEL: func.func @bags
// CHECK: slc.for %[[B:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-DAG: %[[RAW:.*]] = slc.mem_str %arg0[%[[B]]]
// CHECK-DAG: %[[LENGTH:.*]] = slc.cast_str %[[RAW]]
// CHECK: %[[BEGIN:.*]] = slc.acc_str %[[LENGTH]] from %{{.*}} : !slc.stream<index>, index
// CHECK: %[[END:.*]] = slc.alu_str add %[[BEGIN]], %[[LENGTH]]
// CHECK: slc.for %{{.*}} = %[[BEGIN]] to %[[END]]

// DLC-LABEL: func.func @bags
// DLC: %[[TU:.*]] = dlc.new_tu
// DLC: dlc.acc_str %[[TU]], %{{.*}} from %{{.*}} : !slc.stream<index>, index
func.func @bags(%lengths: memref<?xi32>, %indices: memref<?xi64>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bags = memref.dim %out, %c0 : memref<?x?xf32>
  %length = memref.dim %out, %c1 : memref<?x?xf32>
  %total = scf.for %b = %c0 to %bags step %c1 iter_args(%begin = %c0) -> (index) {
    %raw = memref.load %lengths[%b] : memref<?xi32>
    %rows = arith.index_cast %raw : i32 to index
    %end = arith.addi %begin, %rows : index
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xi64>
      %row = arith.index_cast %i : i64 to index
      scf.for %e = %c0 to %length step %c1 {
        %value = memref.load %table[%row, %e] : memref<?x?xf32>
        %old = memref.load %out[%b, %e] : memref<?x?xf32>
        %new = arith.addf %old, %value : f32
        memref.store %new, %out[%b, %e] : memref<?x?xf32>
      }
    }
    scf.yield %end : index
  }
  return
}

// A total that is used, and a sum that decides what it adds, stay with the
// execute unit.
// CHECK-LABEL: func.func @total
// CHECK-NOT: slc.acc_str
func.func @total(%lengths: memref<?xindex>, %indices: memref<?xf32>, %out: memref<?xf32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %b = %c0 to %n step %c1 iter_args(%begin = %c0) -> (index) {
    %rows = memref.load %lengths[%b] : memref<?xindex>
    %end = arith.addi %begin, %rows : index
    %value = memref.load %indices[%begin] : memref<?xf32>
    memref.store %value, %out[%b] : memref<?xf32>
    scf.yield %end : index
  }
  return %total : index
}

// CHECK-LABEL: func.func @chase
// CHECK-NOT: slc.acc_str
func.func @chase(%next: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %b = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    %step = memref.load %next[%at] : memref<?xindex>
    %there = arith.addi %at, %step : index
    memref.store %step, %out[%b] : memref<?xindex>
    scf.yield %there : index
  }
  return
}
