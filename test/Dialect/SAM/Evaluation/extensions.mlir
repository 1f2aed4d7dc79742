// Chunks, points, lanes and words of bits, of streams that are written down.

// RUN: ember-run %s --entry=chunks --streams=- | FileCheck %s --check-prefix=CHUNKS
// RUN: ember-run %s --entry=points --streams=- | FileCheck %s --check-prefix=POINTS
// RUN: ember-run %s --entry=lanes --streams=- | FileCheck %s --check-prefix=LANES
// RUN: %python -c "import numpy as np; c = lambda *i: np.isin(np.arange(12), i).astype(np.float32); np.save('%t.b.npy', c(0, 2, 6, 8, 9)); np.save('%t.c.npy', c(0, 1, 2, 5, 9, 10))"
// RUN: ember-run %s --entry=words @%t.b.npy @%t.c.npy --streams=- | FileCheck %s --check-prefix=WORDS
// RUN: not ember-run %s --entry=uneven 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not ember-run %s --entry=counts 2>&1 | FileCheck %s --check-prefix=COUNTS

#vector = #cin.format<compressed fill 0.0 : f32>

// CHUNKS: crd<2> = 0 2 3 5 S0 3 S0 S0 0 1 2 5 S1 D
// CHUNKS: crd<3> = 1 S0 6 S0 9 S0 15 S1 9 S1 S1 1 S0 3 5 S0 6 S0 15 S2 D
// CHUNKS: crd<2> = 0 2 3 5 S0 3 S0 S0 0 1 2 5 S1 D
// CHUNKS: crd<3> = 1 S0 0 S0 0 S0 0 S1 0 S1 S1 1 S0 0 2 S0 0 S0 0 S2 D
// CHUNKS: ref<3> = 0 S0 1 S0 2 S0 3 S1 4 S1 S1 5 S0 6 7 S0 8 S0 9 S2 D
// CHUNKS: crd<2> = 1 6 9 15 S0 9 S0 S0 1 3 5 6 15 S1 D
// CHUNKS: crd<2> = 1 6 9 15 S0 9 S0 S0 1 3 5 6 15 S1 D
// CHUNKS: ref<2> = 0 1 2 3 S0 4 S0 S0 5 6 7 8 9 S1 D
func.func @chunks() {
  sam.graph {
    %i = sam.stream "1 6 9 15 S0 9 S0 S0 1 3 5 6 15 S1 D" : !sam.crd<2>
    %ref = sam.stream "0 1 2 3 S0 4 S0 S0 5 6 7 8 9 S1 D" : !sam.ref<2>
    %0, %1 = sam.split %i by 3 : !sam.crd<2>
    %2, %3, %4 = sam.split %i by 3 relative beside %ref : !sam.crd<2>, !sam.ref<2>
    %5 = sam.flatten %0, %1 by 3 : !sam.crd<2>, !sam.crd<3>
    %6, %7 = sam.flatten %2, %3 by 3 relative beside %4 : !sam.crd<2>, !sam.crd<3>, !sam.ref<3>
  }
  return
}

// POINTS: crd<1> = 0 2 1 S0 D
// POINTS: val<f32, 2> = 5 2 S0 3 S1 D
// POINTS: crd<1> = 0 2 S0 D
// POINTS: crd<2> = 1 3 S0 0 S1 D
func.func @points() {
  sam.graph {
    %j = sam.stream "0 2 S0 S0 1 S1 D" : !sam.crd<2>
    %0 = sam.stop_drop %j : !sam.crd<2>
    %v = sam.stream "1 2 3 4 S0 D" : !sam.val<f32, 1>
    %x = sam.stream "0 S0 0 S0 2 S0 0 S1 D" : !sam.crd<2>
    %y = sam.stream "1 S0 3 S0 0 S0 1 S1 D" : !sam.crd<2>
    %i_each = sam.stop_drop %x : !sam.crd<2>
    %j_each = sam.stop_drop %y : !sam.crd<2>
    %1, %2, %3 = sam.accumulate add %v at %i_each, %j_each
        : !sam.val<f32, 1>, !sam.crd<1>, !sam.crd<1>
  }
  return
}

