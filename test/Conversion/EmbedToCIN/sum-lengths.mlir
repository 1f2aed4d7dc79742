// Bags given by lengths: a loop of its own finds out where each begins, and the
// loops over bags hand nothing on.

// RUN: ember-opt --cin-to-scf %s | FileCheck %s
// RUN: emberc %s --emit=loops -o - | FileCheck %s
// RUN: emberc %s --target=dae-threads --emit=loops -o - | FileCheck %s
// RUN: emberc %s --remarks -o %t.so --cache-dir=%t.cache 2>&1 | FileCheck %s --check-prefix=REMARKS

// CHECK-LABEL: func.func @tables(
// CHECK-SAME: %[[A:.*]]: memref<?x2xf32>, %[[B:.*]]: memref<?x3xf32>, %[[I:.*]]: memref<?xi64>, %[[S:.*]]: memref<?xi32>, %[[O:.*]]: memref<?x5xf32>)
// CHECK: %[[OFFSETS:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?xi64>
// CHECK: scf.for %[[X:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[BEGIN:.*]] = %c0_i64) -> (i64) {
// CHECK: memref.store %[[BEGIN]], %[[OFFSETS]][%[[X]]]
// CHECK: memref.load %[[S]][%[[X]]]
// CHECK: cf.assert %{{.*}}, "a length of lengths is negative"
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// CHECK: %[[FITS:.*]] = arith.cmpi sge, %[[LEFT]],
// CHECK: cf.assert %[[FITS]], "the lengths of lengths add up to more than there are indices"
// CHECK: scf.for %[[BAG:.*]] = %c0 to %{{.*}} step %c1 {
// CHECK: memref.load %[[OFFSETS]]
// CHECK: memref.load %[[OFFSETS]]
// CHECK: memref.load %[[A]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK: memref.load %[[OFFSETS]]
// CHECK: memref.load %[[OFFSETS]]
// CHECK: memref.load %[[B]]
// CHECK: memref.dealloc %[[OFFSETS]]

// What is left on one thread is the sum.
// REMARKS-COUNT-1: the loop runs on one thread: it hands values from iteration to iteration
// REMARKS-NOT: the loop runs on one thread

// Each way computes the same.

// RUN: %npy make %t.a.npy f32 "np.arange(8).reshape(4, 2)"
// RUN: %npy make %t.b.npy f32 "-np.arange(12).reshape(4, 3)"
// RUN: %npy make %t.i.npy i64 "[3, 1, 0, 0, 2, 3, 1]"
// RUN: %npy make %t.s.npy i32 "[2, 0, 1, 1, 0, 3]"
// RUN: %npy make %t.o.npy f32 "np.zeros((3, 5))"
// RUN: %npy make %t.expected.npy f32 "[[8, 10, 0, -1, -2], [0, 0, 0, 0, 0], [0, 1, -18, -21, -24]]"
// RUN: ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.s.npy @%t.o.npy --save=4:%t.0.npy
// RUN: %npy compare %t.0.npy %t.expected.npy
// RUN: ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.s.npy @%t.o.npy --save=4:%t.1.npy --target=cpu --threads=3
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.s.npy @%t.o.npy --save=4:%t.2.npy --target=dae-threads
// RUN: %npy compare %t.2.npy %t.expected.npy

// Lengths that are none, or too many; also where their sum wraps around.

// RUN: %npy make %t.negative.npy i32 "[2, 0, -1, 1, 0, 3]"
// RUN: not ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.negative.npy @%t.o.npy --target=cpu 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: a length of lengths is negative
// RUN: %npy make %t.long.npy i32 "[2, 0, 1, 1, 0, 4]"
// RUN: not ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.long.npy @%t.o.npy --target=cpu 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not ember-run %s @%t.a.npy @%t.b.npy @%t.i.npy @%t.long.npy @%t.o.npy --target=dae-threads 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: the lengths of lengths add up to more than there are indices
// RUN: sed "s/memref<?xi32>/memref<?xi64>/g" %s > %t.wide.mlir
// RUN: %npy make %t.huge.npy i64 "[2, 2**62, 2**62, 2**62, 2**62, 0]"
// RUN: not ember-run %t.wide.mlir @%t.a.npy @%t.b.npy @%t.i.npy @%t.huge.npy @%t.o.npy --target=cpu 2>&1 | FileCheck %s --check-prefix=LONG
func.func @tables(%a: memref<?x2xf32>, %b: memref<?x3xf32>, %i: memref<?xi64>,
                  %s: memref<?xi32>, %o: memref<?x5xf32>) {
  embed.bag sum tables(%a, %b : memref<?x2xf32>, memref<?x3xf32>)
      indices(%i : memref<?xi64>) lengths(%s : memref<?xi32>)
      outs(%o : memref<?x5xf32>)
  return
}
