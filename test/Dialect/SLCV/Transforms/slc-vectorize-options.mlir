// RUN: not ember-opt %s --slc-vectorize 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ember-opt %s --slc-vectorize=vector-length=-4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not ember-opt %s --slc-vectorize=vector-length=100000 2>&1 | FileCheck %s --check-prefix=LONG

// NONE: error: slc-vectorize: needs a vector-length, or the vector-bits of the target
// NEGATIVE: error: slc-vectorize: vector-length must be in [0, 1024], not -4
// LONG: error: slc-vectorize: vector-length must be in [0, 1024], not 100000
module {}
