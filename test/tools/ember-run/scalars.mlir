// Scalars go in as literals of the parameter's type and come out printed.
// RUN: ember-run %s --entry=all -3 200 true -1.5 1e-3 0.5 | FileCheck %s --check-prefix=ALL
// RUN: ember-run %s --entry=all -- -3 -56 1 -1.5 0.001 0.5 | FileCheck %s --check-prefix=ALL
// ALL: result 0: index = -3
// ALL-NEXT: result 1: i8 = -56
// ALL-NEXT: result 2: i1 = true
// ALL-NEXT: result 3: f32 = -1.5
// ALL-NEXT: result 4: f64 = 0.001
// ALL-NEXT: result 5: f16 = 0.5
// ALL-NOT: {{.}}
func.func @all(%a: index, %b: i8, %c: i1, %d: f32, %e: f64, %f: f16)
    -> (index, i8, i1, f32, f64, f16) {
  return %a, %b, %c, %d, %e, %f : index, i8, i1, f32, f64, f16
}

// A number with a dash is never taken for an option, nor for an option's value.
// RUN: ember-run --entry=negate %s -inf | FileCheck %s --check-prefix=INF
// RUN: ember-run %s -.5 --entry negate | FileCheck %s --check-prefix=HALF
// INF: result 0: f32 = inf
// HALF: result 0: f32 = 0.5
func.func @negate(%a: f32) -> f32 {
  %b = arith.negf %a : f32
  return %b : f32
}

// Results can be saved and go in again.
// RUN: ember-run %s --entry=negate 2.5 --save-result=0:%t.npy
// RUN: %npy print %t.npy | FileCheck %s --check-prefix=NPY
// RUN: ember-run %s --entry=negate @%t.npy | FileCheck %s --check-prefix=AGAIN
// NPY: float32 [] -2.5
// AGAIN: result 0: f32 = 2.5

// RUN: not ember-run %s --entry=negate 1e40 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not ember-run %s --entry=negate one 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not ember-run %s --entry=negate 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not ember-run %s --entry=negate 1 2 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not ember-run %s --entry=all 1.5 0 0 0 0 0 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not ember-run %s --entry=all 1 256 0 0 0 0 2>&1 | FileCheck %s --check-prefix=BYTE
// RUN: not ember-run %s --entry=all 1 1 2 0 0 0 2>&1 | FileCheck %s --check-prefix=BOOL
// RANGE: error: argument 0: 1e40 is out of the range of f32
// WORD: error: argument 0: expected a number (f32), got 'one'
// FEW: error: 'negate' takes 1 arguments, got 0
// MANY: error: 'negate' takes 1 arguments, got 2
// INTEGER: error: argument 0: expected an integer (index), got '1.5'
// BYTE: error: argument 1: 256 is out of the range of i8
// BOOL: error: argument 2: expected true or false, got '2'
