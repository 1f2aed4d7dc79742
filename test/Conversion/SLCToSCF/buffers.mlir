// Buffers that compute code reads front to back, backwards, twice, by its
// length, or that get several elements an iteration: recoupled and decoupled.

// RUN: %npy make %t.a.npy f32 "[1, 2, 3, 4, 5]"
// RUN: %npy make %t.o.npy f32 "np.zeros(16)"

// RUN: %npy make %t.backwards.npy f32 "[5, 4, 3, 2, 1] + [0] * 11"
// RUN: ember-run %s --entry=backwards @%t.a.npy @%t.o.npy --save=1:%t.1.npy
// RUN: %npy compare %t.1.npy %t.backwards.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=backwards @%t.a.npy @%t.o.npy --save=1:%t.2.npy --queue-capacity=1
// RUN: %npy compare %t.2.npy %t.backwards.npy

// RUN: %npy make %t.length.npy f32 "[1, 2, 3, 4, 5, 5] + [0] * 10"
// RUN: ember-run %s --entry=length @%t.a.npy @%t.o.npy --save=1:%t.3.npy
// RUN: %npy compare %t.3.npy %t.length.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=length @%t.a.npy @%t.o.npy --save=1:%t.4.npy
// RUN: %npy compare %t.4.npy %t.length.npy

// RUN: %npy make %t.two.npy f32 "[1, 1, 2, 2, 3, 3, 4, 4, 5, 5] + [0] * 6"
// RUN: ember-run %s --entry=two_pushes @%t.a.npy @%t.o.npy --save=1:%t.5.npy
// RUN: %npy compare %t.5.npy %t.two.npy
// RUN: ember-opt %s --slc-to-dlc | ember-run - --entry=two_pushes @%t.a.npy @%t.o.npy --save=1:%t.6.npy --queue-capacity=2
// RUN: %npy compare %t.6.npy %t.two.npy

// Without copies where single elements are read.
// RUN: ember-opt %s --convert-slc-to-scf | FileCheck %s
// CHECK-LABEL: func.func @backwards(
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @length(
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @two_pushes(
// CHECK: memref.alloc
// CHECK: memref.dealloc

func.func @backwards(%a: memref<5xf32>, %o: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  slc.for %t = %c0 to %c1 step %c1 {
    %buf = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %c5 step %c1 {
      %v = slc.mem_str %a[%i] : memref<5xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %buf : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<f32> -> memref<?xf32>
      scf.for %k = %c0 to %c5 step %c1 {
        %from = arith.subi %c4, %k : index
        %v = memref.load %row[%from] : memref<?xf32>
        memref.store %v, %o[%k] : memref<16xf32>
      }
    }
  }
  return
}

func.func @length(%a: memref<5xf32>, %o: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  slc.for %t = %c0 to %c1 step %c1 {
    %buf = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %c5 step %c1 {
      %v = slc.mem_str %a[%i] : memref<5xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %buf : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<f32> -> memref<?xf32>
      %n = memref.dim %row, %c0 : memref<?xf32>
      scf.for %k = %c0 to %n step %c1 {
        %v = memref.load %row[%k] : memref<?xf32>
        memref.store %v, %o[%k] : memref<16xf32>
      }
      %i64 = arith.index_cast %n : index to i64
      %f = arith.sitofp %i64 : i64 to f32
      memref.store %f, %o[%n] : memref<16xf32>
    }
  }
  return
}

func.func @two_pushes(%a: memref<5xf32>, %o: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  slc.for %t = %c0 to %c1 step %c1 {
    %buf = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %c5 step %c1 {
      %v = slc.mem_str %a[%i] : memref<5xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %buf : !slc.stream<f32>, !slc.buffer<f32>
      slcv.push %v, %buf : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<f32> -> memref<?xf32>
      scf.for %k = %c0 to %c10 step %c1 {
        %v = memref.load %row[%k] : memref<?xf32>
        memref.store %v, %o[%k] : memref<16xf32>
      }
    }
  }
  return
}
