// RUN: ember-opt %s --parallelize-loops 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: ember-opt %s --parallelize-loops=may-alias 2>/dev/null | FileCheck %s --check-prefix=ALIAS

// Rows of the result; what the loop carries is its counter; offsets give costs.
// CHECK-LABEL: func.func @bags
// CHECK-SAME: %[[O:[^:]*]]: memref<?xi64>{{.*}}, %[[V:[^:]*]]: memref<?xf32>, %[[R:[^:]*]]: memref<?x4xf32>, %[[N:[^:]*]]: index
// CHECK: ember.parallel_call @bags_part(%c0, %[[N]], %[[O]], %[[V]], %[[R]], %c0{{.*}}) loops [#ember.loop_cost<cost = {{[0-9]+}}, segment_cost = {{[0-9]+}}, offsets = 2, first_offset = 5>]
// CHECK-NEXT: return
// CHECK: func.func private @bags_part(%[[LB:[^:]*]]: index, %[[UB:[^:]*]]: index,
// CHECK-SAME: memref<?xi64> {ember.message_name = "'offsets'"}
// CHECK: scf.for %[[B:.*]] = %[[LB]] to %[[UB]]
// CHECK-NOT: iter_args(%{{.*}}) -> (index)
// CHECK: memref.store

// ALIAS-LABEL: func.func @bags
// ALIAS-NOT: call
// ALIAS: return
func.func @bags(%offsets: memref<?xi64> {ember.name = "offsets"}, %values: memref<?xf32>, %out: memref<?x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm1 = arith.constant -1 : index
  %zero = arith.constant 0.0 : f32
  %last = scf.for %b = %c0 to %n step %c1 iter_args(%counter = %cm1) -> (index) {
    %row = arith.addi %counter, %c1 : index
    %b1 = arith.addi %b, %c1 : index
    %begin64 = memref.load %offsets[%b] : memref<?xi64>
    %end64 = memref.load %offsets[%b1] : memref<?xi64>
    %begin = arith.index_cast %begin64 : i64 to index
    %end = arith.index_cast %end64 : i64 to index
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %x = memref.load %values[%p] : memref<?xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    memref.store %sum, %out[%row, %c0] : memref<?x4xf32>
    scf.yield %row : index
  }
  return
}

// Loops that store to other columns share a call; what stands between them
// moves.
// CHECK-LABEL: func.func @columns
// CHECK: memref.load
// CHECK: ember.parallel_call @columns_part({{.*}}) loops [#ember.loop_cost<cost = {{.*}}>, #ember.loop_cost<cost = {{.*}}>]
// CHECK-NEXT: return
// CHECK: func.func private @columns_part
// CHECK-COUNT-2: scf.for
func.func @columns(%v: memref<?xf32>, %out: memref<?x2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %v[%b] : memref<?xf32>
    memref.store %x, %out[%b, %c0] : memref<?x2xf32>
  }
  %f = memref.load %v[%c0] : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %f, %out[%b, %c1] : memref<?x2xf32>
  }
  return
}

// Views of columns that are apart, as those of each table of bags, and of ones
// that are not. The function makes the views again.
// CHECK-LABEL: func.func @views
// CHECK: ember.parallel_call @views_part({{.*}}, %arg1, {{.*}}) loops [#ember.loop_cost<cost = {{.*}}>, #ember.loop_cost<cost = {{.*}}>]
// CHECK-NEXT: ember.parallel_call @views_part_0({{.*}}) loops [#ember.loop_cost<cost = {{[0-9]+}}>]
// CHECK-NEXT: return
// CHECK: func.func private @views_part_0(
// CHECK: func.func private @views_part(
// CHECK: %[[LEFT:.*]] = memref.subview %{{.*}}[0, %{{.*}}]
// CHECK: memref.subview %[[LEFT]][0, 1]
func.func @views(%v: memref<?xf32>, %out: memref<?x?xf32>, %n: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %left = memref.subview %out[0, %first] [%n, 2] [1, 1] : memref<?x?xf32> to memref<?x2xf32, strided<[?, 1], offset: ?>>
  %next = arith.addi %first, %c1 : index
  %right = memref.subview %left[0, 1] [%n, 1] [1, 1] : memref<?x2xf32, strided<[?, 1], offset: ?>> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  %again = memref.subview %out[0, %next] [%n, 1] [1, 1] : memref<?x?xf32> to memref<?x1xf32, strided<[?, 1], offset: ?>>
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %v[%b] : memref<?xf32>
    memref.store %x, %left[%b, %c0] : memref<?x2xf32, strided<[?, 1], offset: ?>>
  }
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %v[%b] : memref<?xf32>
    memref.store %x, %right[%b, %c0] : memref<?x1xf32, strided<[?, 1], offset: ?>>
  }
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %v[%b] : memref<?xf32>
    memref.store %x, %again[%b, %c0] : memref<?x1xf32, strided<[?, 1], offset: ?>>
  }
  return
}

