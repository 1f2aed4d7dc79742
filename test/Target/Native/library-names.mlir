// A program's functions may be called like the C library's: math, copies and
// memory of other code do not come to them.

// RUN: %npy make %t.in.npy f32 "[0, 1, 2, 3]"
// RUN: %npy make %t.out.npy f32 "np.zeros(4)"
// RUN: ember-run %s --entry=malloc @%t.in.npy 0 @%t.out.npy --print=2 | FileCheck %s
// RUN: ember-run %s --entry=malloc --target=cpu @%t.in.npy 0 @%t.out.npy --print=2 | FileCheck %s
// CHECK: argument 2: memref<?xf32> [4] = [1, 1, 2, 3]

func.func private @memcpy(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
func.func private @expf(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func @malloc(%m: memref<?xf32>, %i: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = func.call @memcpy(%m, %i) : (memref<?xf32>, index) -> f32
  %w = func.call @expf(%v) : (f32) -> f32
  %u = math.exp %w : f32
  %d = memref.dim %m, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  memref.copy %m, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %o : memref<?xf32> to memref<?xf32>
  memref.store %u, %o[%c0] : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}
