// A kernel library exports its entries and what callers need with them, and its
// manifest says how to call them.
// RUN: rm -rf %t && mkdir -p %t
// RUN: emberc %s -o %t/libk.so --cache-dir=%t/cache --queue-capacity=7 --vector-length=4 --mcpu=x86-64-v3
// RUN: llvm-nm -D --defined-only --format=just-symbols %t/libk.so | sort | FileCheck %s --check-prefix=SYMBOLS
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/libk.json
// RUN: %python -m json.tool %t/libk.json > %t/again.json

// SYMBOLS: ember_configure
// SYMBOLS-NEXT: ember_free
// SYMBOLS-NEXT: ember_kernel_count
// SYMBOLS-NEXT: ember_kernel_scale
// SYMBOLS-NEXT: ember_use_team
// SYMBOLS-NOT: {{.}}

// MANIFEST: "cpu": "x86-64-v3"
// MANIFEST: "ember": "0.1.0"
// MANIFEST: "entries": [
// MANIFEST: "dtype": "f32"
// MANIFEST-NEXT: "kind": "memref"
// MANIFEST-NEXT: "name": "in"
// MANIFEST-NEXT: "shape": [
// MANIFEST-NEXT: null,
// MANIFEST-NEXT: 64
// MANIFEST-NEXT: ]
// MANIFEST-NEXT: "writable": false
// MANIFEST: "dtype": "f32"
// MANIFEST-NEXT: "kind": "memref"
// MANIFEST-NEXT: "name": "argument 1"
// MANIFEST-NEXT: "offset": null
// MANIFEST: "strides": [
// MANIFEST-NEXT: null,
// MANIFEST-NEXT: 1
// MANIFEST: "writable": true
// MANIFEST: "dtype": "f32"
// MANIFEST-NEXT: "kind": "scalar"
// MANIFEST: "name": "scale"
// MANIFEST: "results": []
// MANIFEST: "symbol": "ember_kernel_scale"
// MANIFEST: "name": "count"
// MANIFEST: "dtype": "index"
// MANIFEST-NEXT: "kind": "scalar"
// MANIFEST: "opt_level": 3
// MANIFEST: "queue_capacity": 7
// MANIFEST: "target": "cpu"
// MANIFEST: "vector_length": 4

func.func @scale(%in: memref<?x64xf32> {ember.name = "in"},
                 %out: memref<?x64xf32, strided<[?, 1], offset: ?>>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %in, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %in[%i, %j] : memref<?x64xf32>
      %w = arith.mulf %v, %s : f32
      memref.store %w, %out[%i, %j] : memref<?x64xf32, strided<[?, 1], offset: ?>>
    }
  }
  return
}
func.func @count(%in: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  return %n : index
}
func.func private @unseen() {
  return
}
