// Loads under conditions that the access unit evaluates are loads with masks;
// what a condition chooses of them is one stream.

// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: ember-opt %s --scf-to-slc --optimize 2>/dev/null | FileCheck %s --check-prefix=LANES
// RUN: ember-opt %s --choose-decoupling | FileCheck %s --check-prefix=CHOICE

// Indices that a condition keeps out of memory are anywhere.

// RUN: %npy make %t.flags.npy i1 "[1, 0, 1, 0, 1, 1, 0, 1, 1]"
// RUN: %npy make %t.sel.npy i64 "[5, 0, 8, 2]"
// RUN: %npy make %t.idx.npy i64 "[3, 2**40, -7, -2**60, 0, 1, 99, -1, 2]"
// RUN: %npy make %t.tab.npy f32 "np.arange(9) * 10 + 10"
// RUN: %npy make %t.o.npy f32 "np.full(9, -1)"
// RUN: %npy make %t.small.npy i64 "[3, -2**40, -7, -2**60, 0, 1, -99, -1, 2]"
// RUN: %npy make %t.divisors.npy i64 "[3, 0, -7, -2**60, 1, 2, 0, -1, 2]"
// DEFINE: %{args} = @%t.flags.npy @%t.sel.npy @%t.idx.npy @%t.small.npy @%t.divisors.npy @%t.tab.npy @%t.o.npy @%t.o.npy @%t.o.npy @%t.o.npy --print=6 --print=7 --print=8 --print=9
// RUN: ember-opt %s  2>/dev/null > %t.0.mlir
// RUN: ember-run %t.0.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc 2>/dev/null > %t.1.mlir
// RUN: ember-run %t.1.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize=opt-level=1 2>/dev/null > %t.2.mlir
// RUN: ember-run %t.2.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize=opt-level=3 2>/dev/null > %t.3.mlir
// RUN: ember-run %t.3.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=4 vector-length=4" 2>/dev/null > %t.4.mlir
// RUN: ember-run %t.4.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --slc-to-dlc=opt-level=0 2>/dev/null > %t.5.mlir
// RUN: ember-run %t.5.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize=opt-level=1 --slc-to-dlc=opt-level=1 2>/dev/null > %t.6.mlir
// RUN: ember-run %t.6.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize=opt-level=2 --slc-to-dlc=opt-level=2 2>/dev/null > %t.7.mlir
// RUN: ember-run %t.7.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize=opt-level=3 --slc-to-dlc=opt-level=3 2>/dev/null > %t.8.mlir
// RUN: ember-run %t.8.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=4 vector-length=4" --slc-to-dlc=opt-level=4 2>/dev/null > %t.9.mlir
// RUN: ember-run %t.9.mlir --entry=all %{args} | FileCheck %s --check-prefix=VALUES
// VALUES: [30, 20, 1, 40, 60, 10, 70, 1, 90]
// VALUES: [41, 1, 1, 1, 11, 21, 1, 1, 31]
// VALUES: [40, -1, -1, -1, 10, 20, -1, -1, 30]
// VALUES: [10, 0, 0, 0, 50, 30, 0, 0, 50]

func.func @all(%flags: memref<?xi1>, %sel: memref<?xindex>, %idx: memref<?xindex>, %small: memref<?xindex>, %divisors: memref<?xindex>, %tab: memref<?xf32>, %o0: memref<?xf32>, %o1: memref<?xf32>, %o2: memref<?xf32>, %o3: memref<?xf32>) {
  call @either(%flags, %sel, %idx, %tab, %o0) : (memref<?xi1>, memref<?xindex>, memref<?xindex>, memref<?xf32>, memref<?xf32>) -> ()
  call @computes(%small, %tab, %o1) : (memref<?xindex>, memref<?xf32>, memref<?xf32>) -> ()
  call @stores(%small, %tab, %o2) : (memref<?xindex>, memref<?xf32>, memref<?xf32>) -> ()
  call @divides(%divisors, %tab, %o3) : (memref<?xindex>, memref<?xf32>, memref<?xf32>) -> ()
  return
}

// What there is without a load is the mask's business, zero without a word.

// CHECK-LABEL: func.func @or_zero(
// CHECK: %[[I:.*]] = slc.mem_str %arg0
// CHECK: %[[OK:.*]] = slc.cmp_str sge %[[I]]
// CHECK: slc.for
// CHECK: slc.mem_str %arg1[%[[I]], %{{.*}}] mask %[[OK]] : memref<?x?xf32>
// CHECK-NOT: scf.if
// LANES-LABEL: func.func @or_zero(
// LANES: slcv.vec_mem_str %arg1[%{{.*}}] mask %{{.*}} contiguous
// CHOICE-LABEL: func.func @or_zero(
// CHOICE: scf.if %{{.*}} -> (f32) {
// CHOICE-NEXT: memref.load
// CHOICE-NEXT: scf.yield
// CHOICE-NEXT: } else {
// CHOICE-NEXT: scf.yield
// CHOICE-NEXT: }
// CHOICE-NEXT: slc.callback ite
func.func @or_zero(%idx: memref<?xindex>, %tab: memref<?x?xf32>, %out: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    scf.for %e = %c0 to %el step %c1 {
      %v = scf.if %ok -> f32 {
        %x = memref.load %tab[%i, %e] : memref<?x?xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %v, %out[%p, %e] : memref<?x?xf32>
    }
  }
  return
}

// Loads on both sides: where one is left out, the other one is made. Conditions
// in branches hold where all do, and the index of one load is another.