// LANES: crd<2> = 0 2 S0 1 S1 D
// LANES: crd<2> = S1 D
// LANES: crd<2> = 0 2 S0 S0 1 S1 D
// LANES: crd<2> = 0 2 S0 S0 1 S1 D
func.func @lanes() {
  sam.graph {
    %j = sam.stream "0 2 S0 S0 1 S1 D" : !sam.crd<2>
    %0, %1 = sam.parallelize %j to 2 : !sam.crd<2>
    %2 = sam.serialize %0, %1 : !sam.crd<2>, !sam.crd<2>
    %3 = sam.buffer %2 of 4 : !sam.crd<2>
  }
  return
}

// WORDS: bv<4, 1> = 5 4 3 S0 D
// WORDS: ref<1> = 0 2 3 S0 D
// WORDS: bv<4, 1> = 7 2 6 S0 D
// WORDS: ref<1> = 0 3 4 S0 D
// WORDS: bv<4, 1> = 5 0 2 S0 D
// WORDS: crd<1> = 0 2 9 S0 D
// WORDS: ref<1> = 0 1 4 S0 D
// WORDS: ref<1> = 0 2 4 S0 D
// WORDS: bv<4, 1> = 7 6 7 S0 D
// WORDS: crd<1> = 0 1 2 5 6 8 9 10 S0 D
// WORDS: ref<1> = 0 N 1 N 2 3 4 N S0 D
// WORDS: ref<1> = 0 1 2 3 N N 4 5 S0 D
// WORDS: bv<64, 2> = 2 S0 0 S0 2177 S1 D
// WORDS: ref<2> = 0 S0 1 S0 1 S1 D
// WORDS: bv<64, 1> = 0 S0 D
// WORDS: ref<1> = N S0 D
func.func @words(%B: tensor<?xf32, #vector>, %C: tensor<?xf32, #vector>) {
  sam.graph ins(%b = %B, %c = %C : tensor<?xf32, #vector>, tensor<?xf32, #vector>) {
    %root = sam.root
    %w_b, %at_b = sam.bv_scan %b[0] at %root by 4 : tensor<?xf32, #vector>, !sam.ref<0>
    %w_c, %at_c = sam.bv_scan %c[0] at %root by 4 : tensor<?xf32, #vector>, !sam.ref<0>
    %both = sam.bv_intersect %w_b, %w_c : !sam.bv<4, 1>, !sam.bv<4, 1>
    %0, %1, %2 = sam.bv_expand %both of %w_b, %w_c at %at_b, %at_c : !sam.bv<4, 1>
    %any = sam.bv_union %w_b, %w_c : !sam.bv<4, 1>, !sam.bv<4, 1>
    %3, %4, %5 = sam.bv_expand %any of %w_b, %w_c at %at_b, %at_c : !sam.bv<4, 1>
    %i = sam.stream "1 S0 S0 0 7 11 S1 D" : !sam.crd<2>
    %6, %7 = sam.bv_convert %i of %b[0] by 64 : !sam.crd<2>, tensor<?xf32, #vector>
    %none = sam.stream "N D" : !sam.ref<0>
    %8, %9 = sam.bv_scan %b[0] at %none by 64 : tensor<?xf32, #vector>, !sam.ref<0>
  }
  return
}

// UNEVEN: 'sam.serialize' op has no element 1 of lane 0, whose turn it is, and others have more
func.func @uneven() {
  sam.graph {
    %a = sam.stream "0 S0 D" : !sam.crd<1>
    %b = sam.stream "1 2 S0 D" : !sam.crd<1>
    %0 = sam.serialize %a, %b : !sam.crd<1>, !sam.crd<1>
  }
  return
}

// COUNTS: 'sam.accumulate' op has 1 values and 2 coordinates of level 0
func.func @counts() {
  sam.graph {
    %v = sam.stream "1 S0 D" : !sam.val<f32, 1>
    %i = sam.stream "0 1 S0 D" : !sam.crd<1>
    %0, %1 = sam.accumulate add %v at %i : !sam.val<f32, 1>, !sam.crd<1>
  }
  return
}
