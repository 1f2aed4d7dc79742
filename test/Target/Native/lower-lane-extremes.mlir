// RUN: ember-opt %s --set-target="mtriple=x86_64-linux-gnu mcpu=x86-64-v3" --lower-lane-extremes | FileCheck %s
// RUN: ember-opt %s --set-target="mtriple=aarch64-linux-gnu mcpu=neoverse-v1" --lower-lane-extremes | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @least(
// CHECK:         %[[BITS:.*]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK:         %[[SIGN:.*]] = arith.shrsi %[[BITS]], %{{.*}} : vector<8xi32>
// CHECK:         %[[REST:.*]] = arith.andi %[[SIGN]], %{{.*}} : vector<8xi32>
// CHECK:         %[[ORDERED:.*]] = arith.xori %[[BITS]], %[[REST]] : vector<8xi32>
// CHECK:         vector.reduction <minsi>, %[[ORDERED]] : vector<8xi32> into i32
// CHECK:         %[[NONE:.*]] = arith.cmpf uno, %arg0, %arg0 : vector<8xf32>
// CHECK:         vector.reduction <or>, %[[NONE]] : vector<8xi1> into i1
// CHECK:         arith.select
// OTHER-LABEL: func.func @least(
// OTHER:         vector.reduction <minimumf>
func.func @least(%v: vector<8xf32>) -> f32 {
  %s = vector.reduction <minimumf>, %v : vector<8xf32> into f32
  return %s : f32
}

// CHECK-LABEL: func.func @largest(
// CHECK:         vector.reduction <maxsi>, %{{.*}} : vector<4xi64> into i64
// CHECK:         arith.maximumf %arg1, %{{.*}} : f64
func.func @largest(%v: vector<4xf64>, %first: f64) -> f64 {
  %s = vector.reduction <maximumf>, %v, %first : vector<4xf64> into f64
  return %s : f64
}

// CHECK-LABEL: func.func @sum(
// CHECK:         vector.reduction <add>, %{{.*}} : vector<8xf32> into f32
func.func @sum(%v: vector<8xf32>) -> f32 {
  %s = vector.reduction <add>, %v : vector<8xf32> into f32
  return %s : f32
}
