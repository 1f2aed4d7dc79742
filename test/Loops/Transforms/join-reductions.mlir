// RUN: ember-opt %s --join-reductions --split-input-file | FileCheck %s

// What the second loop needs moves in front of both.

// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = memref.load %arg1
// CHECK: %[[J:.*]] = memref.load %arg2
// CHECK: %[[BOTH:.*]]:2 = scf.for
// CHECK-DAG: memref.load %arg0[%[[I]]
// CHECK-DAG: memref.load %arg0[%[[J]]
// CHECK: scf.yield {{.*}} : f32, f32
// CHECK-NOT: scf.for
// CHECK: arith.divf
func.func @rows(%a: memref<?x?xf32>, %is: memref<?xindex>, %js: memref<?xindex>, %n: index, %q: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %i = memref.load %is[%q] : memref<?xindex>
  %one = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%i, %e] : memref<?x?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  } {ember.segment = "rows"}
  %j = memref.load %js[%q] : memref<?xindex>
  %other = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%j, %e] : memref<?x?xf32>
    %t = arith.mulf %s, %x : f32
    scf.yield %t : f32
  }
  %r = arith.divf %one, %other : f32
  return %r : f32
}

// -----

// One that needs the other's result stays behind it; a third joins the second.

// CHECK-LABEL: func.func @needed
// CHECK: %[[MOST:.*]]:2 = scf.for
// CHECK: arith.maximumf
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: arith.subf %{{.*}}, %[[MOST]]#
func.func @needed(%a: memref<?xf32>, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %most = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %t = arith.maximumf %s, %x : f32
    scf.yield %t : f32
  }
  %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %y = arith.subf %x, %most : f32
    %t = arith.addf %s, %y : f32
    scf.yield %t : f32
  }
  %all = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  return %sum, %all : f32, f32
}

// -----

// What is written between them, or by them, keeps loops apart, and so do other
// bounds and loops inside.

// CHECK-LABEL: func.func @apart
// CHECK-COUNT-6: scf.for
// CHECK: return
func.func @apart(%a: memref<?xf32>, %o: memref<?xf32>, %n: index, %m: index) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  memref.store %0, %o[%c0] : memref<?xf32>
  %1 = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    memref.store %x, %o[%e] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  %2 = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  %3 = scf.for %e = %c0 to %m step %c1 iter_args(%s = %zero) -> (f32) {
    %x = memref.load %a[%e] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  %4 = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %5 = scf.for %f = %c0 to %m step %c1 iter_args(%u = %s) -> (f32) {
      %x = memref.load %a[%f] : memref<?xf32>
      %t = arith.addf %u, %x : f32
      scf.yield %t : f32
    }
    scf.yield %5 : f32
  }
  return %1, %2, %3, %4 : f32, f32, f32, f32
}
