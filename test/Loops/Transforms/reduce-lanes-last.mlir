// RUN: ember-opt %s --reduce-lanes-last --canonicalize | FileCheck %s
// RUN: ember-opt %s --lower-to-native | FileCheck %s --check-prefix=ON
// RUN: ember-opt %s --lower-to-native=reduce-lanes-last=false | FileCheck %s --check-prefix=OFF

// ON-LABEL: llvm.func internal @sum
// ON: llvm.fadd {{.*}} vector<8xf32>
// ON: llvm.intr.vector.reduce.fadd
// OFF-LABEL: llvm.func internal @sum
// OFF-NOT: llvm.fadd {{.*}} vector<8xf32>
// OFF: llvm.intr.vector.reduce.fadd

// The loop adds vectors; what it began with joins behind it.

// CHECK-LABEL: func.func @sum
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[START:.*]]: f32
// CHECK: %[[ZEROS:.*]] = arith.constant dense<-0.000000e+00> : vector<8xf32>
// CHECK: %[[LANES:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZEROS]]) -> (vector<8xf32>)
// CHECK: %[[V:.*]] = vector.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[S]], %[[V]] fastmath<reassoc,contract>
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[SUM:.*]] = vector.reduction <add>, %[[LANES]], %[[START]] fastmath<reassoc,contract>
// CHECK: return %[[SUM]]
func.func @sum(%m: memref<?xf32>, %start: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %i = %c0 to %n step %c8 iter_args(%s = %start) -> (f32) {
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    %next = vector.reduction <add>, %v, %s fastmath<reassoc,contract> : vector<8xf32> into f32
    scf.yield %next : f32
  }
  return %sum : f32
}

// Integers, and the larger of floats, are the same in any order.

// CHECK-LABEL: func.func @others
// CHECK: dense<0xFF800000>
// CHECK: scf.for
// CHECK-NOT: vector.reduction
// CHECK: scf.yield
// CHECK-DAG: vector.reduction <minsi>
// CHECK-DAG: vector.reduction <maximumf>
func.func @others(%m: memref<?xi32>, %f: memref<?xf32>, %a: i32, %b: f32, %n: index) -> (i32, f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %n step %c8 iter_args(%s = %a, %t = %b) -> (i32, f32) {
    %v = vector.load %m[%i] : memref<?xi32>, vector<8xi32>
    %w = vector.load %f[%i] : memref<?xf32>, vector<8xf32>
    %x = vector.reduction <minsi>, %v, %s : vector<8xi32> into i32
    %y = vector.reduction <maximumf>, %w, %t : vector<8xf32> into f32
    scf.yield %x, %y : i32, f32
  }
  return %r#0, %r#1 : i32, f32
}

// A sum of floats whose order is fixed, and one that the loop looks at.

// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK-COUNT-2: vector.reduction
// CHECK: scf.yield
// CHECK-NOT: vector.reduction
// CHECK: return
func.func @kept(%m: memref<?xf32>, %o: memref<?xf32>, %a: f32, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %n step %c8 iter_args(%s = %a, %t = %a) -> (f32, f32) {
    %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
    %x = vector.reduction <add>, %v, %s : vector<8xf32> into f32
    %y = vector.reduction <add>, %v, %t fastmath<reassoc> : vector<8xf32> into f32
    memref.store %y, %o[%i] : memref<?xf32>
    scf.yield %x, %y : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}
