// RUN: ember-opt %s --lower-checks | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal unnamed_addr constant @[[WHAT:.*]]("dimension 0 of 'weight'\00")
// CHECK-DAG: llvm.mlir.global internal unnamed_addr constant @[[INDICES:.*]]("'indices'\00")
// CHECK-DAG: llvm.mlir.global internal unnamed_addr constant @[[OFFSETS:.*]]("'offsets'\00")
// CHECK-DAG: llvm.mlir.global internal unnamed_addr constant @[[MESSAGE:.*]]("division by zero\00")
// CHECK-DAG: llvm.mlir.global internal unnamed_addr constant @[[NOTHING:.*]]("\00")
// CHECK-DAG: llvm.func @ember_fail_index({{.*}}passthrough = ["noreturn", "cold"]

// CHECK-LABEL: func.func @checks(
// CHECK-SAME: %[[BAD:.*]]: i1, %[[VALUE:.*]]: i64, %[[AT:.*]]: index
func.func @checks(%bad: i1, %value: i64, %at: index) {
  // CHECK: scf.if %[[BAD]] {
  // CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[MESSAGE]]
  // CHECK-NEXT: llvm.call @ember_fail_message(%[[TEXT]])
  // CHECK-NEXT: }
  ember.check fails_if %bad {
    ember.fail "division by zero"
  }
  // What only a failing program computes is computed under the condition.
  // CHECK: scf.if %[[BAD]] {
  // CHECK: arith.addi %[[AT]], %[[AT]]
  // CHECK-DAG: %[[DIMENSION:.*]] = llvm.mlir.addressof @[[WHAT]]
  // CHECK-DAG: %[[SOURCE:.*]] = llvm.mlir.addressof @[[INDICES]]
  // CHECK: llvm.call @ember_fail_index(%[[DIMENSION]], %[[SOURCE]], %[[VALUE]], %{{.*}}, %{{.*}})
  // CHECK-NEXT: }
  ember.check fails_if %bad {
    %size = arith.addi %at, %at : index
    ember.fail_index "dimension 0 of 'weight'", %value of %size from "'indices'" at %at : i64, index, index
  }
  // An index of an unknown source is at position -1 of nothing.
  // CHECK: scf.if %[[BAD]] {
  // CHECK-DAG: arith.constant -1 : index
  // CHECK-DAG: %[[SOURCE:.*]] = llvm.mlir.addressof @[[NOTHING]]
  // CHECK: llvm.call @ember_fail_index(%{{.*}}, %[[SOURCE]], %[[VALUE]], %{{.*}}, %{{.*}})
  ember.check fails_if %bad {
    ember.fail_index "dimension 0 of 'weight'", %value of %at : i64, index
  }
  // CHECK: scf.if %[[BAD]] {
  // CHECK: %[[SOURCE:.*]] = llvm.mlir.addressof @[[OFFSETS]]
  // CHECK: llvm.call @ember_fail_segment(%[[SOURCE]],
  ember.check fails_if %bad {
    ember.fail_segment "'offsets'" at %at, %value to %at : index, i64, index
  }
  // CHECK-NOT: ember.check
  return
}
