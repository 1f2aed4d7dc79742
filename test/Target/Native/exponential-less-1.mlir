// RUN: ember-opt %s --convert-native-to-llvm | FileCheck %s

// e^x less 1 and the logarithm of 1 and x would leave nothing of small x.

// CHECK-LABEL: llvm.func internal @near_0
// CHECK-NOT: llvm.intr
// CHECK: llvm.call @expm1f
// CHECK-NOT: llvm.intr
// CHECK: llvm.call @log1pf
// CHECK-NOT: llvm.intr
func.func @near_0(%x: f32) -> (f32, f32) {
  %y = math.expm1 %x : f32
  %z = math.log1p %x : f32
  return %y, %z : f32, f32
}

// CHECK-LABEL: llvm.func internal @lanes
// CHECK-COUNT-2: llvm.call @expm1(
func.func @lanes(%x: vector<2xf64>) -> vector<2xf64> {
  %y = math.expm1 %x : vector<2xf64>
  return %y : vector<2xf64>
}
