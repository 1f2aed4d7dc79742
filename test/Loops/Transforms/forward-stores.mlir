// RUN: ember-opt %s --forward-stores | FileCheck %s
// RUN: ember-opt %s --forward-stores=may-alias | FileCheck %s --check-prefix=ALIAS

// A row begins with zeros, is summed, and divided.

// CHECK-LABEL: func.func @mean
// CHECK-SAME: %[[T:.*]]: memref<?x16xf32>, %[[O:.*]]: memref<?x16xf32>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.0
// CHECK-NOT: %[[O]][
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]]
// CHECK-NEXT: vector.store %[[MEAN]], %[[O]]
// CHECK-NEXT: return

// The table may be the output: its rows may be read before they are complete.
// ALIAS-LABEL: func.func @mean
// ALIAS: vector.store
// ALIAS-NOT: vector.load {{.*}} : memref<?x16xf32>, vector<16xf32>
// ALIAS: scf.for
// ALIAS: vector.load
// ALIAS: }
// ALIAS-NEXT: arith.divf
// ALIAS-NEXT: vector.store
// ALIAS-NEXT: return
func.func @mean(%t: memref<?x16xf32>, %o: memref<?x16xf32>, %b: index, %n: index, %count: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  vector.store %zeros, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  %a0 = vector.load %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  %s0 = scf.for %p = %c0 to %n step %c1 iter_args(%a = %a0) -> (vector<16xf32>) {
    %x = vector.load %t[%p, %c0] : memref<?x16xf32>, vector<16xf32>
    %s = arith.addf %a, %x : vector<16xf32>
    scf.yield %s : vector<16xf32>
  }
  vector.store %s0, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  %s1 = vector.load %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  %m = arith.divf %s1, %count : vector<16xf32>
  vector.store %m, %o[%b, %c0] : memref<?x16xf32>, vector<16xf32>
  return
}

// Inactive lanes are what the load says they are.

// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[O:.*]]: memref<?xf32>, %[[V:.*]]: vector<8xf32>, %[[M:.*]]: vector<8xi1>, %[[P:.*]]: vector<8xf32>
// CHECK: vector.maskedstore %[[O]]
// CHECK-NEXT: %[[X:.*]] = arith.select %[[M]], %[[V]], %[[P]]
// CHECK-NEXT: return %[[X]]
func.func @masked(%o: memref<?xf32>, %v: vector<8xf32>, %m: vector<8xi1>, %p: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  vector.maskedstore %o[%c0], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  %x = vector.maskedload %o[%c0], %m, %p : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  return %x : vector<8xf32>
}

// What may have changed in between is loaded.

// CHECK-LABEL: func.func @changed
// CHECK-COUNT-2: memref.store
// CHECK: memref.load
// CHECK-COUNT-1: memref.store
// CHECK: return
func.func @changed(%o: memref<?xf32>, %i: index, %j: index, %x: f32, %y: f32) {
  memref.store %x, %o[%i] : memref<?xf32>
  memref.store %y, %o[%j] : memref<?xf32>
  %z = memref.load %o[%i] : memref<?xf32>
  %s = arith.addf %z, %y : f32
  memref.store %s, %o[%i] : memref<?xf32>
  return
}

// What is read in between, also at another place that may be the same, is
// stored.

// CHECK-LABEL: func.func @read
// CHECK: memref.store
// CHECK: memref.load
// CHECK: memref.store
func.func @read(%o: memref<?xf32>, %i: index, %j: index, %x: f32) -> f32 {
  memref.store %x, %o[%i] : memref<?xf32>
  %y = memref.load %o[%j] : memref<?xf32>
  memref.store %y, %o[%i] : memref<?xf32>
  return %y : f32
}

// The same in a region.

// CHECK-LABEL: func.func @region
// CHECK: memref.store
// CHECK: scf.if
// CHECK: memref.store
// CHECK: memref.load
// CHECK: return
func.func @region(%o: memref<?xf32>, %i: index, %j: index, %x: f32, %y: f32, %c: i1) -> f32 {
  memref.store %x, %o[%i] : memref<?xf32>
  scf.if %c {
    memref.store %y, %o[%j] : memref<?xf32>
  }
  %z = memref.load %o[%i] : memref<?xf32>
  return %z : f32
}

// CHECK-LABEL: func.func @call
// CHECK: memref.store
// CHECK: call
// CHECK: memref.load
// CHECK: memref.store
func.func @call(%o: memref<?xf32>, %i: index, %x: f32) -> f32 {
  memref.store %x, %o[%i] : memref<?xf32>
  func.call @unknown() : () -> ()
  %y = memref.load %o[%i] : memref<?xf32>
  memref.store %x, %o[%i] : memref<?xf32>
  return %y : f32
}
func.func private @unknown()

// A buffer goes with its last load.

// CHECK-LABEL: func.func @scratch
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NOT: memref
// CHECK: return %[[X]]
func.func @scratch(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %row = memref.alloc() : memref<4xf32>
  memref.store %x, %row[%c0] : memref<4xf32>
  %y = memref.load %row[%c0] : memref<4xf32>
  memref.dealloc %row : memref<4xf32>
  return %y : f32
}

// A store that is an error stays one.

// CHECK-LABEL: func.func @outside
// CHECK: memref.store
func.func @outside(%x: f32, %i: index) {
  %row = memref.alloc() : memref<4xf32>
  memref.store %x, %row[%i] : memref<4xf32>
  memref.dealloc %row : memref<4xf32>
  return
}
