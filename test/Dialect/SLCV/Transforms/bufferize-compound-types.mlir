// RUN: ember-opt %s --bufferize-compound-types --split-input-file | FileCheck %s

// Figure 15c: the vectors are pushed, the callback moves behind the loop and
// rebuilds induction variable and mask from its own counter.
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[TABLE:.*]]: memref<?x?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[LENGTH:.*]]: index)
// CHECK:         %[[TRIPS:.*]] = arith.ceildivsi %[[LENGTH]], %c4{{.*}} : index
// CHECK:         slc.for %[[B:.*]] = %c0 to %[[N]]
// CHECK-NEXT:      %[[BUF:.*]] = slcv.buf_str : !slc.buffer<vector<4xf32>>
// CHECK-NEXT:      slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) = %c0 to %[[LENGTH]] step %c1 vector<4> {
// CHECK-NEXT:        %[[V:.*]] = slcv.vec_mem_str %[[TABLE]][%[[B]], %[[E]]] mask %[[MASK]]
// CHECK-NEXT:        slcv.push %[[V]], %[[BUF]] : !slc.stream<vector<4xf32>>, !slc.buffer<vector<4xf32>>
// CHECK-NEXT:      }
// CHECK-NEXT:      slc.callback end {
// CHECK-NEXT:        %[[BAG:.*]] = slc.str_to_val %[[B]] : !slc.stream<index> -> index
// CHECK:             %[[ROW:.*]] = slc.str_to_val %[[BUF]] : !slc.buffer<vector<4xf32>> -> memref<?xvector<4xf32>>
// CHECK:             scf.for %[[K:.*]] = %{{.*}} to %[[TRIPS]]
// CHECK-NEXT:          %[[E0:.*]] = arith.muli %[[K]], %{{.*}} : index
// CHECK-NEXT:          %[[X:.*]] = memref.load %[[ROW]][%[[K]]] : memref<?xvector<4xf32>>
// CHECK-NEXT:          %[[LEFT:.*]] = arith.subi %[[LENGTH]], %[[E0]] : index
// CHECK-NEXT:          %[[M:.*]] = vector.create_mask %[[LEFT]] : vector<4xi1>
// CHECK-NEXT:          %[[ACC:.*]] = vector.maskedload %[[OUT]][%[[BAG]], %[[E0]]], %[[M]]
// CHECK-NEXT:          %[[SUM:.*]] = arith.addf %[[ACC]], %[[X]]
// CHECK-NEXT:          vector.maskedstore %[[OUT]][%[[BAG]], %[[E0]]], %[[M]], %[[SUM]]
func.func @row(%table: memref<?x?xf32>, %out: memref<?x?xf32>, %n: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  slc.for %b = %c0 to %n step %c1 {
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<4> {
      %v = slcv.vec_mem_str %table[%b, %e] mask %mask : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %e0 = slc.str_to_val %e[0] : !slc.stream<vector<4xindex>> -> index
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        %left = arith.subi %length, %e0 : index
        %m = vector.create_mask %left : vector<4xi1>
        %acc = vector.maskedload %out[%bag, %e0], %m, %zeros : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
        %sum = arith.addf %acc, %x : vector<4xf32>
        vector.maskedstore %out[%bag, %e0], %m, %sum : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
      }
    }
  }
  return
}

// -----

