// RUN: ember-opt %s --prepare-buffers | FileCheck %s

// CHECK-LABEL: func.func @stack
// CHECK-NEXT: memref.alloca() : memref<4xf32>
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: memref.alloc() : memref<100000xf32>
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: memref.dealloc
// CHECK: memref.dealloc
// CHECK-NEXT: }
func.func @stack(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %small = memref.alloca() : memref<4xf32>
    %large = memref.alloca() : memref<100000xf32>
    %dynamic = memref.alloca(%n) : memref<?xf32>
    memref.store %x, %small[%c0] : memref<4xf32>
    memref.store %x, %large[%c0] : memref<100000xf32>
    memref.store %x, %dynamic[%c0] : memref<?xf32>
  }
  return
}

// Blocks of memory are copied as such, others element by element.

// CHECK-LABEL: func.func @copies
// CHECK: memref.copy
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copies(%a: memref<?x4xf32>, %b: memref<?x4xf32>, %c: memref<?x4xf32, strided<[8, 1]>>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  memref.copy %b, %c : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  return
}

// Integers read before they are written are zeros.

// CHECK-LABEL: func.func @integers
// CHECK-NEXT: %[[BUFFER:.*]] = memref.alloca() : memref<4xi32>
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.store %c0_i32, %[[BUFFER]][%[[I]]]
// CHECK: memref.load
func.func @integers(%i: index) -> i32 {
  %a = memref.alloca() : memref<4xi32>
  %x = memref.load %a[%i] : memref<4xi32>
  return %x : i32
}