// Vectors up to a column, and from there on.
// CHECK-LABEL: func.func @vectors
// CHECK: ember.parallel_call @vectors_part({{.*}}) loops [#ember.loop_cost<cost = {{.*}}>, #ember.loop_cost<cost = {{.*}}>]
// CHECK-NEXT: return
func.func @vectors(%out: memref<?x12xf32>, %n: index, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c7 step %c4 {
      vector.store %x, %out[%b, %e] : memref<?x12xf32>, vector<4xf32>
    }
  }
  scf.for %b = %c0 to %n step %c1 {
    vector.store %x, %out[%b, %c8] : memref<?x12xf32>, vector<4xf32>
  }
  return
}

// The second loop reads what the first one stores: a call each.
// CHECK-LABEL: func.func @dependent
// CHECK: call @dependent_part(
// CHECK: call @dependent_part_{{[0-9]+}}(
func.func @dependent(%v: memref<?xf32>, %w: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    memref.store %f, %v[%b] : memref<?xf32>
  }
  scf.for %b = %c0 to %n step %c1 {
    %x = memref.load %v[%b] : memref<?xf32>
    memref.store %x, %w[%b] : memref<?xf32>
  }
  return
}

// Blocks of four rows, and buffers of the iteration's own.
// CHECK-LABEL: func.func @blocks
// CHECK: call @blocks_part(
func.func @blocks(%out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %own = memref.alloca() : memref<1xf32>
    memref.store %f, %own[%c0] : memref<1xf32>
    %first = arith.muli %b, %c4 : index
    scf.for %r = %c0 to %c4 step %c1 {
      %row = arith.addi %first, %r : index
      %x = memref.load %own[%c0] : memref<1xf32>
      memref.store %x, %out[%row] : memref<?xf32>
    }
  }
  return
}

// Each segment's positions are its own.
// CHECK-LABEL: func.func @edges
// CHECK: call @edges_part(
func.func @edges(%offsets: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %b = %c0 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %begin = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%b1] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      memref.store %f, %out[%p] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @refused
// CHECK-NOT: ember.parallel_call
// CHECK: return
func.func @refused(%i: memref<?xindex> {ember.name = "rows"}, %out: memref<?xf32> {ember.name = "out"}, %n: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // REMARK: remark: the loop runs on one thread: iterations may store to the same place of 'out'
  scf.for %b = %c0 to %n step %c1 {
    %row = memref.load %i[%b] : memref<?xindex>
    memref.store %init, %out[%row] : memref<?xf32>
  }
  // REMARK: remark: the loop runs on one thread: an iteration may read from 'out' what another one stores
  scf.for %b = %c0 to %n step %c1 {
    %next = arith.addi %b, %c1 : index
    %x = memref.load %out[%next] : memref<?xf32>
    memref.store %x, %out[%b] : memref<?xf32>
  }
  // Three elements of an iteration, two apart from the next one's.
  // REMARK: remark: the loop runs on one thread: iterations may store to the same place of 'out'
  scf.for %b = %c0 to %n step %c1 {
    %first = arith.muli %b, %c2 : index
    %v = vector.broadcast %init : f32 to vector<3xf32>
    vector.store %v, %out[%first] : memref<?xf32>, vector<3xf32>
  }
  // REMARK: remark: the loop runs on one thread: it hands values from iteration to iteration
  %sum = scf.for %b = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) {
    %x = memref.load %out[%b] : memref<?xf32>
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  // REMARK: remark: the loop runs on one thread: what 'func.call' does is not known
  scf.for %b = %c0 to %n step %c1 {
    func.call @unknown() : () -> ()
  }
  return %sum : f32
}
func.func private @unknown()

// A buffer that no iteration reads before it stores to it: one each function.
// CHECK-LABEL: func.func @scratch
// CHECK-NOT: memref.alloc
// CHECK: ember.parallel_call @scratch_part({{.*}}) loops [#ember.loop_cost<{{.*}}>, #ember.loop_cost<{{.*}}>]
// CHECK-NOT: memref.dealloc
// CHECK: func.func private @scratch_part
// CHECK-COUNT-2: memref.alloc() {ember.scratch} : memref<4xf32>
// CHECK-COUNT-2: scf.for
// CHECK-COUNT-2: memref.dealloc
// CHECK: return
func.func @scratch(%out: memref<?xf32>, %other: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = memref.alloc() {ember.scratch} : memref<4xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %row[%c0] : memref<4xf32>
    %y = memref.load %row[%c0] : memref<4xf32>
    memref.store %y, %out[%b] : memref<?xf32>
  }
  memref.dealloc %row : memref<4xf32>
  %row2 = memref.alloc() {ember.scratch} : memref<4xf32>
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %row2[%c1] : memref<4xf32>
    %y = memref.load %row2[%c1] : memref<4xf32>
    memref.store %y, %other[%b] : memref<?xf32>
  }
  memref.dealloc %row2 : memref<4xf32>
  return
}

