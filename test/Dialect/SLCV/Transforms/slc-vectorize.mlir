// RUN: ember-opt %s --slc-vectorize=vector-length=16 --split-input-file | FileCheck %s
// RUN: ember-opt %s --slc-vectorize=vector-bits=256 --split-input-file | FileCheck %s --check-prefix=BITS
// RUN: ember-opt %s --slc-vectorize=vector-length=1 --split-input-file | FileCheck %s --check-prefix=SINGLE

// The inner loop and its streams become vectors; what does not change with it
// stays scalar; the callback stays as it is.
// CHECK-LABEL: func.func @embedding_bag(
// CHECK-SAME:    %[[OFFSETS:.*]]: memref<?xindex>, %[[INDICES:.*]]: memref<?xi32>, %[[TABLE:.*]]: memref<?x?xf32>, %[[OUT:.*]]: memref<?x?xf32>, %[[BAGS:.*]]: index, %[[LENGTH:.*]]: index)
// CHECK:         slc.for %[[B:.*]] = %c0 to %[[BAGS]]
// CHECK:           slc.for %[[P:.*]] = %{{.*}} to %{{.*}} step
// CHECK:             %[[RAW:.*]] = slc.mem_str %[[INDICES]][%[[P]]]
// CHECK:             %[[I:.*]] = slc.cast_str %[[RAW]]
// CHECK:             slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) = %c0 to %[[LENGTH]] step %c1 vector<16> {
// CHECK:               %[[V:.*]] = slcv.vec_mem_str %[[TABLE]][%[[I]], %[[E]]] mask %[[MASK]] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
// CHECK-DAG:           %[[LANE_E:.*]] = slcv.as_scalar %[[E]] : !slc.stream<vector<16xindex>> to !slc.stream<index>
// CHECK-DAG:           %[[LANE_V:.*]] = slcv.as_scalar %[[V]] : !slc.stream<vector<16xf32>> to !slc.stream<f32>
// CHECK:               slc.callback ite {
// CHECK:                 slc.str_to_val %[[B]] : !slc.stream<index> -> index
// CHECK:                 slc.str_to_val %[[LANE_E]] : !slc.stream<index> -> index
// CHECK:                 slc.str_to_val %[[LANE_V]] : !slc.stream<f32> -> f32
// CHECK:                 memref.load %[[OUT]]
// CHECK:                 arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:                 memref.store
// BITS-LABEL: @embedding_bag(
// BITS: vector<8>
// SINGLE-LABEL: @embedding_bag(
// SINGLE: vector<1>
func.func @embedding_bag(%offsets: memref<?xindex>, %indices: memref<?xi32>, %table: memref<?x?xf32>, %out: memref<?x?xf32>, %bags: index, %length: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %bags step %c1 {
    %b1  = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
    %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
      %i32 = slc.mem_str %indices[%p] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
      %i = slc.cast_str %i32 : !slc.stream<i32> to !slc.stream<index>
      slc.for %e = %c0 to %length step %c1 {
        %v = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
        slc.callback ite {
          %bag = slc.str_to_val %b : !slc.stream<index> -> index
          %pos = slc.str_to_val %e : !slc.stream<index> -> index
          %val = slc.str_to_val %v : !slc.stream<f32> -> f32
          %acc = memref.load %out[%bag, %pos] : memref<?x?xf32>
          %sum = arith.addf %acc, %val : f32
          memref.store %sum, %out[%bag, %pos] : memref<?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// Gathered rows; alu and cast streams on vectors; a uniform stream inside the
// loop; the iteration count of a loop that does not start at zero.
// CHECK-LABEL: @streams(
// CHECK:         slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) = %{{.*}} to %{{.*}} step %c1 vector<16> {
// CHECK:           %[[COUNT:.*]] = slcv.vec_alu_str sub %[[E]], %{{.*}} : !slc.stream<vector<16xindex>>, index -> !slc.stream<vector<16xindex>>
// CHECK:           %[[RAW:.*]] = slcv.vec_mem_str %{{.*}}[%[[E]]] mask %[[MASK]] : memref<?xi32>{{.*}} -> !slc.stream<vector<16xi32>>
// CHECK:           %[[I:.*]] = slc.cast_str unsigned %[[RAW]] : !slc.stream<vector<16xi32>> to !slc.stream<vector<16xindex>>
// CHECK:           %[[J:.*]] = slcv.vec_alu_str mul %[[I]], %{{.*}} : !slc.stream<vector<16xindex>>, index -> !slc.stream<vector<16xindex>>
// CHECK:           %[[U:.*]] = slc.mem_str %{{.*}}[%{{.*}}] : memref<?xf64>{{.*}} -> !slc.stream<f64>
// CHECK:           slcv.vec_mem_str %{{.*}}[%[[J]]] mask %[[MASK]] : memref<?xf64>{{.*}} -> !slc.stream<vector<16xf64>>
// CHECK:           slcv.as_scalar %[[COUNT]]
// CHECK:           slc.callback ite {
// CHECK:             slc.str_to_val %[[U]] : !slc.stream<f64> -> f64
// BITS-LABEL: @streams(
// BITS: vector<4>
func.func @streams(%idx: memref<?xi32>, %a: memref<?xf64>, %w: memref<?xf64>, %out: memref<?xf64>, %lb: index, %n: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %b = %c0 to %n step %c1 {
    slc.for (%e, %k) = %lb to %n step %c1 {
      %i32 = slc.mem_str %idx[%e] : memref<?xi32>[!slc.stream<index>] -> !slc.stream<i32>
      %i = slc.cast_str unsigned %i32 : !slc.stream<i32> to !slc.stream<index>
      %j = slc.alu_str mul %i, %c : !slc.stream<index>, index -> !slc.stream<index>
      %u = slc.mem_str %w[%b] : memref<?xf64>[!slc.stream<index>] -> !slc.stream<f64>
      %v = slc.mem_str %a[%j] : memref<?xf64>[!slc.stream<index>] -> !slc.stream<f64>
      slc.callback ite {
        %o = slc.str_to_val %k : !slc.stream<index> -> index
        %x = slc.str_to_val %v : !slc.stream<f64> -> f64
        %y = slc.str_to_val %u : !slc.stream<f64> -> f64
        %z = arith.mulf %x, %y : f64
        memref.store %z, %out[%o] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// No mask where the trip count is a multiple of the vector length; a short row
// shortens the vectors.
// CHECK-LABEL: @static_trips(
// CHECK: slcv.vec_for (%[[E:.*]], %{{.*}}) = %c0 to %c48 step %c1 vector<16> {
// CHECK-NEXT: slcv.vec_mem_str %{{.*}}[%[[E]]] : memref
// CHECK: slcv.vec_for (%[[E:.*]], %[[MASK:.*]]) = %c0 to %c5 step %c1 vector<8> {
// CHECK-NEXT: slcv.vec_mem_str %{{.*}}[%[[E]]] mask %[[MASK]] : memref
func.func @static_trips(%a: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c48 = arith.constant 48 : index
  slc.for %e = %c0 to %c48 step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  slc.for %e = %c0 to %c5 step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Carried values stay scalar; a uniform summand is widened, since each lane
// adds it.
// CHECK-LABEL: @reductions(
// CHECK: slcv.vec_for (%{{.*}}, %{{.*}}) = %c0 to %{{.*}} step %c1 vector<16> iter_args(%[[S:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}) -> (f32, i64) {
// CHECK:   slc.callback ite -> (f32, i64) {
// CHECK:     arith.addf %[[S]], %{{.*}} : f32
// CHECK:     %[[WIDE:.*]] = vector.broadcast %{{.*}} : i64 to vector<16xi64>
// CHECK:     %[[ONE:.*]] = slcv.as_scalar %[[WIDE]] : vector<16xi64> to i64
// CHECK:     arith.addi %[[N]], %[[ONE]] : i64
func.func @reductions(%a: memref<?xf32>, %n: index, %z: f32, %k: i64) -> (f32, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %r:2 = slc.for %e = %c0 to %n step %c1 iter_args(%s = %z, %count = %k) -> (f32, i64) {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    %t:2 = slc.callback ite -> (f32, i64) {
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      %s1 = arith.addf %s, %x : f32
      %count1 = arith.addi %count, %one : i64
      slc.yield %s1, %count1 : f32, i64
    }
    slc.yield %t#0, %t#1 : f32, i64
  }
  return %r#0, %r#1 : f32, i64
}
