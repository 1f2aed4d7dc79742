// RUN: ember-opt %s --approximate-exponentials | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK-NOT: math.exp
// CHECK: %[[MOST:.*]] = arith.select
// CHECK: %[[IN:.*]] = arith.select
// CHECK: %[[SHIFTED:.*]] = math.fma %[[IN]]
// CHECK: %[[COUNT:.*]] = arith.subf %[[SHIFTED]]
// CHECK: math.fma %[[COUNT]], %{{.*}}, %[[IN]]
// CHECK: arith.bitcast %[[SHIFTED]] : vector<8xf32> to vector<8xi32>
// CHECK: arith.mulf
// CHECK: arith.mulf
// CHECK: return
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// 2^128 is no float.
// CHECK-LABEL: func.func @expm1
// CHECK-SAME: %[[X:.*]]: vector<8xf32>
// CHECK-NOT: math.expm1
// CHECK: %[[LARGEST:.*]] = arith.cmpi eq
// CHECK: arith.select %[[LARGEST]]
// CHECK: math.fma
// CHECK: %[[Y:.*]] = math.copysign %{{.*}}, %[[X]]
// CHECK: return %[[Y]]
func.func @expm1(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.expm1 %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Of single numbers, and of f64, the C library knows more.
// CHECK-LABEL: func.func @others
// CHECK: math.exp %{{.*}} : f32
// CHECK: math.exp %{{.*}} : vector<4xf64>
func.func @others(%x: f32, %v: vector<4xf64>) -> (f32, vector<4xf64>) {
  %y = math.exp %x : f32
  %w = math.exp %v : vector<4xf64>
  return %y, %w : f32, vector<4xf64>
}
