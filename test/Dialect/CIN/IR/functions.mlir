// Functions that users define: round trip.
// RUN: ember-opt %s | ember-opt - | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt - | FileCheck %s

// CHECK-LABEL: cin.function @gcd(%{{.*}}: i64, %{{.*}}: i64) -> i64
// CHECK-SAME: attributes {associative, commutative, iteration = #cin.iteration<"0 | 1">}
// CHECK: scf.while
// CHECK: cin.return %{{.*}} : i64
// CHECK: } case (%[[X:.*]], 0 : i64) {
// CHECK: math.absi %[[X]]
// CHECK: } case (0 : i64, %[[Y:.*]]) {
// CHECK: math.absi %[[Y]]
cin.function @gcd(%x: i64, %y: i64) -> i64
    attributes {associative, commutative, iteration = #cin.iteration<"0 | 1">} {
  %a = math.absi %x : i64
  %b = math.absi %y : i64
  %zero = arith.constant 0 : i64
  %rest:2 = scf.while (%p = %a, %q = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %p, %zero : i64
    scf.condition(%more) %p, %q : i64, i64
  } do {
  ^bb0(%p: i64, %q: i64):
    %next = arith.remsi %q, %p : i64
    scf.yield %next, %p : i64, i64
  }
  cin.return %rest#1 : i64
} case (%x, 0 : i64) {
  %a = math.absi %x : i64
  cin.return %a : i64
} case (0 : i64, %y) {
  %a = math.absi %y : i64
  cin.return %a : i64
}

// CHECK-LABEL: cin.function @power(%{{.*}}: f32, %{{.*}}: f32) -> f32
// CHECK-SAME: annihilators = [#cin.special<0.000000e+00 : f32 at 1 gives 1.000000e+00 : f32>]
// CHECK-SAME: identities = [#cin.special<1.000000e+00 : f32 at 1>]
cin.function @power(%x: f32, %y: f32) -> f32
    attributes {annihilators = [#cin.special<0.0 : f32 at 1 gives 1.0 : f32>],
                identities = [#cin.special<1.0 : f32 at 1>]} {
  %z = cin.call pow(%x, %y) : (f32, f32) -> f32
  cin.return %z : f32
}

// CHECK-LABEL: func.func @statements
func.func @statements(%x: memref<?xi64>, %y: memref<?xi64>, %z: memref<1xi64>) {
  cin.evaluate ins(%b = %x : memref<?xi64>) outs(%a = %y, %c = %z : memref<?xi64>, memref<1xi64>) {
    cin.forall (%i) {
      %0 = cin.access %b[%i] : memref<?xi64>
      // CHECK: cin.call @gcd(%{{.*}}, %{{.*}}) : (i64, i64) -> i64
      %1 = cin.call @gcd(%0, %0) : (i64, i64) -> i64
      // CHECK: cin.assign @gcd %{{.*}} to %{{.*}}[%{{.*}}] : memref<?xi64>
      cin.assign @gcd %1 to %a[%i] : memref<?xi64>
    }
    cin.forall (%i) {
      // CHECK: cin.reduce @gcd (%{{.*}}) -> i64
      %2 = cin.reduce @gcd (%j) -> i64 {
        %0 = cin.access %b[%j] : memref<?xi64>
        cin.yield %0 : i64
      }
      cin.assign %2 to %c[%i] : memref<1xi64>
    }
  }
  return
}
