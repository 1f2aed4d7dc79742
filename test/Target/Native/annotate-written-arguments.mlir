// RUN: ember-opt %s --annotate-written-arguments | FileCheck %s

// CHECK-LABEL: func.func @direct
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @direct(%a: memref<?xf32>, %b: memref<?xf32>, %i: index) {
  %x = memref.load %a[%i] : memref<?xf32>
  memref.prefetch %a[%i], read, locality<3>, data : memref<?xf32>
  memref.store %x, %b[%i] : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @view
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 0>}
func.func @view(%a: memref<?xf32>, %b: memref<?xf32>, %i: index) {
  %v = memref.subview %a[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
  %c0 = arith.constant 0 : index
  %x = memref.load %b[%i] : memref<?xf32>
  memref.store %x, %v[%c0] : memref<4xf32, strided<[1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @carried
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 0, 1>}
func.func @carried(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<?xf32>, memref<?xf32>) {
    memref.store %x, %p[%c0] : memref<?xf32>
    scf.yield %q, %p : memref<?xf32>, memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @recursive
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 0>}
func.func @recursive(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  func.call @mutual(%b, %a, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}

// CHECK-LABEL: func.func @mutual
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @mutual(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %x = memref.load %a[%n] : memref<?xf32>
  memref.store %x, %b[%n] : memref<?xf32>
  func.call @recursive(%b, %a, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}

// CHECK-LABEL: func.func @unknown
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 0>}
func.func @unknown(%a: memref<?xf32>) {
  func.call @elsewhere(%a) : (memref<?xf32>) -> ()
  return
}
func.func private @elsewhere(memref<?xf32>)

// What becomes a descriptor or an address is followed no further.
// CHECK-LABEL: func.func @descriptor
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 0, 1>}
func.func @descriptor(%a: memref<f32>, %b: memref<f32>) -> index {
  %d = builtin.unrealized_conversion_cast %a : memref<f32> to !llvm.struct<(ptr, ptr, i64)>
  %p = memref.extract_aligned_pointer_as_index %b : memref<f32> -> index
  return %p : index
}

// Only what a function returns of its argument goes on behind the call.
// CHECK-LABEL: func.func @results
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @results(%a: memref<f32>, %b: memref<f32>, %x: f32) {
  %r:2 = func.call @returned(%a, %b) : (memref<f32>, memref<f32>) -> (memref<f32>, memref<f32>)
  memref.store %x, %r#0[] : memref<f32>
  memref.store %x, %r#1[] : memref<f32>
  return
}

// CHECK-LABEL: func.func @returned
// CHECK-SAME: attributes {ember.written_arguments = array<i64>}
func.func @returned(%a: memref<f32>, %b: memref<f32>) -> (memref<f32>, memref<f32>) {
  %0 = memref.alloc() : memref<f32>
  %x = memref.load %a[] : memref<f32>
  memref.store %x, %0[] : memref<f32>
  return %0, %b : memref<f32>, memref<f32>
}

// Programs see what they capture under another name.
// CHECK-LABEL: func.func @program
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @program(%a: memref<?xf32>, %b: memref<f32>, %n: index) {
  dlc.program captures(%n = %n : index, %a = %a : memref<?xf32>, %b = %b : memref<f32>)
  access {
    %tu = dlc.new_tu %n to %n step %n
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    dlc.register_callback %tu, ite, 0 value %v : !slc.stream<f32>
  }
  compute {
    dlc.compute_loop
    case 0 {
      %x = dlc.token_value : f32
      memref.store %x, %b[] : memref<f32>
    }
  }
  return
}

// Whoever is given an address may store by it.
// CHECK-LABEL: func.func @address
// CHECK-SAME: attributes {ember.written_arguments = array<i64: 1>}
func.func @address(%read: memref<?xi64>, %given: memref<?xi64>) -> i64 {
  %0 = memref.extract_aligned_pointer_as_index %read : memref<?xi64> -> index
  %1 = memref.extract_aligned_pointer_as_index %given : memref<?xi64> -> index
  %unused = arith.index_cast %0 : index to i64
  %word = arith.index_cast %1 : index to i64
  call @others(%word) : (i64) -> ()
  %c0 = arith.constant 0 : index
  %value = memref.load %read[%c0] : memref<?xi64>
  return %value : i64
}
func.func private @others(i64)
