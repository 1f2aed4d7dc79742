// Loops under conditions that the access unit evaluates: ranges that are empty
// where the condition does not hold. Other conditions stay compute code.

// RUN: ember-opt %s --scf-to-slc -split-input-file 2>/dev/null | FileCheck %s

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

// The condition is computed.

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

// What the loop needs of its branch is loaded under the condition.

// CHECK-LABEL: func.func @needed(
// CHECK: %[[OK:.*]] = slc.cmp_str
// CHECK: %[[W:.*]] = slc.mem_str %arg1[%{{.*}}] mask %[[OK]] :
// CHECK: %[[END:.*]] = slc.sel_str %[[OK]]
// CHECK: slc.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK: slc.str_to_val %[[W]]
// CHECK-NOT: scf.if
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

// -----

// Conditions in conditions: the loop runs where all of them hold, its bounds
// are loaded under the outer one, and a value goes through both.

// CHECK-LABEL: func.func @nested(
// CHECK: %[[OK:.*]] = slc.mem_str %arg0
// CHECK: %[[B:.*]] = slc.mem_str %arg1[%{{.*}}] mask %[[OK]] :
// CHECK: %[[E:.*]] = slc.mem_str %arg1[%{{.*}}] mask %[[OK]] :
// CHECK: %[[ANY:.*]] = slc.cmp_str slt %[[B]], %[[E]]
// CHECK: %[[BOTH:.*]] = slc.alu_str and %[[OK]], %[[ANY]]
// CHECK: %[[END:.*]] = slc.sel_str %[[BOTH]], %[[E]], %[[B]]
// CHECK: slc.for %{{.*}} = %[[B]] to %[[END]] step %{{.*}} iter_args(
// CHECK-NOT: scf.if
func.func @nested(%flags: memref<?xi1>, %ptr: memref<?xindex>, %tab: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %flags, %c0 : memref<?xi1>
  %r = scf.for %p = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
    %ok = memref.load %flags[%p] : memref<?xi1>
    %outer = scf.if %ok -> f32 {
      %p1 = arith.addi %p, %c1 : index
      %b = memref.load %ptr[%p] : memref<?xindex>
      %e = memref.load %ptr[%p1] : memref<?xindex>
      %any = arith.cmpi slt, %b, %e : index
      %sum = scf.if %any -> f32 {
        %t = scf.for %k = %b to %e step %c1 iter_args(%a = %acc) -> f32 {
          %v = memref.load %tab[%k] : memref<?xf32>
          %s = arith.addf %a, %v : f32
          scf.yield %s : f32
        }
        scf.yield %t : f32
      } else {
        scf.yield %acc : f32
      }
      scf.yield %sum : f32
    } else {
      scf.yield %acc : f32
    }
    scf.yield %outer : f32
  }
  return %r : f32
}

// -----

// In the else branch of a condition in an else branch; code behind the loop
// stays in both.

// CHECK-LABEL: func.func @otherwise(
// CHECK: %[[PAD:.*]] = slc.cmp_str slt
// CHECK: %[[LAST:.*]] = slc.cmp_str eq
// CHECK: %[[NOT_LAST:.*]] = slc.cmp_str ne
// CHECK: %[[NOT_PAD:.*]] = slc.cmp_str sge
// CHECK: %[[BOTH:.*]] = slc.alu_str and %[[NOT_PAD]], %[[NOT_LAST]]
// CHECK: slc.sel_str %[[BOTH]], %{{.*}}, %{{.*}} : !slc.stream<i1>, index, index
// CHECK: slc.callback end {
// CHECK: scf.if
// CHECK: } else {
// CHECK: scf.if
// CHECK-NOT: scf.for
func.func @otherwise(%idx: memref<?xindex>, %tab: memref<?x?xf32>, %out: memref<?xf32>, %count: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %idx, %c0 : memref<?xindex>
  %el = memref.dim %tab, %c1 : memref<?x?xf32>
  %rows = memref.dim %tab, %c0 : memref<?x?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %pad = arith.cmpi slt, %i, %c0 : index
    scf.if %pad {
      memref.store %one, %count[%c0] : memref<3xf32>
    } else {
      %last = arith.cmpi eq, %i, %rows : index
      scf.if %last {
        memref.store %one, %count[%c1] : memref<3xf32>
      } else {
        scf.for %e = %c0 to %el step %c1 {
          %v = memref.load %tab[%i, %e] : memref<?x?xf32>
          %o = memref.load %out[%e] : memref<?xf32>
          %s = arith.addf %o, %v : f32
          memref.store %s, %out[%e] : memref<?xf32>
        }
        memref.store %one, %count[%c2] : memref<3xf32>
      }
    }
  }
  return
}
