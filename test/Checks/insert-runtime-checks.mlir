// RUN: ember-opt %s --split-input-file --insert-runtime-checks --canonicalize --cse | FileCheck %s

// An embedding bag: offsets once, a segment once, a row once a lookup; nothing
// in the innermost loops.

// CHECK-LABEL: func.func @bag(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<?x64xf32> {{.*}}, %[[I:[a-z0-9]+]]: memref<?xi64> {{.*}}, %[[F:[a-z0-9]+]]: memref<?xi64> {{.*}}, %[[O:[a-z0-9]+]]: memref<?x64xf32>
func.func @bag(%weight: memref<?x64xf32> {ember.name = "weight"},
               %indices: memref<?xi64> {ember.name = "indices"},
               %offsets: memref<?xi64> {ember.name = "offsets"},
               %out: memref<?x64xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %bags = memref.dim %out, %c0 : memref<?x64xf32>
  // CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[W]], %c0
  // CHECK-DAG: %[[N:.*]] = memref.dim %[[I]], %c0
  // CHECK-DAG: %[[M:.*]] = memref.dim %[[F]], %c0
  // CHECK-DAG: %[[B:.*]] = memref.dim %[[O]], %c0
  // CHECK: %[[LAST:.*]] = arith.addi %[[B]], %c-1
  // CHECK: %[[OVER:.*]] = arith.cmpi uge, %[[LAST]], %[[M]]
  // CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[B]], %c0
  // CHECK: %[[BAD:.*]] = arith.andi %[[RUNS]], %[[OVER]]
  // CHECK: ember.check fails_if %[[BAD]] {
  // CHECK: ember.fail_index "dimension 0 of 'offsets'", %[[LAST]] of %[[M]] :
  // CHECK: %[[OVER1:.*]] = arith.cmpi uge, %[[B]], %[[M]]
  // CHECK: %[[BAD1:.*]] = arith.andi %[[RUNS]], %[[OVER1]]
  // CHECK: ember.check fails_if %[[BAD1]] {
  // CHECK: scf.for
  scf.for %b = %c0 to %bags step %c1 {
    // CHECK: %[[BEGIN:.*]] = arith.index_cast %{{.*}} : i64 to index
    // CHECK: %[[END:.*]] = arith.index_cast %{{.*}} : i64 to index
    // CHECK: %[[DECREASE:.*]] = arith.cmpi sgt, %[[BEGIN]], %[[END]]
    // CHECK-NEXT: ember.check fails_if %[[DECREASE]] {
    // CHECK: ember.fail_segment "'offsets'" at %{{.*}}, %{{.*}} to %{{.*}} :
    // CHECK: }
    // CHECK: %[[LASTP:.*]] = arith.addi %[[END]], %c-1
    // CHECK: arith.cmpi ugt, %[[BEGIN]], %[[LASTP]]
    // CHECK: arith.cmpi uge, %[[LASTP]], %[[N]]
    // CHECK: ember.check
    // CHECK: scf.if
    // CHECK: ember.fail_index "dimension 0 of 'indices'", %{{.*}} of %{{.*}} from "'offsets'" at %{{.*}} :
    %i0 = memref.load %offsets[%b] : memref<?xi64>
    %b1 = arith.addi %b, %c1 : index
    %i1 = memref.load %offsets[%b1] : memref<?xi64>
    %begin = arith.index_cast %i0 : i64 to index
    %end = arith.index_cast %i1 : i64 to index
    // CHECK: scf.for %[[P:.*]] = %[[BEGIN]] to %[[END]]
    scf.for %p = %begin to %end step %c1 {
      // CHECK-NEXT: %[[INDEX:.*]] = memref.load %[[I]][%[[P]]]
      // CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[INDEX]]
      // CHECK-NEXT: %[[BADROW:.*]] = arith.cmpi uge, %[[ROW]], %[[ROWS]]
      // CHECK-NEXT: ember.check fails_if %[[BADROW]] {
      // CHECK: ember.fail_index "dimension 0 of 'weight'", %{{.*}} of %[[ROWS]] from "'indices'" at %[[P]] :
      // CHECK: }
      %j = memref.load %indices[%p] : memref<?xi64>
      %i = arith.index_cast %j : i64 to index
      // CHECK: scf.for
      // CHECK-NEXT: memref.load
      // CHECK-NEXT: memref.load
      // CHECK-NEXT: arith.addf
      // CHECK-NEXT: memref.store
      // CHECK-NEXT: }
      scf.for %e = %c0 to %c64 step %c1 {
        %x = memref.load %weight[%i, %e] : memref<?x64xf32>
        %y = memref.load %out[%b, %e] : memref<?x64xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %out[%b, %e] : memref<?x64xf32>
      }
    }
  }
  return
}