// A scalar loop with bounds from streams, a step, an iteration count, several
// callbacks, code with regions, and carried values that change places. The
// callback behind the loop joins the row's.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[OFFS:.*]]: memref<?xindex>, %[[A:.*]]: memref<?xf32>, %[[W:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[M:.*]]: index, %[[Z:.*]]: f32)
// CHECK:         slc.for %[[B:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[CARRY:.*]] = %[[Z]]) -> (f32) {
// CHECK:           %[[LO:.*]] = slc.mem_str %[[OFFS]][%[[B]]]
// CHECK:           %[[WS:.*]] = slc.mem_str %[[W]][%[[B]]]
// CHECK:           %[[F:.*]] = slc.alu_str add %[[B]], %c3
// CHECK:           %[[BUF:.*]] = slcv.buf_str : !slc.buffer<f32>
// CHECK-NEXT:      slc.for %[[E:.*]] = %[[LO]] to %[[M]] step %c3 : !slc.stream<index>, index {
// CHECK-NEXT:        %[[V:.*]] = slc.mem_str %[[A]][%[[E]]]
// CHECK-NEXT:        slcv.push %[[V]], %[[BUF]] : !slc.stream<f32>, !slc.buffer<f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[NEXT:.*]] = slc.callback end -> f32 {
// CHECK-DAG:         %[[Y:.*]] = slc.str_to_val %[[WS]]
// CHECK-DAG:         %[[G:.*]] = slc.str_to_val %[[F]]
// CHECK-DAG:         %[[LOV:.*]] = slc.str_to_val %[[LO]]
// CHECK-DAG:         %[[BB:.*]] = slc.str_to_val %[[B]]
// CHECK-DAG:         %[[LAST:.*]] = arith.maxsi %[[M]], %[[LOV]]
// CHECK-DAG:         %[[LEN:.*]] = arith.subi %[[LAST]], %[[LOV]]
// CHECK-DAG:         %[[MOST:.*]] = arith.minui %[[LEN]], %{{.*}} : index
// CHECK-DAG:         %[[TRIPS:.*]] = arith.ceildivsi %[[MOST]], %{{.*}} : index
// CHECK:             %[[ROW:.*]] = slc.str_to_val %[[BUF]]
// CHECK:             %[[R:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} to %[[TRIPS]] step %{{.*}} iter_args(%[[S:.*]] = %[[CARRY]], %[[T:.*]] = %[[Z]]) -> (f32, f32) {
// CHECK-DAG:           %[[X:.*]] = memref.load %[[ROW]][%[[K]]]
// CHECK-DAG:           %[[DIST:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-DAG:           %[[I:.*]] = arith.addi %[[LOV]], %[[DIST]]
// CHECK:               %[[P:.*]] = arith.mulf %[[X]], %[[Y]]
// CHECK:               %[[Q:.*]] = arith.addf %[[S]], %[[P]]
// CHECK:               %[[U:.*]] = scf.if
// CHECK:                 memref.store %[[Q]], %[[OUT]][%[[K]], %[[I]]]
// CHECK:                 memref.load %[[OUT]][%[[G]], %[[K]]]
// CHECK:               scf.yield %[[U]], %[[Q]] : f32, f32
// CHECK:             memref.store %[[R]]#0, %[[OUT]][%[[BB]], %c0]
// CHECK-NEXT:        slc.yield %[[R]]#1
// CHECK:           slc.yield %[[NEXT]]
func.func @scalar(%offs: memref<?xindex>, %a: memref<?xf32>, %w: memref<?xf32>, %out: memref<?x?xf32>, %n: index, %m: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %last = slc.for %b = %c0 to %n step %c1 iter_args(%carry = %z) -> (f32) {
    %lo = slc.mem_str %offs[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %ws = slc.mem_str %w[%b] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %r:2 = slc.for (%e, %k) = %lo to %m step %c3 iter_args(%s = %carry, %t = %z) -> (f32, f32) : !slc.stream<index>, index {
      %f = slc.alu_str add %b, %c3 : !slc.stream<index>, index -> !slc.stream<index>
      %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %s1 = slc.callback ite -> f32 {
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        %y = slc.str_to_val %ws : !slc.stream<f32> -> f32
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        slc.yield %q : f32
      }
      %t1 = slc.callback ite -> f32 {
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        %i = slc.str_to_val %e : !slc.stream<index> -> index
        %j = slc.str_to_val %k : !slc.stream<index> -> index
        %g = slc.str_to_val %f : !slc.stream<index> -> index
        %c = arith.cmpf ogt, %x, %t : f32
        %u = scf.if %c -> f32 {
          memref.store %s1, %out[%j, %i] : memref<?x?xf32>
          scf.yield %x : f32
        } else {
          %old = memref.load %out[%g, %j] : memref<?x?xf32>
          scf.yield %old : f32
        }
        slc.yield %u : f32
      }
      slc.yield %t1, %s1 : f32, f32
    }
    %next = slc.callback end -> f32 {
      %bb = slc.str_to_val %b : !slc.stream<index> -> index
      memref.store %r#0, %out[%bb, %c0] : memref<?x?xf32>
      slc.yield %r#1 : f32
    }
    slc.yield %next : f32
  }
  return %last : f32
}

// -----

// The mask stream and all lanes of the induction variable are rebuilt too, for
// any step.
// CHECK-LABEL: func.func @control(
// CHECK:           slc.callback end {
// CHECK:             %[[UB:.*]] = slc.str_to_val %{{.*}} : !slc.stream<index> -> index
// CHECK:             scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK:               %[[E0:.*]] = arith.muli %[[K]], %{{.*}} : index
// CHECK:               %[[FIRST:.*]] = vector.broadcast %[[E0]] : index to vector<4xindex>
// CHECK:               %[[POS:.*]] = arith.addi %[[FIRST]], %{{.*}} : vector<4xindex>
// CHECK:               %[[LEFT:.*]] = arith.subi %[[UB]], %[[E0]]
// CHECK:               %[[LANES:.*]] = arith.ceildivsi %[[LEFT]], %{{.*}}
// CHECK:               %[[MASK:.*]] = vector.create_mask %[[LANES]] : vector<4xi1>
// CHECK:               vector.scatter %{{.*}}[%{{.*}}] [%[[POS]]], %[[MASK]],
func.func @control(%ends: memref<?xindex>, %a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  slc.for %b = %c0 to %n step %c1 {
    %ub = slc.mem_str %ends[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slcv.vec_for (%e, %mask) = %c0 to %ub step %c2 vector<4> : index, !slc.stream<index> {
      %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      slc.callback ite {
        %es = slc.str_to_val %e : !slc.stream<vector<4xindex>> -> vector<4xindex>
        %m = slc.str_to_val %mask : !slc.stream<vector<4xi1>> -> vector<4xi1>
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
        vector.scatter %out[%c0] [%es], %m, %x : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
      }
    }
  }
  return
}
