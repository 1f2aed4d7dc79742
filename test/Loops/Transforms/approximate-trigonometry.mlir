// RUN: ember-opt %s --approximate-trigonometry | FileCheck %s
// RUN: ember-opt %s --lower-to-native | FileCheck %s --check-prefix=ON
// RUN: ember-opt %s --lower-to-native=approximate-trigonometry=false | FileCheck %s --check-prefix=OFF

// ON: llvm.call @roundevenf
// OFF-NOT: @roundevenf
// OFF: llvm.call @sinf
// OFF-NOT: @roundevenf

// Both functions of one angle at once; the C library's where a lane is far.

// CHECK-LABEL: func.func @both
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<8xf32>
// CHECK: %[[SIZE:.*]] = math.absf %[[X]]
// CHECK: %[[IS_FAR:.*]] = arith.cmpf ugt, %[[SIZE]]
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[IS_FAR]]
// CHECK: %[[R:.*]]:2 = scf.if %[[ANY]]
// CHECK: %[[S:.*]] = math.sin %[[X]] : vector<8xf32>
// CHECK: %[[C:.*]] = math.cos %[[X]] : vector<8xf32>
// CHECK: scf.yield %[[S]], %[[C]]
// CHECK: else
// CHECK: math.roundeven
// CHECK-COUNT-3: math.fma
// CHECK: arith.fptosi
// CHECK: scf.yield
// CHECK-NOT: math.sin
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @both(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %c = math.cos %x fastmath<afn> : vector<8xf32>
  %s = math.sin %x fastmath<afn> : vector<8xf32>
  return %s, %c : vector<8xf32>, vector<8xf32>
}

// Single numbers, doubles, and what has to be exact.

// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: math.sin
// CHECK-NOT: scf.if
// CHECK: return
func.func @kept(%x: f32, %y: vector<8xf64>, %z: vector<8xf32>) -> (f32, vector<8xf64>, vector<8xf32>) {
  %a = math.sin %x fastmath<afn> : f32
  %b = math.sin %y fastmath<afn> : vector<8xf64>
  %c = math.sin %z : vector<8xf32>
  return %a, %b, %c : f32, vector<8xf64>, vector<8xf32>
}

// Of a sine that is approximated, too.

// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<8xf32>
// CHECK: math.absf %[[X]]
// CHECK: %[[S:.*]]:2 = scf.if
// CHECK: math.absf %[[S]]#0
// CHECK: %[[C:.*]]:2 = scf.if
// CHECK: math.cos %[[S]]#0 : vector<8xf32>
// CHECK: return %[[C]]#1
func.func @nested(%x: vector<8xf32>) -> vector<8xf32> {
  %s = math.sin %x fastmath<afn> : vector<8xf32>
  %c = math.cos %s fastmath<afn> : vector<8xf32>
  return %c : vector<8xf32>
}
