// RUN: ember-opt %s --canonicalize --cse | FileCheck %s

// A check that is known to hold goes, and no other.

// CHECK-LABEL: func.func @checks(
// CHECK-NEXT: ember.check fails_if %arg0
// CHECK-NEXT: ember.fail "kept"
// CHECK-NEXT: }
// CHECK-NOT: dropped
// CHECK: return
func.func @checks(%bad: i1) {
  %false = arith.constant false
  ember.check fails_if %bad {
    ember.fail "kept"
  }
  ember.check fails_if %false {
    ember.fail "dropped"
  }
  return
}
