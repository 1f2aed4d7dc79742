// Code generation would end the process on vectors of scalable length where the
// processor has none.
// RUN: not emberc %s --emit=obj --mcpu=x86-64 -o %t.o 2>&1 | FileCheck %s
// REQUIRES: avx2
// CHECK: error: 'f' uses vectors of scalable length, which processors of x86_64 do not have

func.func @f(%a: vector<[4]xf32>, %b: memref<?xindex>) {
  return
}

// Nor do all processors of AArch64.
// RUN: not emberc %s --emit=obj --mtriple=aarch64-linux-gnu --mcpu=cortex-a72 -o %t.o 2>&1 | FileCheck %s --check-prefix=NEON
// NEON: error: 'f' uses vectors of scalable length, which processor 'cortex-a72' does not have
