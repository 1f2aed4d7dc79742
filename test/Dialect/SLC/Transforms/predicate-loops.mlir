// Loops under conditions that the access unit evaluates: ranges that are empty
// where the condition does not hold. Other conditions stay compute code.

// RUN: ember-opt %s --scf-to-slc -split-input-file | FileCheck %s

// Padding: the whole lookup depends on its index.

// CHECK-LABEL: func.func @padding(
// CHECK-SAME: %[[IDX:.*]]: memref<?xindex>, %[[TAB:.*]]: memref<?x?xf32>, %[[OUT:.*]]: memref<?xf32>)
// CHECK: slc.for %[[P:.*]] = %[[C0:.*]] to
// CHECK: %[[I:.*]] = slc.mem_str %[[IDX]][%[[P]]]
// CHECK: %[[OK:.*]] = slc.cmp_str sge %[[I]], %[[C0]]
// CHECK: %[[END:.*]] = slc.sel_str %[[OK]], %[[EL:.*]], %[[C0]] : !slc.stream<i1>, index, index -> !slc.stream<index>
// CHECK: slc.for %[[E:.*]] = %[[C0]] to %[[END]] step
// CHECK: slc.mem_str %[[TAB]][%[[I]], %[[E]]]
// CHECK-NOT: scf.if
func.func @padding(%idx: memref<?xindex>, %tab: memref<?x?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    scf.if %ok {
      scf.for %e = %c0 to %el step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        %o = memref.load %out[%e] : memref<?xf32>
        %s = arith.addf %o, %v : f32
        memref.store %s, %out[%e] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// The lookup is the other branch, its range has a computed end, and code behind
// the loop and of the first branch stays conditional.

// CHECK-LABEL: func.func @branches(
// CHECK: %[[PAD:.*]] = slc.cmp_str slt
// CHECK: %[[END:.*]] = slc.sel_str %[[PAD]], %[[LOW:.*]], %{{.*}} : !slc.stream<i1>, index, index -> !slc.stream<index>
// CHECK: slc.for %{{.*}} = %[[LOW]] to %[[END]]
// CHECK: slc.callback end {
// CHECK: %[[IF:.*]] = slc.str_to_val %[[PAD]]
// CHECK: scf.if %[[IF]] {
// CHECK:   memref.store
// CHECK: } else {
// CHECK:   memref.store
// CHECK: }
func.func @branches(%idx: memref<?xindex>, %tab: memref<?x?xf32>, %out: memref<?xf32>, %count: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %pad = arith.cmpi slt, %i, %c0 : index
    scf.if %pad {
      memref.store %one, %count[%c0] : memref<2xf32>
    } else {
      %el = memref.dim %tab, %c1 : memref<?x?xf32>
      %end = arith.subi %el, %c1 : index
      scf.for %e = %c1 to %end step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        %o = memref.load %out[%e] : memref<?xf32>
        %s = arith.addf %o, %v : f32
        memref.store %s, %out[%e] : memref<?xf32>
      }
      memref.store %one, %count[%c1] : memref<2xf32>
    }
  }
  return
}

// -----

// A sum that a loop carries through the condition.

// CHECK-LABEL: func.func @carried(
// CHECK: slc.for
// CHECK: %[[END:.*]] = slc.sel_str
// CHECK: slc.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(
// CHECK-NOT: scf.if
func.func @carried(%idx: memref<?xindex>, %tab: memref<?x?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    %sum = scf.if %ok -> f32 {
      %t = scf.for %e = %c0 to %el step %c1 iter_args(%a = %acc) -> f32 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        %s = arith.addf %a, %v : f32
        scf.yield %s : f32
      }
      scf.yield %t : f32
    } else {
      scf.yield %acc : f32
    }
    scf.yield %sum : f32
  }
  return %r : f32
}

// -----

// The condition is computed, or a load that the loop needs runs under it alone.

// CHECK-LABEL: func.func @computed(
// CHECK-COUNT-1: slc.for
// CHECK: slc.callback
// CHECK: scf.if
// CHECK:   scf.for
func.func @computed(%idx: memref<?xindex>, %w: memref<?xf32>, %tab: memref<?x?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %x = memref.load %w[%p] : memref<?xf32>
    %ok = arith.cmpf ogt, %x, %z : f32
    scf.if %ok {
      scf.for %e = %c0 to %el step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        memref.store %v, %out[%e] : memref<?xf32>
      }
    }
  }
  return
}

// -----

// CHECK-LABEL: func.func @needed(
// CHECK-COUNT-1: slc.for
// CHECK: slc.callback
// CHECK: scf.if
// CHECK:   memref.load
// CHECK:   scf.for
func.func @needed(%idx: memref<?xindex>, %w: memref<?xf32>, %tab: memref<?x?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %ok = arith.cmpi sge, %i, %c0 : index
    scf.if %ok {
      %x = memref.load %w[%i] : memref<?xf32>
      scf.for %e = %c0 to %el step %c1 {
        %v = memref.load %tab[%i, %e] : memref<?x?xf32>
        %y = arith.mulf %v, %x : f32
        memref.store %y, %out[%e] : memref<?xf32>
      }
    }
  }
  return
}
