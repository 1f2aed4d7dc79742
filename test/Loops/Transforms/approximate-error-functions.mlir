// RUN: ember-opt %s --approximate-error-functions | FileCheck %s

// CHECK-LABEL: func.func @erf
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK-NOT: math.erf
// CHECK: %[[NEAR:.*]] = math.fma %{{.*}}, %[[X]], %[[X]]
// CHECK: math.absf %[[X]]
// CHECK: %[[POWER:.*]] = math.exp
// CHECK: %[[LARGE:.*]] = arith.subf %{{.*}}, %[[POWER]]
// CHECK: %[[SIGNED:.*]] = math.copysign %[[LARGE]], %[[X]]
// CHECK: arith.select %{{.*}}, %[[NEAR]], %[[SIGNED]]
func.func @erf(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.erf %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Of single numbers, and of f64, the C library knows more.
// CHECK-LABEL: func.func @others
// CHECK: math.erf %{{.*}} : f32
// CHECK: math.erf %{{.*}} : vector<4xf64>
func.func @others(%x: f32, %v: vector<4xf64>) -> (f32, vector<4xf64>) {
  %y = math.erf %x : f32
  %w = math.erf %v : vector<4xf64>
  return %y, %w : f32, vector<4xf64>
}