// What fills a buffer in front of the loop does so in the function; each
// iteration leaves it as it was.
// CHECK-LABEL: func.func @filled
// CHECK-NOT: memref.store
// CHECK: ember.parallel_call @filled_part({{.*}}) loops
// CHECK: func.func private @filled_part
// CHECK: %[[MARKS:.*]] = memref.alloc() {ember.scratch} : memref<4xi1>
// CHECK: scf.for
// CHECK-NEXT: memref.store %false, %[[MARKS]]
// CHECK: scf.for
// CHECK: memref.dealloc %[[MARKS]]
func.func @filled(%out: memref<?xi1>, %n: index, %x: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %no = arith.constant false
  %marks = memref.alloc() {ember.scratch} : memref<4xi1>
  scf.for %m = %c0 to %c4 step %c1 {
    memref.store %no, %marks[%m] : memref<4xi1>
  }
  scf.for %b = %c0 to %n step %c1 {
    %before = memref.load %marks[%c1] : memref<4xi1>
    memref.store %x, %marks[%c1] : memref<4xi1>
    memref.store %before, %out[%b] : memref<?xi1>
    memref.store %no, %marks[%c1] : memref<4xi1>
  }
  memref.dealloc %marks : memref<4xi1>
  return
}

// Iterations that are said to store to different places do, but not in scratch
// that they share; where a loop stays on one thread, nothing counts on several.
// CHECK-LABEL: func.func @declared
// CHECK: ember.threads_for
// CHECK: ember.parallel_call @declared_part
// CHECK: return
func.func @declared(%out: memref<?xindex>, %places: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %threads = ember.threads_for %n
  scf.for %b = %c0 to %n step %c1 {
    %place = memref.load %places[%b] : memref<?xindex>
    memref.store %b, %out[%place] : memref<?xindex>
  } {ember.independent}
  return %threads : index
}

// CHECK-LABEL: func.func @declared_but_shared
// CHECK-NOT: ember.threads_for
// CHECK-NOT: ember.parallel_call
// CHECK: return %c1
func.func @declared_but_shared(%out: memref<?xindex>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %threads = ember.threads_for %n
  %count = memref.alloca() : memref<index>
  memref.store %c0, %count[] : memref<index>
  scf.for %b = %c0 to %n step %c1 {
    %place = memref.load %count[] : memref<index>
    memref.store %b, %out[%place] : memref<?xindex>
    %next = arith.addi %place, %c1 : index
    memref.store %next, %count[] : memref<index>
  } {ember.independent}
  return %threads : index
}

// Without the attribute, or used elsewhere too, it is not known.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: ember.parallel_call
// CHECK: return
func.func @shared(%out: memref<?xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = memref.alloc() : memref<4xf32>
  // REMARK: remark: the loop runs on one thread: iterations may store to the same place of
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %row[%c0] : memref<4xf32>
    %y = memref.load %row[%c0] : memref<4xf32>
    memref.store %y, %out[%b] : memref<?xf32>
  }
  %row2 = memref.alloc() {ember.scratch} : memref<4xf32>
  // REMARK: remark: the loop runs on one thread: iterations may store to the same place of
  scf.for %b = %c0 to %n step %c1 {
    memref.store %x, %row2[%c0] : memref<4xf32>
    %y = memref.load %row2[%c0] : memref<4xf32>
    memref.store %y, %out[%b] : memref<?xf32>
  }
  %z = memref.load %row2[%c0] : memref<4xf32>
  memref.store %z, %out[%c0] : memref<?xf32>
  memref.dealloc %row : memref<4xf32>
  memref.dealloc %row2 : memref<4xf32>
  return
}

// Vectors as long as the step: what a part's last iteration stores ends where the
// next part begins.
// CHECK-LABEL: func.func @steps
// CHECK: ember.parallel_call @steps_part({{.*}}) loops [#ember.loop_cost<cost = 1, step = {{[0-9]+}}>]
// CHECK: func.func private @steps_part
// CHECK: scf.for %{{.*}} = %arg0 to %arg1 step %c4
func.func @steps(%out: memref<?xf32>, %n: index, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %b = %c0 to %n step %c4 {
    vector.store %x, %out[%b] : memref<?xf32>, vector<4xf32>
  }
  return
}

// Vectors that are longer than the step.
// CHECK-LABEL: func.func @short_steps
// CHECK-NOT: call
// CHECK: return
func.func @short_steps(%out: memref<?xf32>, %n: index, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  scf.for %b = %c0 to %n step %c3 {
    vector.store %x, %out[%b] : memref<?xf32>, vector<4xf32>
  }
  return
}