// -----

// Nothing to check: constants, dimensions as bounds, whole masked rows.

// CHECK-LABEL: func.func @proven
// CHECK-NOT: ember.check
// CHECK: return
func.func @proven(%a: memref<?x100xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  %n = memref.dim %a, %c0 : memref<?x100xf32>
  %x = memref.load %b[%c7] : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i, %c7] : memref<?x100xf32>
    scf.for %j = %c0 to %c100 step %c16 {
      %left = arith.subi %c100, %j : index
      %m = vector.create_mask %left : vector<16xi1>
      vector.maskedstore %a[%i, %j], %m, %z : memref<?x100xf32>, vector<16xi1>, vector<16xf32>
    }
  }
  return
}

// -----

// A check stays under its condition, however little it depends on the loop.

// CHECK-LABEL: func.func @conditional
// CHECK-NOT: ember.check
// CHECK: scf.for
// CHECK: scf.if %arg
// CHECK: arith.cmpi uge
// CHECK: ember.check
// CHECK: ember.fail_index
func.func @conditional(%a: memref<?xf32>, %n: index, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %k = %c0 to %n step %c1 {
    scf.if %c {
      memref.store %x, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// A check that does not change leaves the loops, under the condition that both
// run.

// CHECK-LABEL: func.func @invariant
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index, %[[I:.*]]: index
// CHECK: %[[SIZE:.*]] = memref.dim
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi uge, %[[I]], %[[SIZE]]
// CHECK: %[[INNER:.*]] = arith.cmpi sgt, %[[M]], %c0
// CHECK: %[[BOTH:.*]] = arith.andi %[[INNER]], %[[OUTSIDE]]
// CHECK: %[[OUTER:.*]] = arith.cmpi sgt, %[[N]], %c0
// CHECK: %[[BAD:.*]] = arith.andi %[[OUTER]], %[[BOTH]]
// CHECK: ember.check fails_if %[[BAD]]
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store
func.func @invariant(%a: memref<?xf32>, %n: index, %m: index, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.for %k = %c0 to %n step %c1 {
    scf.for %l = %c0 to %m step %c1 {
      memref.store %x, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Full vectors: the last vector of the loop decides.

// CHECK-LABEL: func.func @vectors
// CHECK: arith.remui
// CHECK: ember.check
// CHECK: scf.for
// CHECK-NEXT: vector.store
// CHECK-NEXT: }
func.func @vectors(%a: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = arith.constant dense<1.0> : vector<8xf32>
  scf.for %k = %c0 to %n step %c8 {
    vector.store %x, %a[%k] : memref<?xf32>, vector<8xf32>
  }
  return
}

// -----

// Only active lanes count.

// CHECK-LABEL: func.func @gather
// CHECK: %[[BADLANES:.*]] = arith.cmpi uge
// CHECK: %[[ACTIVE:.*]] = arith.andi %[[BADLANES]], %{{.*}} : vector<4xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[ACTIVE]]
// CHECK: ember.check fails_if %[[ANY]]
// CHECK: vector.gather
func.func @gather(%a: memref<?xf32>, %i: vector<4xi32>, %m: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %x = vector.gather %a[%c0][%i], %m, %p : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %x : vector<4xf32>
}

// -----

// Lanes that were loaded side by side have a position.

// CHECK-LABEL: func.func @looked_up
// CHECK: vector.maskedload
// CHECK: scf.for %[[LANE:.*]] =
// CHECK: %[[POSITION:.*]] = arith.addi %{{.*}}, %[[LANE]] : index
// CHECK: ember.fail_index "dimension 0 of 'a'", %{{.*}} from "'ids'" at %[[POSITION]]
func.func @looked_up(%a: memref<?xf32> {ember.name = "a"}, %ids: memref<?xi32> {ember.name = "ids"}, %at: index, %m: vector<4xi1>, %p: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : vector<4xi32>
  %i = vector.maskedload %ids[%at], %m, %none : memref<?xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
  %x = vector.gather %a[%c0][%i], %m, %p : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return %x : vector<4xf32>
}

// -----

// A view is checked where it is made, and accesses against the view.

// CHECK-LABEL: func.func @view
// CHECK-SAME: %[[A:.*]]: memref<?xf32> {{.*}}, %[[N:.*]]: index)
// CHECK: arith.cmpi slt, %[[N]], %c0
// CHECK: ember.fail "
// CHECK: ember.fail_index "dimension 0 of 'buffer'"
// CHECK: memref.subview
// CHECK-NOT: ember.fail
// CHECK: return
func.func @view(%a: memref<?xf32> {ember.name = "buffer"}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  %v = memref.subview %a[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %v[%i] : memref<?xf32, strided<[1]>>
  }
  return
}

// -----

// CHECK-LABEL: func.func @division
// CHECK: arith.cmpi eq, %arg1, %c0_i32
// CHECK: ember.fail "
// CHECK: arith.cmpi eq, %arg1, %c-1_i32
// CHECK: arith.cmpi eq, %arg0, %c-2147483648_i32
// CHECK: ember.fail "
// CHECK: arith.divsi %arg0, %arg1
// CHECK-NOT: ember.check
// CHECK: arith.remui %{{.*}}, %c7_i32
func.func @division(%a: i32, %b: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %q = arith.divsi %a, %b : i32
  %r = arith.remui %q, %c7 : i32
  return %r : i32
}

// -----

// CHECK-LABEL: func.func @assertion
// CHECK-NOT: cf.assert
// CHECK: %[[BAD:.*]] = arith.xori %{{.*}}, %true
// CHECK-NEXT: ember.check fails_if %[[BAD]] {
// CHECK-NEXT: ember.fail "n is too large"
func.func @assertion(%c: i1) {
  cf.assert %c, "n is too large"
  return
}

// -----

// The same check again, in a block inside, is not repeated.

// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-1: arith.cmpi uge
// CHECK-NOT: arith.cmpi uge
// CHECK: return
func.func @repeated(%a: memref<?xf32>, %i: index, %c: i1) {
  %x = memref.load %a[%i] : memref<?xf32>
  scf.if %c {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// An index cut off at the last one is in range where anything is: what is left
// to check does not depend on the loop.

// CHECK-LABEL: func.func @ahead
// CHECK: ember.check
// CHECK: scf.for
// CHECK-NOT: ember.check
// CHECK: return
func.func @ahead(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.dim %b, %c0 : memref<?xf32>
  %last = arith.subi %m, %c1 : index
  scf.for %i = %c0 to %n step %c1 {
    %q = arith.addi %i, %c16 : index
    %r = arith.minui %q, %last : index
    %x = memref.load %b[%r] : memref<?xf32>
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}

// -----

// What could be poison is some number before it is an index.

// CHECK-LABEL: func.func @poison
// CHECK: %[[SUM:.*]] = arith.addi %arg1, %arg2 : i64
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[SUM]], %arg2 : i64
// CHECK: %[[FIXED:.*]] = llvm.freeze %[[SHIFTED]] : i64
// CHECK: arith.index_cast %[[FIXED]]
func.func @poison(%a: memref<?xf32>, %i: i64, %j: i64) -> f32 {
  %s = arith.addi %i, %j overflow<nsw> : i64
  %k = arith.shli %s, %j : i64
  %l = arith.index_cast %k : i64 to index
  %x = memref.load %a[%l] : memref<?xf32>
  return %x : f32
}

// -----

// A counter that would pass the largest number: asked only of a loop that runs
// and whose bound is near it, and then of its last iteration.

// CHECK-LABEL: func.func @wrap
// CHECK-SAME: %[[L:.*]]: index, %[[U:.*]]: index
// CHECK: %[[NEAR:.*]] = arith.cmpi sgt, %[[U]], %c9223372036854775803
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[L]], %[[U]]
// CHECK: %[[RARE:.*]] = arith.andi %[[NEAR]], %[[RUNS]]
// CHECK: scf.if %[[RARE]] {
// CHECK: arith.remui
// CHECK: ember.check
// CHECK: ember.fail "the bound of a loop is too large for its step
func.func @wrap(%l: index, %u: index) {
  %c4 = arith.constant 4 : index
  scf.for %i = %l to %u step %c4 {
    func.call @use(%i) : (index) -> ()
  }
  return
}
func.func private @use(index)

// A segment that is counted from zero.

// CHECK-LABEL: func.func @counted_segment(
// CHECK: scf.for
// CHECK: %[[BEGIN:.*]] = memref.load
// CHECK: %[[END:.*]] = memref.load
// CHECK: %[[LENGTH:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: %[[DECREASE:.*]] = arith.cmpi sgt, %[[BEGIN]], %[[END]]
// CHECK-NEXT: ember.check fails_if %[[DECREASE]] {
// CHECK: ember.fail_segment
// CHECK: scf.for %{{.*}} = %c0 to %[[LENGTH]]
func.func @counted_segment(%offsets: memref<?xindex>, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %offsets[%i] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    %length = arith.subi %end, %begin : index
    scf.for %k = %c0 to %length step %c1 {
      memref.store %one, %out[%k] : memref<?xf32>
    }
  }
  return
}

// -----

// An assertion of bounds says which index it was, and where it comes from.
// CHECK-LABEL: func @assert_bounds
// CHECK-SAME: (%[[N:.*]]: index, %[[I:.*]]: memref<?xindex>
// CHECK: %[[AT:.*]] = memref.load %[[I]]
// CHECK: ember.check
// CHECK-NEXT: ember.fail_index "dimension 1 of 'A'", %[[AT]] of %[[N]] from "'I'" at %{{.*}} : index, index, index
// CHECK: ember.fail_index "dimension 1 of 'A'", %[[N]] of %{{.*}} : index, index
func.func @assert_bounds(%n: index, %I: memref<?xindex> {ember.name = "I"}, %m: index, %free: i1) {
  %c0 = arith.constant 0 : index
  %at = memref.load %I[%c0] : memref<?xindex>
  %below = arith.cmpi ult, %at, %n : index
  cf.assert %below, "out of bounds" {ember.bounds = "dimension 1 of 'A'"}
  %above = arith.cmpi ugt, %m, %n : index
  %either = arith.ori %free, %above : i1
  cf.assert %either, "out of bounds" {ember.bounds = "dimension 1 of 'A'"}
  return
}

// -----

// Where a row begins and ends is looked up at its number and the next one: what
// is out of range is the row, of which there is one less than elements.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[P:.*]]: memref<?xindex> {{.*}}, %[[I:.*]]: memref<?xi64>
// CHECK: %[[ROW:.*]] = arith.index_cast
// CHECK: %[[COUNT:.*]] = arith.subi %{{.*}}, %c1
// CHECK: ember.fail_index "dimension 0 of 'A'", %[[ROW]] of %[[COUNT]] from "'I'" at %{{.*}} : index, index, index
// CHECK: %[[COUNT1:.*]] = arith.subi %{{.*}}, %c1
// CHECK: ember.fail_index "dimension 0 of 'A'", %[[ROW]] of %[[COUNT1]] from "'I'" at %{{.*}} : index, index, index
// Alone, nothing tells which of both an element is.
// CHECK: ember.fail_index "dimension 0 of positions of level 1 of 'A'"
func.func @rows(%positions: memref<?xindex> {ember.message_name = "positions of level 1 of 'A'", ember.rows = "dimension 0 of 'A'"},
                %I: memref<?xi64> {ember.name = "I"}, %p: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %at = memref.load %I[%p] : memref<?xi64>
  %row = arith.index_cast %at : i64 to index
  %next = arith.addi %row, %c1 : index
  %begin = memref.load %positions[%row] : memref<?xindex>
  %end = memref.load %positions[%next] : memref<?xindex>
  %alone = memref.load %positions[%c7] : memref<?xindex>
  return %begin, %end, %alone : index, index, index
}

// -----

// Indices of memory that is as long as a dimension are those of the dimension.
// CHECK-LABEL: func @bounds
// CHECK: ember.fail_index "dimension 1 of 'C'", %{{.*}} of %{{.*}} : index, index
func.func @bounds(%n: index, %i: index) -> f32 {
  %workspace = memref.alloc(%n) {ember.bounds = "dimension 1 of 'C'"} : memref<?xf32>
  %value = memref.load %workspace[%i] : memref<?xf32>
  memref.dealloc %workspace : memref<?xf32>
  return %value : f32
}

// -----

// A cast to a type that says no more than that of what it shows asks for nothing; any other one does.
// CHECK-LABEL: func.func @casts(
// CHECK-NOT: ember.check
// CHECK: memref.cast %{{.*}} : memref<4x8xf32> to memref<?x8xf32>
// CHECK: ember.fail "size mismatch of dim 1 in memref.cast
// CHECK: ember.fail "stride mismatch of dim 0 in memref.cast
func.func @casts(%a: memref<4x8xf32>, %b: memref<?x?xf32, strided<[?, 1]>>)
    -> (memref<?x8xf32>, memref<?x8xf32>) {
  %x = memref.cast %a : memref<4x8xf32> to memref<?x8xf32>
  %y = memref.cast %b : memref<?x?xf32, strided<[?, 1]>> to memref<?x8xf32>
  return %x, %y : memref<?x8xf32>, memref<?x8xf32>
}
