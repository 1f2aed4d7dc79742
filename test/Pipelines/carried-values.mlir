// Values that loops carry, in every form, give the same result at every level:
// initial values from a stream, an induction variable, a constant and another
// carried value; yields of streams, of carried values and of swapped ones; more
// than one result used behind the nest; a value of the beg callback in the end
// callback.

// RUN: %npy make %t.a.npy f32 "np.arange(15).reshape(3, 5) % 7"
// RUN: %npy make %t.w.npy f32 "[2, -1, 3]"
// RUN: %npy make %t.o.npy f32 "np.zeros(24)"
// DEFINE: %{run} = ember-run - --entry=main @%t.a.npy @%t.w.npy @%t.o.npy --print=2

// RUN: cat %s | %{run} | FileCheck %s
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=1 vector-length=4" > %t.1.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=2 vector-length=4" > %t.2.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=3 vector-length=2" > %t.3.mlir
// RUN: cat %t.slc.mlir | %{run} | FileCheck %s
// RUN: cat %t.1.mlir | %{run} | FileCheck %s
// RUN: cat %t.2.mlir | %{run} | FileCheck %s
// RUN: cat %t.3.mlir | %{run} | FileCheck %s
// RUN: ember-opt %t.slc.mlir --slc-to-dlc | %{run} --queue-capacity=1 | FileCheck %s
// RUN: ember-opt %t.1.mlir --slc-to-dlc | %{run} --queue-capacity=1 | FileCheck %s
// RUN: ember-opt %t.2.mlir --slc-to-dlc | %{run} --queue-capacity=1 | FileCheck %s
// RUN: ember-opt %t.3.mlir --slc-to-dlc | %{run} --queue-capacity=3 | FileCheck %s

// All of them are decoupled.
// RUN: ember-opt %t.slc.mlir --slc-to-dlc | FileCheck %s --check-prefix=DLC
// DLC-COUNT-8: dlc.program

// CHECK: argument 2: memref<24xf32> [24] =
// CHECK-SAME: [12, 13, 21, 10, 15, 20, 4, 2, 23, 22, 42, 42, 24, 60, 4, 0, 2, 1, 4, 20, -28, 162, -1, 3]

// Initial value from a stream.
func.func private @init_stream(%a: memref<3x5xf32>, %w: memref<3xf32>, %o: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %w[%i] : memref<3xf32>
    %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%acc = %x) -> f32 {
      %v = memref.load %a[%i, %j] : memref<3x5xf32>
      %t = arith.addf %acc, %v : f32
      scf.yield %t : f32
    }
    memref.store %s, %o[%i] : memref<24xf32>
  }
  return
}

// Initial values from an induction variable and from a value carried around
// it; yields of induction variables.
func.func private @init_position(%a: memref<3x5xf32>, %o: memref<24xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %c1, %q = %c0) -> (index, index) {
    %s:2 = scf.for %j = %c0 to %c5 step %c1 iter_args(%acc = %i, %w = %p) -> (index, index) {
      %v = memref.load %a[%i, %j] : memref<3x5xf32>
      %i64 = arith.fptosi %v : f32 to i64
      %n = arith.index_cast %i64 : i64 to index
      %t = arith.addi %acc, %n : index
      scf.yield %t, %j : index, index
    }
    %i64 = arith.index_cast %s#0 : index to i64
    %f = arith.sitofp %i64 : i64 to f32
    %at = arith.addi %i, %c3 : index
    memref.store %f, %o[%at] : memref<24xf32>
    scf.yield %s#1, %i : index, index
  }
  return %r#0, %r#1 : index, index
}

// Swapped on the way in, in each iteration and on the way out.
func.func private @swap(%a: memref<3x5xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %one, %q = %two) -> (f32, f32) {
    %s:2 = scf.for %j = %c0 to %c5 step %c1 iter_args(%u = %q, %w = %p) -> (f32, f32) {
      %v = memref.load %a[%i, %j] : memref<3x5xf32>
      %t = arith.addf %u, %v : f32
      scf.yield %w, %t : f32, f32
    }
    scf.yield %s#1, %s#0 : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// One value yielded twice, and the value before it.
func.func private @twice(%a: memref<3x5xf32>) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %z, %q = %z, %h = %z) -> (f32, f32, f32) {
    %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%u = %p) -> f32 {
      %v = memref.load %a[%i, %j] : memref<3x5xf32>
      %t = arith.addf %u, %v : f32
      scf.yield %t : f32
    }
    scf.yield %s, %s, %p : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// Three reductions, one in another.
