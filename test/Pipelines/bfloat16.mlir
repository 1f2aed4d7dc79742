// Arithmetic on bf16 rounds each result once, subnormal numbers included, on
// every processor.

// RUN: %npy make %t.a.npy bf16 "np.array([1, 2.0**-133, 3, -0.0, np.inf, 2.0**-126, 3.0e38, 256])"
// RUN: %npy make %t.b.npy bf16 "np.array([1.0/256, 2.0**-132, 0.1, 0.0, -np.inf, -2.0**-127, 3.0e38, 1])"
// RUN: ember-run %s --entry=add -O0 @%t.a.npy @%t.b.npy --print=1 | FileCheck %s --check-prefix=ADD
// RUN: ember-run %s --entry=add -O3 @%t.a.npy @%t.b.npy --print=1 | FileCheck %s --check-prefix=ADD
// ADD: = [1, 2.75506e-40, 3.09375, 0, nan, 5.877472e-39, inf, 256]

// A sum rounds after each lane: in f32 it would be 260.
// RUN: %npy make %t.c.npy bf16 "[256, 1, 1, 1, 1, 0, 0, 0]"
// RUN: ember-run %s --entry=sum @%t.c.npy | FileCheck %s --check-prefix=SUM
// SUM: result 0: bf16 = 256

// RUN: ember-run %s --entry=wide @%t.a.npy @%t.b.npy --print=1 | FileCheck %s --check-prefix=WIDE
// WIDE: = [2, 1.83671e-40, 6, -0, inf, 2.3509887e-38, inf, 512]

// RUN: ember-run %s --entry=half_root @%t.c.npy --print=0 | FileCheck %s --check-prefix=ROOT
// ROOT: = [16, 1, 1, 1, 1, 0, 0, 0]

// RUN: ember-run %s --entry=constants @%t.c.npy --print=0 | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: = [1.5, -2, 0.1{{[0-9]*}}, 1.5, 1.5, 1.5, 1.5, 1.5]

func.func @add(%a: memref<?xbf16>, %b: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<?xbf16>, vector<8xbf16>
  %w = vector.load %b[%c0] : memref<?xbf16>, vector<8xbf16>
  %r = arith.addf %v, %w : vector<8xbf16>
  vector.store %r, %b[%c0] : memref<?xbf16>, vector<8xbf16>
  return
}

func.func @sum(%a: memref<?xbf16>) -> bf16 {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<?xbf16>, vector<8xbf16>
  %r = vector.reduction <add>, %v : vector<8xbf16> into bf16
  return %r : bf16
}

func.func @wide(%a: memref<?xbf16>, %b: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<?xbf16>, vector<8xbf16>
  %w = arith.extf %v : vector<8xbf16> to vector<8xf64>
  %d = arith.addf %w, %w : vector<8xf64>
  %r = arith.truncf %d : vector<8xf64> to vector<8xbf16>
  vector.store %r, %b[%c0] : memref<?xbf16>, vector<8xbf16>
  return
}

func.func @half_root(%a: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xbf16>
    %r = math.sqrt %v : bf16
    memref.store %r, %a[%i] : memref<?xbf16>
  }
  return
}

func.func @constants(%a: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %splat = arith.constant dense<1.5> : vector<8xbf16>
  vector.store %splat, %a[%c0] : memref<?xbf16>, vector<8xbf16>
  %pair = arith.constant dense<[1.5, -2.0]> : vector<2xbf16>
  vector.store %pair, %a[%c0] : memref<?xbf16>, vector<2xbf16>
  %c2 = arith.constant 2 : index
  %tenth = arith.constant 0.1 : bf16
  memref.store %tenth, %a[%c2] : memref<?xbf16>
  return
}
