// A reduction that takes off what it reads is vectorised as the sum of the
// opposite, with the same bits; one that takes the carried value off is not.

// RUN: %npy make %t.x.npy f32 "rng.standard_normal((5, 13))"
// RUN: %npy make %t.k.npy i32 "rng.integers(-99, 99, (5, 13))"
// RUN: %npy make %t.y.npy f32 "rng.standard_normal(5)"
// RUN: %npy make %t.n.npy i32 "np.arange(5)"
// DEFINE: %{args} = --entry=main @%t.x.npy @%t.k.npy @%t.y.npy @%t.n.npy

// RUN: ember-run %s -O0 %{args} --save=2:%t.0.npy --save=3:%t.1.npy
// RUN: ember-opt %s --scf-to-slc --optimize=vector-length=4 > %t.slcv.mlir
// RUN: FileCheck %s --input-file=%t.slcv.mlir
// RUN: ember-run %t.slcv.mlir %{args} --save=2:%t.2.npy --save=3:%t.3.npy
// RUN: %npy compare %t.0.npy %t.2.npy
// RUN: %npy compare %t.1.npy %t.3.npy
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc | ember-run - %{args} --save=2:%t.4.npy --save=3:%t.5.npy
// RUN: %npy compare %t.0.npy %t.4.npy
// RUN: %npy compare %t.1.npy %t.5.npy
// RUN: ember-opt %s --scf-to-slc --optimize 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: remark: loop not vectorised: loop-carried value #0 is not a reduction
// REMARK-NOT: remark

// CHECK-LABEL: func.func private @floats(
// CHECK: %[[OPPOSITE:.*]] = arith.negf %{{.*}} : vector<4xf32>
// CHECK: %[[ACTIVE:.*]] = arith.select %{{.*}}, %[[OPPOSITE]], %{{.*}} : vector<4xi1>
// CHECK: vector.reduction <add>, %[[ACTIVE]], %{{.*}} : vector<4xf32> into f32
func.func private @floats(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %y0 = memref.load %y[%i] : memref<?xf32>
    %r = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %y0) -> f32 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %next = arith.subf %acc, %v : f32
      scf.yield %next : f32
    }
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func private @integers(
// CHECK: arith.subi %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK: vector.reduction <add>
func.func private @integers(%x: memref<?x?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xi32>
  %columns = memref.dim %x, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %rows step %c1 {
    %y0 = memref.load %y[%i] : memref<?xi32>
    %r = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %y0) -> i32 {
      %v = memref.load %x[%i, %j] : memref<?x?xi32>
      %next = arith.subi %acc, %v : i32
      scf.yield %next : i32
    }
    memref.store %r, %y[%i] : memref<?xi32>
  }
  return
}

// CHECK-LABEL: func.func private @turned(
// CHECK-NOT: vector.reduction
func.func private @turned(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %y0 = memref.load %y[%i] : memref<?xf32>
    %r = scf.for %j = %c0 to %columns step %c1 iter_args(%acc = %y0) -> f32 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      %next = arith.subf %v, %acc : f32
      scf.yield %next : f32
    }
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @main(
func.func @main(%x: memref<?x?xf32>, %k: memref<?x?xi32>, %y: memref<?xf32>, %n: memref<?xi32>) {
  call @floats(%x, %y) : (memref<?x?xf32>, memref<?xf32>) -> ()
  call @integers(%k, %n) : (memref<?x?xi32>, memref<?xi32>) -> ()
  call @turned(%x, %y) : (memref<?x?xf32>, memref<?xf32>) -> ()
  return
}
