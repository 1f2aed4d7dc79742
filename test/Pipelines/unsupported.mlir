// What no kernel is made of is one error, which says what to do, in every tool.

// RUN: split-file %s %t

// RUN: not ember-opt %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ember-opt %t/name.mlir --insert-runtime-checks 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not emberc %t/name.mlir --no-cache -o %t/k.so 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not emberc %t/name.mlir --emit=slc 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ember-run %t/name.mlir --entry=main 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: name.mlir:1:1: error: 'ember_fail_index' is called like what kernels call in Ember's runtime: give it a name that does not begin with 'ember_'
// NAME-NOT: error

// RUN: not ember-opt %t/global.mlir 2>&1 | FileCheck %s --check-prefix=GLOBAL
// GLOBAL: global.mlir:1:1: error: 'ember_text' is called like

// RUN: not ember-opt %t/layout.mlir --scf-to-slc 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not emberc %t/layout.mlir --no-cache -o %t/k.so 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not ember-run %t/layout.mlir 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: layout.mlir:3:8: error: the layout of 'memref<8x7xf32, affine_map<(d0, d1) -> (d1, d0)>>' has no strides: use a strided or no layout, which mlir-opt --normalize-memrefs gives where it can
// LAYOUT-NOT: error

// What the message promises.
// RUN: mlir-opt-22 %t/layout.mlir --normalize-memrefs | not ember-run - @%t/normalized.npy --print=0 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}normalized.npy

// RUN: not ember-opt %t/complex.mlir --scf-to-slc 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not emberc %t/complex.mlir --no-cache -o %t/k.so 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not ember-run %t/complex.mlir 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: complex.mlir:1:1: error: elements of type 'complex<f32>' are not supported: keep their real and imaginary parts in memrefs of their own
// COMPLEX-NOT: error

// RUN: not ember-opt %t/long.mlir --convert-slc-to-scf 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not emberc %t/long.mlir --no-cache -o %t/k.so 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not ember-run %t/long.mlir 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: long.mlir:3:8: error: 'vector<65536xf32>' is longer than the 1024 elements that vectors may have
// LONG-NOT: error

// Elements that no 64 bits count.
// RUN: not ember-opt %t/longer.mlir 2>&1 | FileCheck %s --check-prefix=LONGER
// LONGER: longer.mlir:1:1: error: 'vector<4294967296x4294967296xf32>' is longer than

// The longest vectors there may be, where loops are made of them.
// RUN: not ember-opt %t/good.mlir --optimize=vector-length=1025 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: slc-vectorize: vector-length must be in [0, 1024], not 1025

// What lowering itself has declared may be read again.
// RUN: ember-opt %t/good.mlir --lower-to-native | ember-opt | FileCheck %s --check-prefix=GOOD
// GOOD: llvm.func @ember_kernel_good

//--- name.mlir
func.func private @ember_fail_index(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
func.func @main(%m: memref<?xf32>, %i: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = func.call @ember_fail_index(%m, %i) : (memref<?xf32>, index) -> f32
  memref.store %v, %o[%c0] : memref<?xf32>
  return
}

//--- global.mlir
memref.global "private" @ember_text : memref<4xf32> = dense<1.0>

//--- layout.mlir
func.func @f(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<8x7xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %v = memref.load %m[%c0] : memref<?xf32>
  memref.store %v, %t[%c0, %c0] : memref<8x7xf32, affine_map<(d0, d1) -> (d1, d0)>>
  memref.dealloc %t : memref<8x7xf32, affine_map<(d0, d1) -> (d1, d0)>>
  return
}

//--- complex.mlir
func.func @f(%m: memref<?xcomplex<f32>>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<?xcomplex<f32>>
  %w = complex.add %v, %v : complex<f32>
  memref.store %w, %m[%c0] : memref<?xcomplex<f32>>
  return
}

//--- long.mlir
func.func @f(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<?xf32>, vector<65536xf32>
  vector.store %v, %m[%c0] : memref<?xf32>, vector<65536xf32>
  return
}

//--- longer.mlir
func.func private @f(vector<4294967296x4294967296xf32>)

//--- good.mlir
func.func @good(%m: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %m[%i] : memref<?xf32>
  return %v : f32
}
