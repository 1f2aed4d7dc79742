// RUN: ember-opt %s --lower-bfloat16 | FileCheck %s

// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[A:.*]]: i16, %[[B:.*]]: i16) -> i16
// CHECK: arith.extui %[[A]] : i16 to i32
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.bitcast %[[SUM]] : f32 to i32
// CHECK: return %{{.*}} : i16
func.func @add(%a: bf16, %b: bf16) -> bf16 {
  %s = arith.addf %a, %b : bf16
  return %s : bf16
}

// What only moves numbers keeps to integers.
// CHECK-LABEL: func.func @move
// CHECK: %[[V:.*]] = vector.load %{{.*}} : memref<?xi16>, vector<9xi16>
// CHECK-NEXT: %[[ONES:.*]] = arith.constant dense<16256> : vector<9xi16>
// CHECK-NEXT: %[[W:.*]] = arith.select %{{.*}}, %[[V]], %[[ONES]] : vector<9xi16>
// CHECK-NEXT: vector.store %[[W]], %{{.*}} : memref<?xi16>, vector<9xi16>
func.func @move(%a: memref<?xbf16>, %i: index, %yes: i1) {
  %v = vector.load %a[%i] : memref<?xbf16>, vector<9xbf16>
  %ones = arith.constant dense<1.0> : vector<9xbf16>
  %w = arith.select %yes, %v, %ones : vector<9xbf16>
  vector.store %w, %a[%i] : memref<?xbf16>, vector<9xbf16>
  return
}

// CHECK-LABEL: func.func @reduce
// CHECK-NOT: vector.reduction
// CHECK-COUNT-3: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.addf
// CHECK: return
func.func @reduce(%v: vector<4xbf16>) -> bf16 {
  %s = vector.reduction <add>, %v : vector<4xbf16> into bf16
  return %s : bf16
}
