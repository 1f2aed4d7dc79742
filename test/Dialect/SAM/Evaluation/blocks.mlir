// What blocks make of streams that are written down.

// RUN: ember-run %s --entry=lists --streams=- | FileCheck %s --check-prefix=LISTS
// RUN: ember-run %s --entry=reducers --streams=- | FileCheck %s --check-prefix=REDUCE
// RUN: ember-run %s --entry=joiners --streams=- | FileCheck %s --check-prefix=JOIN

// The stops of empty fibers, of one and of several levels.
// LISTS: crd<2> = 0 2 S0 S0 1 S1 D
// LISTS: ref<2> = 5 5 S0 S0 7 S1 D
// LISTS: crd<2> = 0 0 S0 S0 2 S1 D
// LISTS: crd<1> = 0 2 S0 D
// LISTS: crd<2> = 0 2 S0 1 S1 D
// LISTS: crd<1> = 1 S0 D
// LISTS: val<i32, 1> = -4 S0 D
func.func @lists() {
  sam.graph {
    %j = sam.stream "0 2 S0 S0 1 S1 D" : !sam.crd<2>
    %s = sam.repeat_signal %j : !sam.crd<2>
    %r = sam.stream "5 6 7 S0 D" : !sam.ref<1>
    %0 = sam.repeat %r by %s : !sam.ref<1>
    %i = sam.stream "0 1 2 S0 D" : !sam.crd<1>
    %1, %2 = sam.crd_hold %i over %j : !sam.crd<1>, !sam.crd<2>
    %3, %4 = sam.crd_drop %i by %j : !sam.crd<1>, !sam.crd<2>
    %v = sam.stream "0 -4 N S0 D" : !sam.val<i32, 1>
    %5, %6 = sam.crd_drop %i by %v : !sam.crd<1>, !sam.val<i32, 1>
  }
  return
}

// Three fibers, of which the second one is empty: kept as 0, or gone.
// REDUCE: val<f32, 1> = 3 0 4 S0 D
// REDUCE: val<f32, 1> = 3 4 S0 D
// Of lists in which all lists are empty nothing is left, and the lists are.
// REDUCE: val<f32, 1> = S0 D
// REDUCE: val<f32, 0> = 0 D
// Rows of which coordinates come several times; in order afterwards.
// REDUCE: val<f32, 2> = 5 2 S0 S0 8 S1 D
// REDUCE: crd<2> = 0 3 S0 S0 1 S1 D
// REDUCE: val<f32, 2> = 7 2 S0 3 S1 D
// REDUCE: crd<1> = 0 4 S0 D
// REDUCE: crd<2> = 1 5 S0 0 S1 D
// The empty row 2 of the same, kept.
// REDUCE: val<f32, 2> = 7 2 S0 S0 3 S1 D
// REDUCE: crd<1> = 0 2 4 S0 D
func.func @reducers() {
  sam.graph {
    %v = sam.stream "1 2 S0 S0 4 S1 D" : !sam.val<f32, 2>
    %0 = sam.reduce add keep %v : !sam.val<f32, 2>
    %1 = sam.reduce add drop %v : !sam.val<f32, 2>
    %empty = sam.stream "S0 S1 D" : !sam.val<f32, 2>
    %2 = sam.reduce add drop %empty : !sam.val<f32, 2>
    %3 = sam.reduce add drop %2 : !sam.val<f32, 1>

    %rows = sam.stream "1 2 S0 4 S1 S1 8 S2 D" : !sam.val<f32, 3>
    %j = sam.stream "0 3 S0 0 S1 S1 1 S2 D" : !sam.crd<3>
    %4, %5 = sam.reduce add drop %rows along %j : !sam.val<f32, 3>, !sam.crd<3>

    %i = sam.stream "0 4 S0 0 2 S1 D" : !sam.crd<2>
    %jj = sam.stream "1 5 S0 0 S1 1 S0 S2 D" : !sam.crd<3>
    %points = sam.stream "1 2 S0 3 S1 6 S0 S2 D" : !sam.val<f32, 3>
    %6, %7, %8 = sam.reduce add drop %points along %i, %jj
        : !sam.val<f32, 3>, !sam.crd<2>, !sam.crd<3>
    %9, %10, %11 = sam.reduce add keep %points along %i, %jj
        : !sam.val<f32, 3>, !sam.crd<2>, !sam.crd<3>
  }
  return
}

// JOIN: crd<2> = 2 S0 S0 S1 D
// JOIN: ref<2> = 8 S0 S0 S1 D
// JOIN: crd<2> = 0 2 3 S0 1 S0 4 S1 D
// JOIN: ref<2> = 7 8 N S0 9 S0 N S1 D
// JOIN: crd<2> = 1 2 3 S0 2 S0 4 5 S1 D
func.func @joiners() {
  sam.graph {
    %a = sam.stream "0 2 S0 1 S0 S1 D" : !sam.crd<2>
    %ra = sam.stream "7 8 S0 9 S0 S1 D" : !sam.ref<2>
    %b = sam.stream "2 3 S0 S0 4 S1 D" : !sam.crd<2>
    %c = sam.stream "1 S0 2 S0 5 S1 D" : !sam.crd<2>
    %0, %1 = sam.intersect (%a, %ra), (%b) : (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>)
    %2, %3 = sam.union (%a, %ra), (%b) : (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>)
    %4 = sam.union (%b), (%c), (%b) : (!sam.crd<2>), (!sam.crd<2>), (!sam.crd<2>)
  }
  return
}
