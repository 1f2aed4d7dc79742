// The function to run: named, or the only one that is not private.
// RUN: not ember-run %s --entry=nothing 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ember-run %s --entry=declared 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not ember-run %s --entry=one 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not ember-run %s 2>&1 | FileCheck %s --check-prefix=WHICH
// UNKNOWN: error: there is no function 'nothing'; the program has: one, three
// DECLARED: error: the function 'declared' has no body
// CALLED: error: the function 'declared' is called and has no body: give it one
// WHICH: error: choose a function with --entry=NAME, one of: one, three
func.func private @declared()

// A private function can be run as well, and what others need is not compiled.
// RUN: ember-run %s --entry=two | FileCheck %s --check-prefix=TWO
// TWO: result 0: index = 2
func.func @one() -> index {
  func.call @declared() : () -> ()
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func private @two() -> index {
  %c2 = arith.constant 2 : index
  return %c2 : index
}

func.func @three() {
  return
}

// RUN: echo "func.func private @part() { return } func.func @all() -> i32 { %%c = arith.constant 7 : i32 return %%c : i32 }" | ember-run - | FileCheck %s --check-prefix=PUBLIC
// PUBLIC: result 0: i32 = 7

// RUN: echo "module {}" | not ember-run - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: the program has no function with a body
