// RUN: ember-opt %s --set-target=mcpu=haswell | FileCheck %s --check-prefix=HASWELL
// RUN: ember-opt %s --set-target=mcpu=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: ember-opt %s --set-target=mcpu=znver5 | FileCheck %s --check-prefix=LINES
// RUN: ember-opt %s --set-target="mcpu=neoverse-v1 may-alias" | FileCheck %s --check-prefix=ARM
// RUN: ember-opt %s --set-target="mcpu=haswell mattr=-avx2,-avx" | FileCheck %s --check-prefix=NARROW

// RUN: ember-opt %s --set-target="mcpu=neoverse-n1 mattr=+sve scalable-bits=512" | FileCheck %s --check-prefix=SCALABLE

// What is as of the generic target is left out.

// HASWELL: module attributes {ember.target = #ember.target<triple = "x86_64-{{.*}}", cpu = "haswell", vector_bits = 256, streaming_stores = true, store_fence = "llvm.x86.sse.sfence", gathers = false>}
// WIDE: cpu = "x86-64-v4", vector_bits = 512, vector_registers = 32, streaming_stores = true,
// LINES: cpu = "znver5",{{.*}} first_cache_lines = 32
// ARM: module attributes {ember.may_alias, ember.target = #ember.target<triple = "aarch64-{{.*}}", cpu = "neoverse-v1", vector_registers = 32, streaming_stores = true, gathers = false>}
// SCALABLE: cpu = "neoverse-n1", features = "+sve", vector_bits = 512, vector_registers = 32
// NARROW: features = "-avx2,-avx", streaming_stores

// A module keeps its target where it is told to, and changes it otherwise.

// RUN: ember-opt %s --set-target=mcpu=neoverse-v1 --set-target="mcpu=haswell keep" | FileCheck %s --check-prefix=KEPT
// RUN: ember-opt %s --set-target=mcpu=neoverse-v1 --set-target=mcpu=haswell | FileCheck %s --check-prefix=HASWELL
// RUN: ember-opt %s --set-target="mcpu=haswell keep" | FileCheck %s --check-prefix=HASWELL
// KEPT: cpu = "neoverse-v1"

// This machine is named by hand.

// RUN: ember-opt %s --set-target=mcpu=native --set-target="mcpu=haswell keep" | FileCheck %s --check-prefix=NATIVE
// NATIVE: #ember.target<triple = "
// NATIVE-NOT: cpu = "native"

// RUN: not ember-opt %s --set-target 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ember-opt %s --set-target=mcpu=abacus 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// NONE: error: set-target: name a processor with 'mcpu'; 'native' is this machine's
// UNKNOWN: error: set-target: unknown processor 'abacus'

// RUN: not ember-opt %s --set-target="mcpu=haswell scalable-bits=512" 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not ember-opt %s --set-target="mcpu=neoverse-n1 scalable-bits=512" 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not ember-opt %s --set-target="mcpu=neoverse-v1 scalable-bits=384" 2>&1 | FileCheck %s --check-prefix=WIDTH
// FIXED: error: set-target: processor '{{.*}}' has no vector registers of a width that can be chosen
// WIDTH: error: set-target: vector registers of 384 bits: SVE has powers of two from 128 to 2048

module {}
