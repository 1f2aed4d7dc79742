// Bags of a table whose rows do not lie in one piece read a copy of it, if
// there are as many lookups as rows.

// RUN: ember-opt --convert-embed-to-scf --canonicalize --cse %s | FileCheck %s
// RUN: ember-opt --convert-embed-to-scf="most-copied-bytes=0" --canonicalize --cse %s | FileCheck %s --check-prefix=OFF

// Of 256 bytes a row, 262144 rows are 64 MiB. The copy is called what the table
// is called.

// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<?x64xf32, strided<[?, ?], offset: ?>>
// CHECK-SAME: %[[I:[a-z0-9]+]]: memref<?xi64>
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<?x64xf32>
// CHECK-DAG: %[[BAGS:.*]] = memref.dim %[[O]], %c0
// CHECK-DAG: %[[LOOKUPS:.*]] = memref.dim %[[I]], %c0
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[T]], %c0
// CHECK-DAG: %[[BOUND:.*]] = arith.minui %[[LOOKUPS]], %c262144
// CHECK: %[[USED:.*]] = arith.cmpi ule, %[[ROWS]], %[[BOUND]]
// CHECK: %[[COPIED:.*]] = arith.select %[[USED]], %[[ROWS]], %c0
// CHECK: %[[COPY:.*]] = memref.alloc(%[[COPIED]]) {ember.name = "users"} : memref<?x64xf32>
// CHECK: scf.for
// CHECK: scf.for %[[C:.*]] = %c0 to %c64
// CHECK: scf.for %[[R:.*]] =
// CHECK: %[[X:.*]] = memref.load %[[T]][%[[R]], %[[C]]]
// CHECK: memref.store %[[X]], %[[COPY]][%[[R]], %[[C]]]
// CHECK: %[[OF_COPY:.*]] = arith.select %[[USED]], %[[BAGS]], %c0
// CHECK: scf.for %{{.*}} = %c0 to %[[OF_COPY]]
// CHECK: memref.load %[[COPY]]
// CHECK: memref.dealloc %[[COPY]]
// CHECK: %[[OF_TABLE:.*]] = arith.select %[[USED]], %c0, %[[BAGS]]
// CHECK: scf.for %{{.*}} = %c0 to %[[OF_TABLE]]
// CHECK: memref.load %[[T]]

// OFF-LABEL: func.func @columns(
// OFF-NOT: memref.alloc
// OFF: return
func.func @columns(%t: memref<?x64xf32, strided<[?, ?], offset: ?>> {ember.name = "users"}, %i: memref<?xi64>,
                   %s: memref<?xi64>, %o: memref<?x64xf32>) {
  embed.bag sum tables(%t : memref<?x64xf32, strided<[?, ?], offset: ?>>)
      indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>)
      outs(%o : memref<?x64xf32>)
  return
}

// Rows apart from each other are in one piece themselves.

// CHECK-LABEL: func.func @rows(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @rows(%t: memref<?x64xf32, strided<[?, 1], offset: ?>>, %i: memref<?xi64>,
                %s: memref<?xi64>, %o: memref<?x64xf32>) {
  embed.bag sum tables(%t : memref<?x64xf32, strided<[?, 1], offset: ?>>)
      indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>)
      outs(%o : memref<?x64xf32>)
  return
}
