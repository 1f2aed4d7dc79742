// RUN: ember-opt %s --parallelize-loops --emit-kernel-entries --emit-parallel-calls | FileCheck %s
// RUN: ember-opt %s --lower-to-native | FileCheck %s --check-prefix=THREADS
// RUN: ember-opt %s --lower-to-native=parallel=false | FileCheck %s --check-prefix=ALONE

// THREADS: llvm.call @ember_parallel
// ALONE-NOT: ember_parallel
// ALONE: llvm.func @ember_kernel_columns
// ALONE-NOT: ember_parallel

// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[LOOPS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, ptr, i64, i64, i64, i64)>
// CHECK-DAG: %[[ENV:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK: llvm.getelementptr %[[ENV]][0, 0]
// CHECK: llvm.getelementptr %[[ENV]][0, 1]
// CHECK: llvm.getelementptr %[[LOOPS]][0, 0]
// CHECK: llvm.getelementptr %[[LOOPS]][0, 9]
// CHECK: %[[BODY:.*]] = llvm.mlir.addressof @ember_run_rows_part
// CHECK: llvm.call @ember_parallel(%[[BODY]], %[[ENV]], %[[LOOPS]], %{{.*}})
// CHECK-NOT: call @rows_part

// Nothing overlaps the result here, as the entry has checked.
// CHECK: func.func private @rows_part(%{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<?xf32> {{{.*}}ember.noalias

// CHECK: llvm.func internal @ember_run_rows_part(%[[E:.*]]: !llvm.ptr, %[[RANGES:.*]]: !llvm.ptr)
// CHECK: llvm.getelementptr %[[RANGES]][0]
// CHECK: llvm.getelementptr %[[RANGES]][1]
// CHECK: llvm.getelementptr %[[E]][0, 1]
// CHECK: call @rows_part(
// CHECK: llvm.return
func.func @rows(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %out[%b] : memref<?xf32>
  }
  return
}

func.func @columns(%out: memref<?x2xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x2xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %out[%b, %c1] : memref<?x2xf32>
  }
  return
}

// Parts begin where iterations do: a multiple of the step behind the first.
// CHECK-LABEL: func.func @steps
// CHECK: %[[GROUP:.*]] = llvm.mlir.constant(4 : i64) : i64
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[0, 2]
// CHECK: llvm.store %[[GROUP]], %[[FIELD]]
func.func @steps(%out: memref<?xf32>, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c4 {
    vector.store %x, %out[%b] : memref<?xf32>, vector<4xf32>
  }
  return
}
