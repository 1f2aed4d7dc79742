// Buffers are popped element by element in the loop over the row where that
// loop surely visits all of it once and in order, and popped into memory first
// where it does not.

// RUN: ember-opt %s --convert-slc-to-dlc | FileCheck %s
// RUN: %npy make %t.a.npy f32 "[1, 2, 3, 4, 5]"
// RUN: %npy make %t.b.npy f32 "[10, 20, 30, 40, 50]"
// RUN: %npy make %t.o.npy f32 "np.zeros(5)"
// DEFINE: %{run} = ember-run - @%t.a.npy @%t.b.npy 5 2 @%t.o.npy --print=4

// RUN: cat %s | %{run} --entry=whole | FileCheck %s --check-prefix=WHOLE
// RUN: ember-opt %s --slc-to-dlc | %{run} --entry=whole --queue-capacity=1 | FileCheck %s --check-prefix=WHOLE
// RUN: cat %s | %{run} --entry=part | FileCheck %s --check-prefix=PART
// RUN: ember-opt %s --slc-to-dlc | %{run} --entry=part --queue-capacity=1 | FileCheck %s --check-prefix=PART
// RUN: cat %s | %{run} --entry=interleaved | FileCheck %s --check-prefix=INTERLEAVED
// RUN: ember-opt %s --slc-to-dlc | %{run} --entry=interleaved --queue-capacity=1 | FileCheck %s --check-prefix=INTERLEAVED
// RUN: cat %s | %{run} --entry=merged | FileCheck %s --check-prefix=MERGED
// RUN: ember-opt %s --slc-to-dlc | %{run} --entry=merged --queue-capacity=1 | FileCheck %s --check-prefix=MERGED
// WHOLE: = [11, 22, 33, 44, 55]
// PART: = [1, 2, 0, 0, 0]
// INTERLEAVED: = [60, 60, 60, 60, 60]
// MERGED: = [2, 3, 4, 5, 6]

// CHECK-LABEL: func.func @whole(
// CHECK: dlc.register_callback %{{.+}}, end, 0
// CHECK: dlc.register_operand %{{.+}}, ite
// CHECK-NEXT: dlc.register_operand %{{.+}}, ite
// CHECK: dlc.compute_loop
// CHECK: scf.for
// CHECK-NEXT: dlc.pop_operand : f32
// CHECK-NEXT: dlc.pop_operand : f32
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @whole(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %t = %c0 to %c1 step %c1 {
    %rows = slcv.buf_str : !slc.buffer<f32>
    %others = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %n step %c1 {
      %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %w = slc.mem_str %b[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %rows : !slc.stream<f32>, !slc.buffer<f32>
      slcv.push %w, %others : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %rows : !slc.buffer<f32> -> memref<?xf32>
      %other = slc.str_to_val %others : !slc.buffer<f32> -> memref<?xf32>
      scf.for %k = %c0 to %n step %c1 {
        %w = memref.load %other[%k] : memref<?xf32>
        %v = memref.load %row[%k] : memref<?xf32>
        %s = arith.addf %v, %w : f32
        memref.store %s, %o[%k] : memref<?xf32>
      }
    }
  }
  return
}

// The loop may leave elements behind, which have to be popped all the same.
// CHECK-LABEL: func.func @part(
// CHECK: dlc.compute_loop
// CHECK: dlc.pop_operand size %{{.+}} : memref<?xf32>
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK: return
func.func @part(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %t = %c0 to %c1 step %c1 {
    %rows = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %n step %c1 {
      %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %rows : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %rows : !slc.buffer<f32> -> memref<?xf32>
      scf.for %k = %c0 to %m step %c1 {
        %v = memref.load %row[%k] : memref<?xf32>
        memref.store %v, %o[%k] : memref<?xf32>
      }
    }
  }
  return
}

// Two buffers whose elements come in turn, read in opposite orders: each gets
// memory of its own.
// CHECK-LABEL: func.func @interleaved(
// CHECK: dlc.compute_loop
// CHECK-COUNT-2: memref.alloc
// CHECK: scf.for
// CHECK-NEXT: dlc.pop_operand : f32
// CHECK: dlc.pop_operand : f32
// CHECK-COUNT-2: memref.dealloc
// CHECK: return
func.func @interleaved(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ten = arith.constant 10.0 : f32
  slc.for %t = %c0 to %c1 step %c1 {
    %rows = slcv.buf_str : !slc.buffer<f32>
    %others = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %c0 to %n step %c1 {
      %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %w = slc.mem_str %b[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %rows : !slc.stream<f32>, !slc.buffer<f32>
      slcv.push %w, %others : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %row = slc.str_to_val %rows : !slc.buffer<f32> -> memref<?xf32>
      %other = slc.str_to_val %others : !slc.buffer<f32> -> memref<?xf32>
      %last = arith.subi %n, %c1 : index
      scf.for %k = %c0 to %n step %c1 {
        %from = arith.subi %last, %k : index
        %w = memref.load %other[%from] : memref<?xf32>
        %v = memref.load %row[%k] : memref<?xf32>
        %x = arith.mulf %v, %ten : f32
        %s = arith.addf %x, %w : f32
        memref.store %s, %o[%k] : memref<?xf32>
      }
    }
  }
  return
}

// A callback in front of the one that reads the row runs in the same case, for
// the row's elements are next in the queue.
// CHECK-LABEL: func.func @merged(
// CHECK-COUNT-1: dlc.register_callback
// CHECK-NOT: dlc.register_callback
// CHECK: dlc.compute_loop
// CHECK: return
func.func @merged(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %t = %c0 to %m step %c1 {
    %rows = slcv.buf_str : !slc.buffer<f32>
    slc.for %i = %t to %n step %c1 : !slc.stream<index>, index {
      %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slcv.push %v, %rows : !slc.stream<f32>, !slc.buffer<f32>
    }
    slc.callback end {
      %one = arith.constant 1.0 : f32
      scf.for %k = %c0 to %n step %c1 {
        %v = memref.load %o[%k] : memref<?xf32>
        %w = arith.addf %v, %one : f32
        memref.store %w, %o[%k] : memref<?xf32>
      }
    }
    slc.callback end {
      %from = slc.str_to_val %t : !slc.stream<index> -> index
      %row = slc.str_to_val %rows : !slc.buffer<f32> -> memref<?xf32>
      %length = arith.subi %n, %from : index
      scf.for %k = %c0 to %length step %c1 {
        %v = memref.load %row[%k] : memref<?xf32>
        memref.store %v, %o[%k] : memref<?xf32>
      }
    }
  }
  return
}
