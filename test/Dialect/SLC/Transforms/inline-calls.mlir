// Private functions that a nest calls are brought into it: what they load is
// the access unit's, what they compute is vectorised with the rest. A call that
// stays says by its effects what the nest writes.

// RUN: ember-opt %s --scf-to-slc 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: ember-opt %s --scf-to-slc --optimize=vector-length=4 2>/dev/null | FileCheck %s --check-prefix=LANES
// RUN: %npy make %t.table.npy f32 "np.arange(40).reshape(5, 8)"
// RUN: %npy make %t.indices.npy index "[4, 0, 2]"
// RUN: %npy make %t.out.npy f32 "np.zeros((3, 8))"
// RUN: ember-run %s --entry=scaled @%t.indices.npy @%t.table.npy @%t.out.npy --print=2 --target=cpu | FileCheck %s --check-prefix=VALUES
// RUN: ember-run %s --entry=scaled @%t.indices.npy @%t.table.npy @%t.out.npy --print=2 --target=dae-threads | FileCheck %s --check-prefix=VALUES
// RUN: ember-run %s --entry=kept @%t.indices.npy @%t.table.npy @%t.out.npy --print=2 --target=dae-threads | FileCheck %s --check-prefix=VALUES
// VALUES: argument 2: {{.*}} = {{\[\[}}0, 33, 68, 105, 144, 185, 228, 273], [0, 1, 4, 9, 16, 25, 36, 49], [0, 17, 36, 57, 80, 105, 132, 161{{\]\]}}

func.func private @scale(%x: f32, %k: index) -> f32 {
  %i = arith.index_cast %k : index to i32
  %f = arith.sitofp %i : i32 to f32
  %r = arith.mulf %x, %f : f32
  return %r : f32
}
func.func private @lookup(%table: memref<?x?xf32>, %indices: memref<?xindex>, %p: index, %e: index) -> f32 {
  %i = memref.load %indices[%p] : memref<?xindex>
  %v = memref.load %table[%i, %e] : memref<?x?xf32>
  %r = func.call @scale(%v, %e) : (f32, index) -> f32
  return %r : f32
}

// CHECK-LABEL: func.func @scaled(
// CHECK: slc.for
// CHECK: slc.for
// CHECK: slc.mem_str %arg1
// CHECK-NOT: call @
// CHECK-LABEL: func.func private @store(
// CHECK-LABEL: func.func @kept(
// LANES-LABEL: func.func @scaled(
// LANES: slcv.vec_for
// LANES: arith.mulf {{.*}} : vector<4xf32>
// LANES-LABEL: func.func @kept(
func.func @scaled(%indices: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %indices, %c0 : memref<?xindex>
  %el = memref.dim %table, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %el step %c1 {
      %v = func.call @lookup(%table, %indices, %p, %e) : (memref<?x?xf32>, memref<?xindex>, index, index) -> f32
      memref.store %v, %out[%p, %e] : memref<?x?xf32>
    }
  }
  return
}

// CHECK: slc.mem_str %arg1
// CHECK: slc.callback ite
// CHECK: call @store(
// CHECK-LABEL: func.func @writing(
func.func private @store(%x: f32, %out: memref<?x?xf32>, %p: index, %e: index) attributes {no_inline} {
  %r = func.call @scale(%x, %e) : (f32, index) -> f32
  memref.store %r, %out[%p, %e] : memref<?x?xf32>
  return
}
func.func @kept(%indices: memref<?xindex>, %table: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %indices, %c0 : memref<?xindex>
  %el = memref.dim %table, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %e = %c0 to %el step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      func.call @store(%v, %out, %p, %e) : (f32, memref<?x?xf32>, index, index) -> ()
    }
  }
  return
}

// REMARK-DAG: inline-calls.mlir:[[#@LINE+7]]:3: remark: loop is not offloaded: it loads nothing new from read-only memory: argument 0 may be written by the call of 'store'
// CHECK: scf.for
// CHECK: call @store(
// CHECK-LABEL: func.func @recursive_caller(
func.func @writing(%table: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %e = %c0 to %n step %c1 {
    %v = memref.load %table[%c0, %e] : memref<?x?xf32>
    func.call @store(%v, %table, %c0, %e) : (f32, memref<?x?xf32>, index, index) -> ()
  }
  return
}

// REMARK-DAG: inline-calls.mlir:[[#@LINE+21]]:3: remark: loop is not offloaded: the effects of the call of 'recursive' in it are unknown
// REMARK-DAG: inline-calls.mlir:[[#@LINE+25]]:3: remark: loop is not offloaded: the call of 'sum' in it runs loops of its own
// CHECK: call @recursive(
func.func private @recursive(%x: f32) -> f32 {
  %r = func.call @recursive(%x) : (f32) -> f32
  return %r : f32
}
func.func private @sum(%table: memref<?x?xf32>, %n: index) -> f32 attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %e = %c0 to %n step %c1 iter_args(%t = %zero) -> (f32) {
    %v = memref.load %table[%c0, %e] : memref<?x?xf32>
    %w = arith.addf %t, %v : f32
    scf.yield %w : f32
  }
  return %s : f32
}
func.func @recursive_caller(%table: memref<?x?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %e = %c0 to %n step %c1 {
    %v = memref.load %table[%c0, %e] : memref<?x?xf32>
    %w = func.call @recursive(%v) : (f32) -> f32
    memref.store %w, %out[%e] : memref<?xf32>
  }
  scf.for %e = %c0 to %n step %c1 {
    %w = func.call @sum(%table, %n) : (memref<?x?xf32>, index) -> f32
    memref.store %w, %out[%e] : memref<?xf32>
  }
  return
}
