// RUN: ember-opt %s --lower-narrow-floats | FileCheck %s

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

// An 8-bit float is half precision with its exponent elsewhere, and its only NaN
// has all bits set.

// CHECK-LABEL: func.func @extend
// CHECK-SAME: (%[[BITS:.*]]: vector<8xi8>) -> vector<8xf32>
// CHECK: arith.extui %[[BITS]] : vector<8xi8> to vector<8xi32>
// CHECK: %[[HALF:.*]] = arith.bitcast %{{.*}} : vector<8xi16> to vector<8xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[HALF]] : vector<8xf16> to vector<8xf32>
// CHECK: arith.mulf %[[WIDE]]
// CHECK: %[[NAN:.*]] = arith.cmpi eq
// CHECK: arith.select %[[NAN]]
func.func @extend(%a: vector<8xf8E4M3FN>) -> vector<8xf32> {
  %x = arith.extf %a : vector<8xf8E4M3FN> to vector<8xf32>
  return %x : vector<8xf32>
}

// With the exponent of half precision it is its upper byte.

// CHECK-LABEL: func.func @extend_upper_byte
// CHECK: %[[WORD:.*]] = arith.shli %{{.*}}, %c8_i32
// CHECK: %[[LOW:.*]] = arith.trunci %[[WORD]] : i32 to i16
// CHECK: %[[HALF:.*]] = arith.bitcast %[[LOW]] : i16 to f16
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK-NEXT: return %[[WIDE]]
func.func @extend_upper_byte(%a: f8E5M2) -> f32 {
  %x = arith.extf %a : f8E5M2 to f32
  return %x : f32
}

// Half precision has infinities where this one has its largest numbers.

// CHECK-LABEL: func.func @extend_beyond_half
// CHECK-NOT: f16
// CHECK: arith.uitofp
// CHECK: %[[IS_NAN:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32
// CHECK: arith.select %[[IS_NAN]]
func.func @extend_beyond_half(%a: f8E5M2FNUZ) -> f32 {
  %x = arith.extf %a : f8E5M2FNUZ to f32
  return %x : f32
}

// CHECK-LABEL: func.func @by_way_of_f32
// CHECK-SAME: (%[[A:.*]]: i8, %[[B:.*]]: i16) -> (i16, i8)
// CHECK-NOT: f8E4M3FN
// CHECK-NOT: bf16
// CHECK: return
func.func @by_way_of_f32(%a: f8E4M3FN, %b: bf16) -> (bf16, f8E4M3FN) {
  %x = arith.extf %a : f8E4M3FN to bf16
  %y = arith.truncf %b : bf16 to f8E4M3FN
  return %x, %y : bf16, f8E4M3FN
}

// CHECK-LABEL: func.func @compute_in_f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @compute_in_f32(%a: f8E4M3FNUZ) -> f8E4M3FNUZ {
  %x = arith.mulf %a, %a : f8E4M3FNUZ
  return %x : f8E4M3FNUZ
}
