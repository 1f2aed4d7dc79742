// Offsets that bound the outermost loop are loaded in front of the nest; that
// they decrease is the same error at every level.

// RUN: %npy make %t.offsets.npy i64 "[3, 1]"
// RUN: %npy make %t.values.npy f32 "[1, 2, 3, 4]"
// RUN: %npy make %t.out.npy f32 "np.zeros(4)"
// RUN: not ember-run %s @%t.offsets.npy @%t.values.npy @%t.out.npy 2>&1 | FileCheck %s
// RUN: not ember-run %s @%t.offsets.npy @%t.values.npy @%t.out.npy --target=cpu 2>&1 | FileCheck %s
// RUN: not ember-run %s @%t.offsets.npy @%t.values.npy @%t.out.npy --target=dae-threads 2>&1 | FileCheck %s
// RUN: ember-opt %s --scf-to-slc --slc-to-dlc | not ember-run - @%t.offsets.npy @%t.values.npy @%t.out.npy 2>&1 | FileCheck %s

// CHECK: error: offsets decrease: argument 0[0] is 3 but argument 0[1] is 1
func.func @root(%offsets: memref<2xi64>, %values: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %offsets[%c0] : memref<2xi64>
  %last = memref.load %offsets[%c1] : memref<2xi64>
  %begin = arith.index_cast %first : i64 to index
  %end = arith.index_cast %last : i64 to index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %values[%i] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
