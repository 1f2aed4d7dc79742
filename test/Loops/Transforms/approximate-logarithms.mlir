// RUN: ember-opt %s --approximate-logarithms | FileCheck %s

// CHECK-LABEL: func.func @log
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK-NOT: math.log
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]]
// CHECK: %[[SCALED:.*]] = arith.select %[[SMALL]]
// CHECK: arith.bitcast %[[SCALED]] : vector<8xf32> to vector<8xi32>
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: arith.cmpf ogt, %[[X]]
// CHECK: return
func.func @log(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @log1p
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK-NOT: math.log
// CHECK: %[[SUM:.*]] = arith.addf %[[X]]
// CHECK: %[[LOST:.*]] = arith.select
// CHECK: arith.divf %[[LOST]], %[[SUM]]
// CHECK: arith.bitcast %[[SUM]] : vector<8xf32> to vector<8xi32>
// CHECK: %[[Y:.*]] = math.copysign %{{.*}}, %[[X]]
// CHECK: return %[[Y]]
func.func @log1p(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log1p %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Of single numbers, and of f64, the C library knows more.
// CHECK-LABEL: func.func @others
// CHECK: math.log1p %{{.*}} : f32
// CHECK: math.log %{{.*}} : vector<4xf64>
func.func @others(%x: f32, %v: vector<4xf64>) -> (f32, vector<4xf64>) {
  %y = math.log1p %x : f32
  %w = math.log %v : vector<4xf64>
  return %y, %w : f32, vector<4xf64>
}
