// RUN: ember-opt %s --lower-masks | FileCheck %s

// CHECK-LABEL: func.func @mask
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEAST]], %c8
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[COUNT]] : index to i32
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: %[[COUNTS:.*]] = vector.broadcast %[[NARROW]]
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[LANES]], %[[COUNTS]]
// CHECK: return %[[MASK]]
func.func @mask(%n: index) -> vector<8xi1> {
  %m = vector.create_mask %n : vector<8xi1>
  return %m : vector<8xi1>
}
