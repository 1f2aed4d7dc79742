// Callbacks that a stream leaves out: branches, both of their sides, stores of
// what was there before, and whole loops.

// RUN: ember-opt %s --mask-callbacks -split-input-file | FileCheck %s
// RUN: ember-opt %s --mask-callbacks=selects=false -split-input-file | FileCheck %s --check-prefix=BRANCHES

// The condition is computed by the access unit.

// CHECK-LABEL: func.func @branch(
// CHECK: %[[I:.*]] = slc.mem_str
// CHECK: %[[OK:.*]] = slc.cmp_str sge %[[I]], %c0 : !slc.stream<index>, index -> !slc.stream<i1>
// CHECK: slc.callback ite mask %[[OK]] : !slc.stream<i1> {
// CHECK-NEXT: %[[ID:.*]] = slc.str_to_val %[[I]]
// CHECK-NEXT: memref.store %[[ID]]
// BRANCHES-LABEL: func.func @branch(
// BRANCHES: slc.callback ite mask
func.func @branch(%idx: memref<?xindex>, %out: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %idx, %c0 : memref<?xindex>
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %id = slc.str_to_val %i : !slc.stream<index> -> index
      %ok = arith.cmpi sge, %id, %c0 : index
      scf.if %ok {
        memref.store %id, %out[] : memref<index>
      }
    }
  }
  return
}

// -----

// One of two callbacks runs, and none is told which.

// CHECK-LABEL: func.func @both(
// CHECK: %[[OK:.*]] = slc.mem_str %{{.*}} -> !slc.stream<i1>
// CHECK: %[[NOT:.*]] = slc.alu_str xor %[[OK]], %true
// CHECK: slc.callback end mask %[[OK]] : !slc.stream<i1> {
// CHECK-NEXT: memref.store %c1
// CHECK-NEXT: }
// CHECK-NEXT: slc.callback end mask %[[NOT]] : !slc.stream<i1> {
// CHECK-NEXT: memref.store %c0
func.func @both(%flags: memref<?xi1>, %out: memref<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  slc.for %p = %c0 to %n step %c1 {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    slc.for %q = %c0 to %n step %c1 {
    }
    slc.callback end {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      scf.if %flag {
        memref.store %c1, %out[] : memref<index>
      } else {
        memref.store %c0, %out[] : memref<index>
        memref.store %c0, %out[] : memref<index>
      }
    }
  }
  return
}

// -----

// What a branch hands on, it also has where it is not taken.

// CHECK-LABEL: func.func @results(
// CHECK: slc.for %{{.*}} iter_args(%[[A:.*]] = %c0)
// CHECK: slc.callback ite mask %{{.*}} : !slc.stream<i1> else(%[[A]]) -> index {
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[A]], %c1
// CHECK-NEXT: slc.yield %[[MORE]]
func.func @results(%flags: memref<?xi1>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  %r = slc.for %p = %c0 to %n step %c1 iter_args(%a = %c0) -> (index) {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %next = slc.callback ite -> index {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      %chosen = scf.if %flag -> (index) {
        %more = arith.addi %a, %c1 : index
        scf.yield %more : index
      } else {
        scf.yield %a : index
      }
      slc.yield %chosen : index
    }
    slc.yield %next : index
  }
  return %r : index
}

// -----

// Stores of what was there: the loop is left out as a whole.

// CHECK-LABEL: func.func @selects(
// CHECK: %[[I:.*]] = slc.mem_str %arg0
// CHECK: %[[OK:.*]] = slc.cmp_str ne %[[I]], %arg3
// CHECK: %[[END:.*]] = slc.sel_str %[[OK]], %c8, %c0 : !slc.stream<i1>, index, index -> !slc.stream<index>
// CHECK: slc.for %{{.*}} = %c0 to %[[END]] step %c1
// CHECK: slc.callback ite {
// CHECK-NOT: arith.select
// CHECK: return
// BRANCHES-LABEL: func.func @selects(
// BRANCHES-NOT: sel_str
// BRANCHES-NOT: mask
// BRANCHES: arith.select
func.func @selects(%idx: memref<?xindex>, %tab: memref<?x8xf32>, %out: memref<8xf32>, %pad: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %idx, %c0 : memref<?xindex>
  slc.for %p = %c0 to %n step %c1 {
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %e = %c0 to %c8 step %c1 {
      %v = slc.mem_str %tab[%i, %e] : memref<?x8xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      slc.callback ite {
        %id = slc.str_to_val %i : !slc.stream<index> -> index
        %at = slc.str_to_val %e : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        %keep = arith.cmpi ne, %id, %pad : index
        %old = memref.load %out[%at] : memref<8xf32>
        %sum = arith.addf %old, %x : f32
        %next = arith.select %keep, %sum, %old : f32
        memref.store %next, %out[%at] : memref<8xf32>
      }
    }
  }
  return
}

