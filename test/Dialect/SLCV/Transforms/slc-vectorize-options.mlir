// RUN: not ember-opt %s --slc-vectorize=vector-bits=-1 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not ember-opt %s --slc-vectorize=vector-length=-4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not ember-opt %s --slc-vectorize=vector-length=100000 2>&1 | FileCheck %s --check-prefix=LONG

// BITS: error: slc-vectorize: vector-bits must not be negative
// NEGATIVE: error: slc-vectorize: vector-length must be in [0, 1024], not -4
// LONG: error: slc-vectorize: vector-length must be in [0, 1024], not 100000
module {}
