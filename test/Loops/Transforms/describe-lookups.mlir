// What loops look up is said in front of them, once for each table and indices.

// RUN: ember-opt %s --describe-lookups | FileCheck %s
// RUN: ember-opt %s --describe-lookups --lower-lookup-descriptions | FileCheck %s --check-prefix=CALLS

// CHECK-LABEL: func.func @bags(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x64xf32>, %[[INDICES:[a-z0-9]+]]: memref<?xi32>
// CHECK: ember.describe_lookup %[[INDICES]], %[[TABLE]] first 0 length 64 : memref<?xi32>, memref<?x64xf32>
// CHECK: scf.for
// CHECK-NOT: ember.describe_lookup
// CHECK: return

// Addresses of the first index and of row 0, and sizes in bytes.
// CALLS-LABEL: func.func @bags(
// CALLS: %[[ALL:.*]], %[[OFFSET:.*]], %[[COUNT:.*]], %{{.*}} = memref.extract_strided_metadata %arg1
// CALLS: %[[WORDS:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CALLS: llvm.call @ember_describe_lookup(%{{.*}}, %{{.*}}, %[[WORDS]], %{{.*}}, %{{.*}}, %{{.*}})
func.func @bags(%table: memref<?x64xf32>, %indices: memref<?xi32>, %offsets: memref<?xindex>, %out: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %out, %c0 : memref<?x64xf32>
  scf.for %b = %c0 to %n step %c1 {
    %next = arith.addi %b, %c1 : index
    %begin = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xi32>
      %row = arith.index_cast %i : i32 to index
      scf.for %e = %c0 to %c64 step %c1 {
        %v = memref.load %table[%row, %e] : memref<?x64xf32>
        %o = memref.load %out[%b, %e] : memref<?x64xf32>
        %s = arith.addf %o, %v : f32
        memref.store %s, %out[%b, %e] : memref<?x64xf32>
      }
    }
  }
  return
}

// Rows of unknown length are read as a whole; elements have a table of their own.
// CHECK-LABEL: func.func @weights(
// CHECK-DAG: ember.describe_lookup %{{.*}}, %arg0 first 0 : memref<?xindex>, memref<?x?xf32>
// CHECK-DAG: ember.describe_lookup %{{.*}}, %arg1 first 0 : memref<?xindex>, memref<?xf32>
// CHECK: scf.for
// CALLS-LABEL: func.func @weights(
// CALLS: llvm.call @ember_forget_lookups()
// CALLS-NOT: llvm.call @ember_forget_lookups()
// CALLS-COUNT-2: llvm.call @ember_describe_lookup
func.func @weights(%table: memref<?x?xf32>, %weights: memref<?xf32>, %indices: memref<?xindex>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %indices, %c0 : memref<?xindex>
  %m = memref.dim %table, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %row = memref.load %indices[%p] : memref<?xindex>
    %w = memref.load %weights[%row] : memref<?xf32>
    scf.for %e = %c0 to %m step %c1 {
      %v = memref.load %table[%row, %e] : memref<?x?xf32>
      %s = arith.mulf %w, %v : f32
      memref.store %s, %out[%p, %e] : memref<?x?xf32>
    }
  }
  return
}

// Rows that are computed from an index are not those that an engine would find.
// CHECK-LABEL: func.func @computed(
// CHECK-NOT: ember.describe_lookup
// CHECK: return
func.func @computed(%table: memref<?x64xf32>, %indices: memref<?xindex>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %indices, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %row = arith.muli %i, %c2 : index
    %v = memref.load %table[%row, %c0] : memref<?x64xf32>
    memref.store %v, %out[%p] : memref<?xf32>
  }
  return
}
