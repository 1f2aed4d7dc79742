// Which loops are offloaded, and where callbacks are placed.

// RUN: ember-opt %s --canonicalize --cse --choose-decoupling 2>/dev/null | FileCheck %s

func.func private @touch()

// CHECK-LABEL: func.func @bag(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xi32>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x?xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x?xf32>, %[[V4:[a-zA-Z0-9_]+]]: index, %[[V5:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[V8:[a-zA-Z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: scf.for %[[V9:[a-zA-Z0-9_]+]] = %[[V6]] to %[[V4]] step %[[V7]] {
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = arith.addi %[[V9]], %[[V7]] : index
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V9]]] : memref<?xindex>
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V10]]] : memref<?xindex>
// CHECK-NEXT: slc.callback beg {
// CHECK-NEXT: scf.for %[[V13:[a-zA-Z0-9_]+]] = %[[V6]] to %[[V5]] step %[[V7]] {
// CHECK-NEXT: memref.store %[[V8]], %[[V3]][%[[V9]], %[[V13]]] : memref<?x?xf32>
// CHECK: scf.for %[[V14:[a-zA-Z0-9_]+]] = %[[V11]] to %[[V12]] step %[[V7]] {
// CHECK-NEXT: %[[V15:[a-zA-Z0-9_]+]] = memref.load %[[V1]][%[[V14]]] : memref<?xi32>
// CHECK-NEXT: %[[V16:[a-zA-Z0-9_]+]] = arith.index_cast %[[V15]] : i32 to index
// CHECK-NEXT: scf.for %[[V17:[a-zA-Z0-9_]+]] = %[[V6]] to %[[V5]] step %[[V7]] {
// CHECK-NEXT: %[[V18:[a-zA-Z0-9_]+]] = memref.load %[[V2]][%[[V16]], %[[V17]]] : memref<?x?xf32>
// CHECK-NEXT: slc.callback ite {
// CHECK-NEXT: %[[V19:[a-zA-Z0-9_]+]] = memref.load %[[V3]][%[[V9]], %[[V17]]] : memref<?x?xf32>
// CHECK-NEXT: %[[V20:[a-zA-Z0-9_]+]] = arith.addf %[[V19]], %[[V18]] : f32
// CHECK-NEXT: memref.store %[[V20]], %[[V3]][%[[V9]], %[[V17]]] : memref<?x?xf32>
// CHECK: } {slc.decouple}
// CHECK-NEXT: } {slc.decouple}
// CHECK-NEXT: } {slc.decouple}
// CHECK-NEXT: return
func.func @bag(%offsets: memref<?xindex>, %indices: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %bags: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %e = %c0 to %length step %c1 {
      memref.store %zero, %out[%b, %e] : memref<?x?xf32>
    }
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i32 = memref.load %indices[%p] : memref<?xi32>
      %i = arith.index_cast %i32 : i32 to index
      scf.for %e = %c0 to %length step %c1 {
        %v = memref.load %table[%i, %e] : memref<?x?xf32>
        %acc = memref.load %out[%b, %e] : memref<?x?xf32>
        %sum = arith.addf %acc, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x?xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @written(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V2:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V3:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V4:[a-zA-Z0-9_]+]] = %[[V2]] to %[[V1]] step %[[V3]] {
// CHECK-NEXT: %[[V5:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V4]]] : memref<?xf32>
// CHECK-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.addf %[[V5]], %[[V5]] : f32
// CHECK-NEXT: memref.store %[[V6]], %[[V0]][%[[V4]]] : memref<?xf32>
// CHECK: return
func.func @written(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %a[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<f32>, %[[V2:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V3:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %[[V5:[a-zA-Z0-9_]+]] = %[[V3]] to %[[V2]] step %[[V4]] {
// CHECK-NEXT: func.call @touch() : () -> ()
// CHECK-NEXT: scf.for %[[V6:[a-zA-Z0-9_]+]] = %[[V3]] to %[[V2]] step %[[V4]] {
// CHECK-NEXT: %[[V7:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V6]]] : memref<?xf32>
// CHECK-NEXT: slc.callback ite {
// CHECK-NEXT: memref.store %[[V7]], %[[V1]][] : memref<f32>
// CHECK: } {slc.decouple}
// CHECK: return
func.func @calls(%a: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @touch() : () -> ()
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i] : memref<?xf32>
      memref.store %v, %o[] : memref<f32>
    }
  }
  return
}

// CHECK-LABEL: func.func @carried(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V3:[a-zA-Z0-9_]+]]: index) -> (f32, index) {
// CHECK: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V7:[a-zA-Z0-9_]+]]:3 = scf.for %[[V8:[a-zA-Z0-9_]+]] = %[[V4]] to %[[V3]] step %[[V5]] iter_args(%[[V9:[a-zA-Z0-9_]+]] = %[[V4]], %[[V10:[a-zA-Z0-9_]+]] = %[[V6]], %[[V11:[a-zA-Z0-9_]+]] = %[[V6]]) -> (index, f32, f32) {
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = arith.addi %[[V8]], %[[V5]] : index
// CHECK-NEXT: %[[V13:[a-zA-Z0-9_]+]] = memref.load %[[V1]][%[[V8]]] : memref<?xindex>
// CHECK-NEXT: %[[V14:[a-zA-Z0-9_]+]] = memref.load %[[V1]][%[[V12]]] : memref<?xindex>
// CHECK-NEXT: %[[V15:[a-zA-Z0-9_]+]] = scf.for %[[V16:[a-zA-Z0-9_]+]] = %[[V13]] to %[[V14]] step %[[V5]] iter_args(%[[V17:[a-zA-Z0-9_]+]] = %[[V6]]) -> (f32) {
// CHECK-NEXT: %[[V18:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V16]]] : memref<?xf32>
// CHECK-NEXT: %[[V19:[a-zA-Z0-9_]+]] = slc.callback ite -> f32 {
// CHECK-NEXT: %[[V20:[a-zA-Z0-9_]+]] = arith.addf %[[V17]], %[[V18]] : f32
// CHECK-NEXT: slc.yield %[[V20]] : f32
// CHECK: scf.yield %[[V19]] : f32
// CHECK-NEXT: } {slc.decouple}
// CHECK-NEXT: %[[V21:[a-zA-Z0-9_]+]] = slc.callback end -> index {
// CHECK-NEXT: memref.store %[[V15]], %[[V2]][%[[V8]]] : memref<?xf32>
// CHECK-NEXT: slc.yield %[[V14]] : index
// CHECK: scf.yield %[[V21]], %[[V11]], %[[V15]] : index, f32, f32
// CHECK-NEXT: } {slc.decouple}
// CHECK-NEXT: return %[[V7]]#1, %[[V7]]#0 : f32, index
func.func @carried(%a: memref<?xf32>, %ptr: memref<?xindex>, %o: memref<?xf32>, %n: index) -> (f32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %c0, %x = %z, %y = %z) -> (index, f32, f32) {
    %i1 = arith.addi %i, %c1 : index
    %b = memref.load %ptr[%i] : memref<?xindex>
    %e = memref.load %ptr[%i1] : memref<?xindex>
    %s = scf.for %p = %b to %e step %c1 iter_args(%acc = %z) -> f32 {
      %v = memref.load %a[%p] : memref<?xf32>
      %t = arith.addf %acc, %v : f32
      scf.yield %t : f32
    }
    memref.store %s, %o[%i] : memref<?xf32>
    scf.yield %e, %y, %s : index, f32, f32
  }
  return %r#1, %r#0 : f32, index
}

// CHECK-LABEL: func.func @conditional(
// CHECK-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xi1>, %[[V2:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V3:[a-zA-Z0-9_]+]]: memref<?xf32>, %[[V4:[a-zA-Z0-9_]+]]: index) {
// CHECK: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// CHECK-NEXT: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// CHECK: scf.for %[[V7:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V4]] step %[[V6]] {
// CHECK-NEXT: %[[V8:[a-zA-Z0-9_]+]] = memref.load %[[V1]][%[[V7]]] : memref<?xi1>
// CHECK-NEXT: %[[V9:[a-zA-Z0-9_]+]] = scf.if %[[V8]] -> (index) {
// CHECK-NEXT: %[[V10:[a-zA-Z0-9_]+]] = memref.load %[[V2]][%[[V7]]] : memref<?xindex>
// CHECK-NEXT: scf.yield %[[V10]] : index
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{.*}} : index
// CHECK-NEXT: }
// CHECK-NEXT: %[[V11:[a-zA-Z0-9_]+]] = scf.if %[[V8]] -> (f32) {
// CHECK-NEXT: %[[V12:[a-zA-Z0-9_]+]] = memref.load %[[V0]][%[[V9]]] : memref<?xf32>
// CHECK-NEXT: scf.yield %[[V12]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %{{.*}} : f32
// CHECK-NEXT: }
// CHECK-NEXT: slc.callback ite {
// CHECK-NEXT: scf.if %[[V8]] {
// CHECK-NEXT: memref.store %[[V11]], %[[V3]][%[[V7]]] : memref<?xf32>
// CHECK: } {slc.decouple}
// CHECK-NEXT: return
func.func @conditional(%a: memref<?xf32>, %b: memref<?xi1>, %idx: memref<?xindex>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.load %b[%i] : memref<?xi1>
    scf.if %c {
      %j = memref.load %idx[%i] : memref<?xindex>
      %v = memref.load %a[%j] : memref<?xf32>
      memref.store %v, %o[%i] : memref<?xf32>
    }
  }
  return
}
