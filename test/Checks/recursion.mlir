// Functions that call themselves: the depth is checked where they are entered,
// and calls without an end are an error.

// RUN: ember-opt --insert-runtime-checks %s | FileCheck %s
// RUN: ember-run %s --entry=sum_to 1000 | FileCheck %s --check-prefix=SUM
// RUN: ember-run %s --entry=sum_to --target=dae-threads 1000 | FileCheck %s --check-prefix=SUM
// RUN: not ember-run %s --entry=forever 7 2>&1 | FileCheck %s --check-prefix=FOREVER
// RUN: not ember-run %s --entry=forever -O0 7 2>&1 | FileCheck %s --check-prefix=FOREVER

// SUM: 500500
// FOREVER: error: a function calls itself too many times

// CHECK-LABEL: func.func @sum_to(
// CHECK-NEXT: llvm.call @ember_check_recursion()
func.func @sum_to(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi sgt, %n, %c0 : index
  %sum = scf.if %more -> index {
    %less = arith.subi %n, %c1 : index
    %rest = func.call @sum_to(%less) : (index) -> index
    %all = arith.addi %rest, %n : index
    scf.yield %all : index
  } else {
    scf.yield %c0 : index
  }
  return %sum : index
}

// CHECK-LABEL: func.func @forever(
// CHECK-NEXT: llvm.call @ember_check_recursion()
func.func @forever(%n: index) -> index {
  %c1 = arith.constant 1 : index
  %next = func.call @ever(%n) : (index) -> index
  %more = arith.addi %next, %c1 : index
  return %more : index
}

// CHECK-LABEL: func.func private @ever(
// CHECK-NEXT: llvm.call @ember_check_recursion()
func.func private @ever(%n: index) -> index {
  %c2 = arith.constant 2 : index
  %next = func.call @forever(%n) : (index) -> index
  %more = arith.muli %next, %c2 : index
  return %more : index
}

// CHECK-LABEL: func.func @twice(
// CHECK-NOT: ember_check_recursion
func.func @twice(%n: index) -> index {
  %a = func.call @sum_to(%n) : (index) -> index
  %b = func.call @sum_to(%a) : (index) -> index
  return %b : index
}