// CHECK-LABEL: func.func @either(
// CHECK: %[[OK:.*]] = slc.mem_str %arg0[%[[P:.*]]] : memref<?xi1>
// CHECK: %[[I:.*]] = slc.mem_str %arg2[%[[P]]] mask %[[OK]] :
// CHECK: %[[ROW:.*]] = slc.cmp_str sge %[[I]]
// CHECK: %[[BOTH:.*]] = slc.alu_str and %[[OK]], %[[ROW]]
// CHECK: %[[J:.*]] = slc.mem_str %arg1[%[[I]]] mask %[[BOTH]] :
// CHECK: %[[X:.*]] = slc.mem_str %arg3[%[[J]]] mask %[[BOTH]] else %[[ONE:.*]] :
// CHECK: %[[NOT:.*]] = slc.alu_str xor %[[OK]], %true
// CHECK: %[[Y:.*]] = slc.mem_str %arg3[%[[P]]] mask %[[NOT]] else %[[X]] :
// CHECK: slc.callback ite {
// CHECK: slc.str_to_val %[[Y]]
// CHECK-NOT: scf.if
func.func @either(%flags: memref<?xi1>, %sel: memref<?xindex>, %idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %flags, %c0 : memref<?xi1>
  scf.for %p = %c0 to %n step %c1 {
    %ok = memref.load %flags[%p] : memref<?xi1>
    %v = scf.if %ok -> f32 {
      %i = memref.load %idx[%p] : memref<?xindex>
      %row = arith.cmpi sge, %i, %c0 : index
      %w = scf.if %row -> f32 {
        %j = memref.load %sel[%i] : memref<?xindex>
        %x = memref.load %tab[%j] : memref<?xf32>
        scf.yield %x : f32
      } else {
        scf.yield %one : f32
      }
      scf.yield %w : f32
    } else {
      %x = memref.load %tab[%p] : memref<?xf32>
      scf.yield %x : f32
    }
    memref.store %v, %out[%p] : memref<?xf32>
  }
  return
}

// One load for two results, an index chosen between a load and what it is
// computed from, and a fixed condition.

// CHECK-LABEL: func.func @two_results(
// CHECK: %[[FLAG:.*]] = slc.fwd_str %arg0 : i1 -> !slc.stream<i1>
// CHECK: %[[X:.*]] = slc.mem_str %arg3[%[[I:.*]]] mask %[[FLAG]] else %[[P:.*]] :
// CHECK: %[[Y:.*]] = slc.mem_str %arg3[%[[I]]] mask %[[FLAG]] :
// CHECK: slc.mem_str %arg2[%[[X]]] : memref<?xf32>
// CHECK: slc.mem_str %arg2[%[[Y]]] : memref<?xf32>
// CHECK-NOT: scf.if
func.func @two_results(%flag: i1, %n: index, %tab: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %r:2 = scf.if %flag -> (index, index) {
      %i = memref.load %idx[%p] : memref<?xindex>
      scf.yield %i, %i : index, index
    } else {
      scf.yield %p, %c0 : index, index
    }
    %x = memref.load %tab[%r#0] : memref<?xf32>
    %y = memref.load %tab[%r#1] : memref<?xf32>
    %s = arith.addf %x, %y : f32
    memref.store %s, %out[%p] : memref<?xf32>
  }
  return
}

// A branch that computes chooses, so that lanes can; one that stores is left
// out as a whole.

// CHECK-LABEL: func.func @computes(
// CHECK: slc.mem_str %arg1[%{{.*}}] mask %[[OK:.*]] : memref<?xf32>
// CHECK: slc.callback ite {
// CHECK: %[[IF:.*]] = slc.str_to_val %[[OK]]
// CHECK: scf.if %[[IF]] -> (f32) {
// LANES-LABEL: func.func @computes(
// LANES: slcv.vec_for
// LANES: slcv.vec_mem_str %arg1[%{{.*}}] mask
// LANES-NOT: scf.if
// LANES: arith.select %{{.*}} : vector<{{.*}}xi1>, vector<{{.*}}xf32>
func.func @computes(%idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    %v = scf.if %ok -> f32 {
      %x = memref.load %tab[%i] : memref<?xf32>
      %y = arith.addf %x, %one : f32
      scf.yield %y : f32
    } else {
      scf.yield %one : f32
    }
    memref.store %v, %out[%p] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @stores(
// CHECK: slc.mem_str %arg1[%{{.*}}] mask %[[OK:.*]] : memref<?xf32>
// CHECK: scf.if
// LANES-LABEL: func.func @stores(
// LANES: slc.callback ite mask
// LANES-NOT: scf.if
// LANES: return
func.func @stores(%idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %idx, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    scf.if %ok {
      %x = memref.load %tab[%i] : memref<?xf32>
      memref.store %x, %out[%p] : memref<?xf32>
    }
  }
  return
}

// What may go wrong where a condition does not hold does not happen there: a
// division has no mask.

// CHECK-LABEL: func.func @divides(
// CHECK: slc.mem_str %arg0
// CHECK-NOT: slc.mem_str %arg1
// CHECK: slc.callback
// CHECK: scf.if
// CHECK: arith.divsi
// CHECK: memref.load %arg1
func.func @divides(%idx: memref<?xindex>, %tab: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sgt, %i, %c0 : index
    %v = scf.if %ok -> f32 {
      %q = arith.divsi %p, %i : index
      %x = memref.load %tab[%q] : memref<?xf32>
      scf.yield %x : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %v, %out[%p] : memref<?xf32>
  }
  return
}