func.func private @nested(%a: memref<3x5xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %z, %m = %z) -> (f32, f32) {
    %s:2 = scf.for %j = %c0 to %c5 step %c1 iter_args(%p1 = %p, %m1 = %z) -> (f32, f32) {
      %t = scf.for %l = %c0 to %c2 step %c1 iter_args(%q = %z) -> f32 {
        %v = memref.load %a[%l, %j] : memref<3x5xf32>
        %w = arith.maximumf %q, %v : f32
        scf.yield %w : f32
      }
      %u = arith.addf %p1, %t : f32
      scf.yield %u, %t : f32, f32
    }
    scf.yield %s#0, %s#1 : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// The value before each addition is stored.
func.func private @scan(%w: memref<3xf32>, %o: memref<24xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c15 = arith.constant 15 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %z) -> f32 {
    %v = memref.load %w[%i] : memref<3xf32>
    %at = arith.addi %i, %c15 : index
    memref.store %p, %o[%at] : memref<24xf32>
    %q = arith.addf %p, %v : f32
    scf.yield %q : f32
  }
  return %r : f32
}

// What stands before the inner loop is read in it and behind it.
func.func private @before_and_after(%a: memref<3x5xf32>, %w: memref<3xf32>, %o: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c19 = arith.constant 19 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %at = arith.addi %i, %c19 : index
    %x = memref.load %o[%at] : memref<24xf32>
    %y = memref.load %w[%i] : memref<3xf32>
    %h = arith.mulf %x, %y : f32
    %s = scf.for %j = %c0 to %c5 step %c1 iter_args(%acc = %x) -> f32 {
      %v = memref.load %a[%i, %j] : memref<3x5xf32>
      %vh = arith.mulf %v, %h : f32
      %t = arith.addf %acc, %vh : f32
      scf.yield %t : f32
    }
    %u = arith.subf %s, %x : f32
    memref.store %u, %o[%at] : memref<24xf32>
  }
  return
}

// A loaded value that leaves the loop one iteration late.
func.func private @delay(%w: memref<3xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %z, %q = %z) -> (f32, f32) {
    %v = memref.load %w[%i] : memref<3xf32>
    scf.yield %q, %v : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

func.func @main(%a: memref<3x5xf32>, %w: memref<3xf32>, %o: memref<24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c18 = arith.constant 18 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  %c21 = arith.constant 21 : index
  %c22 = arith.constant 22 : index
  %c23 = arith.constant 23 : index
  func.call @init_stream(%a, %w, %o) : (memref<3x5xf32>, memref<3xf32>, memref<24xf32>) -> ()
  %position:2 = func.call @init_position(%a, %o) : (memref<3x5xf32>, memref<24xf32>) -> (index, index)
  %p0 = arith.index_cast %position#0 : index to i64
  %p1 = arith.index_cast %position#1 : index to i64
  %f0 = arith.sitofp %p0 : i64 to f32
  %f1 = arith.sitofp %p1 : i64 to f32
  memref.store %f0, %o[%c6] : memref<24xf32>
  memref.store %f1, %o[%c7] : memref<24xf32>
  %swapped:2 = func.call @swap(%a) : (memref<3x5xf32>) -> (f32, f32)
  memref.store %swapped#0, %o[%c8] : memref<24xf32>
  memref.store %swapped#1, %o[%c9] : memref<24xf32>
  %twice:3 = func.call @twice(%a) : (memref<3x5xf32>) -> (f32, f32, f32)
  memref.store %twice#0, %o[%c10] : memref<24xf32>
  memref.store %twice#1, %o[%c11] : memref<24xf32>
  memref.store %twice#2, %o[%c12] : memref<24xf32>
  %nested:2 = func.call @nested(%a) : (memref<3x5xf32>) -> (f32, f32)
  memref.store %nested#0, %o[%c13] : memref<24xf32>
  memref.store %nested#1, %o[%c14] : memref<24xf32>
  %scanned = func.call @scan(%w, %o) : (memref<3xf32>, memref<24xf32>) -> f32
  memref.store %scanned, %o[%c18] : memref<24xf32>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  memref.store %one, %o[%c19] : memref<24xf32>
  memref.store %two, %o[%c20] : memref<24xf32>
  memref.store %three, %o[%c21] : memref<24xf32>
  func.call @before_and_after(%a, %w, %o) : (memref<3x5xf32>, memref<3xf32>, memref<24xf32>) -> ()
  %delayed:2 = func.call @delay(%w) : (memref<3xf32>) -> (f32, f32)
  memref.store %delayed#0, %o[%c22] : memref<24xf32>
  memref.store %delayed#1, %o[%c23] : memref<24xf32>
  return
}
