// Bags of a table whose rows do not lie in one piece read a copy of it, if
// there are as many lookups as rows.

// RUN: ember-opt --cin-to-scf %s | FileCheck %s
// RUN: ember-opt --embed-to-cin="most-copied-bytes=0" %s | FileCheck %s --check-prefix=OFF

// Of 256 bytes a row, 262144 rows are 64 MiB. The copy is called what the table
// is called.

// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<?x64xf32, strided<[?, ?], offset: ?>>
// CHECK-SAME: %[[I:[a-z0-9]+]]: memref<?xi64>
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<?x64xf32>
// CHECK: %[[BOUND:.*]] = arith.minui %{{.*}}, %c262144
// CHECK: %[[USED:.*]] = arith.cmpi ule, %{{.*}}, %[[BOUND]]
// CHECK: %[[COPIED:.*]] = arith.select %[[USED]], %{{.*}}, %c0
// CHECK: %[[COPY:.*]] = memref.alloc(%[[COPIED]]) {ember.name = "users"} : memref<?x64xf32>
// CHECK: scf.for
// CHECK: scf.for %[[C:.*]] = %c0 to %c64
// CHECK: scf.for
// CHECK: %[[X:.*]] = memref.load %[[T]][%{{.*}}, %[[C]]]
// CHECK: memref.store %[[X]], %[[COPY]][%{{.*}}, %[[C]]]
// CHECK: scf.for
// CHECK: memref.load %[[COPY]]
// CHECK: scf.for
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