// -----

// What was there is not what is written: another store comes between, or the
// element is another one. And the execute unit decides.

// CHECK-LABEL: func.func @refused(
// CHECK-NOT: mask
// CHECK: return
func.func @refused(%flags: memref<?xi1>, %out: memref<8xindex>, %decided: memref<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  slc.for %p = %c0 to %n step %c1 {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    slc.callback ite {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      %old = memref.load %out[%c0] : memref<8xindex>
      %a = arith.select %flag, %c1, %old : index
      memref.store %a, %out[%c1] : memref<8xindex>
    }
    slc.callback ite {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      %old = memref.load %out[%c0] : memref<8xindex>
      %other = memref.load %out[%c1] : memref<8xindex>
      %a = arith.select %flag, %c1, %old : index
      memref.store %a, %out[%c0] : memref<8xindex>
      %b = arith.select %flag, %c1, %other : index
      memref.store %b, %out[%c1] : memref<8xindex>
    }
    slc.callback ite {
      %flag = memref.load %decided[] : memref<i1>
      scf.if %flag {
        memref.store %c1, %out[%c0] : memref<8xindex>
      }
    }
  }
  return
}

// A branch in a branch: both conditions make the mask, where what there is
// without them is the same.

// CHECK-LABEL: func.func @in_a_branch(
// CHECK: %[[OK:.*]] = slc.mem_str %arg0
// CHECK: %[[I:.*]] = slc.mem_str %arg1
// CHECK: %[[ROW:.*]] = slc.cmp_str sge %[[I]]
// CHECK: %[[BOTH:.*]] = slc.alu_str and %[[OK]], %[[ROW]]
// CHECK: slc.callback ite mask %[[BOTH]] : !slc.stream<i1> {
// CHECK-NOT: scf.if
// CHECK: return
func.func @in_a_branch(%flags: memref<?xi1>, %idx: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  slc.for %p = %c0 to %n step %c1 {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.callback ite {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      %row = slc.str_to_val %i : !slc.stream<index> -> index
      scf.if %flag {
        %is_row = arith.cmpi sge, %row, %c0 : index
        scf.if %is_row {
          memref.store %row, %out[%row] : memref<?xindex>
        }
      }
    }
  }
  return
}

// The outer branch gives something else than the inner one without its
// condition: that one only becomes a choice.

// CHECK-LABEL: func.func @two_others(
// CHECK: slc.callback ite -> index {
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK: arith.select
// CHECK: slc.yield
func.func @two_others(%flags: memref<?xi1>, %idx: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %flags, %c0 : memref<?xi1>
  %r = slc.for %p = %c0 to %n step %c1 iter_args(%sum = %c0) -> (index) {
    %ok = slc.mem_str %flags[%p] : memref<?xi1>[!slc.stream<index>] -> !slc.stream<i1>
    %i = slc.mem_str %idx[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %next = slc.callback ite -> index {
      %flag = slc.str_to_val %ok : !slc.stream<i1> -> i1
      %row = slc.str_to_val %i : !slc.stream<index> -> index
      %outer = scf.if %flag -> (index) {
        %is_row = arith.cmpi sge, %row, %c0 : index
        %inner = scf.if %is_row -> (index) {
          %more = arith.addi %sum, %row : index
          scf.yield %more : index
        } else {
          scf.yield %c1 : index
        }
        scf.yield %inner : index
      } else {
        %less = arith.subi %sum, %c1 : index
        scf.yield %less : index
      }
      slc.yield %outer : index
    }
    slc.yield %next : index
  }
  return %r : index
}
