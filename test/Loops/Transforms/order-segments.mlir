// RUN: ember-opt %s --parallelize-loops --order-segments=second-cache-bytes=2097152 | FileCheck %s
// RUN: ember-opt %s --lower-to-native | FileCheck %s --check-prefix=ALL
// RUN: ember-opt %s --lower-to-native=order-segments=false | FileCheck %s --check-prefix=OFF
// RUN: ember-opt %s --lower-to-native=parallel=false | FileCheck %s --check-prefix=OFF

// ALL-COUNT-2: llvm.call @ember_order_segments
// OFF-NOT: ember_order_segments

// Blocks of 256 iterations, each in an order of its own.
// CHECK-LABEL: func.func private @bags_part
// CHECK-SAME: (%[[LB:[^:]*]]: index, %[[UB:[^:]*]]: index, %[[O:[^:]*]]: memref<?xi32>{{[^,]*}}, %[[V:[^:]*]]: memref<?x4xf32>
// CHECK: %[[ORDER:.*]] = llvm.alloca %{{.*}} x i8
// CHECK: %[[ROWS:.*]] = memref.dim %[[V]], %c0
// CHECK: %[[ELEMENTS:.*]] = arith.muli %{{.*}}, %{{.*}}
// CHECK: %[[SMALL:.*]] = arith.cmpi ule, %{{.*}}, %c131072
// CHECK: scf.if %[[SMALL]] {
// CHECK: %[[TRIPS:.*]] = arith.subi %[[UB]], %[[LB]]
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[TRIPS]] step %c256
// CHECK: %[[START:.*]] = arith.addi %[[LB]], %[[K]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[TRIPS]], %[[K]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c256
// CHECK: llvm.call @ember_order_segments({{.*}}, %[[ORDER]])
// CHECK: scf.for %[[Q:.*]] = %c0{{.*}} to %[[COUNT]] step %c1
// CHECK: %[[P:.*]] = arith.index_cast %[[Q]]
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[ORDER]][%[[P]]]
// CHECK: %[[NUMBER:.*]] = llvm.load %[[PLACE]]
// CHECK: %[[OFFSET:.*]] = arith.index_castui %[[NUMBER]]
// CHECK: %[[B:.*]] = arith.addi %[[START]], %[[OFFSET]]
// CHECK: memref.load %[[O]][%[[B]]]
// CHECK-NOT: memref.prefetch
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[B]]]
// CHECK: } else {
// CHECK: scf.for %[[SAME:.*]] = %[[LB]] to %[[UB]]
// CHECK: memref.prefetch %[[V]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[SAME]]]
func.func @bags(%offsets: memref<?xi32>, %values: memref<?x4xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %out, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %begin32 = memref.load %offsets[%b] : memref<?xi32>
    %end32 = memref.load %offsets[%b1] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      memref.prefetch %values[%p, %c0], read, locality<3>, data : memref<?x4xf32>
      %x = memref.load %values[%p, %c0] : memref<?x4xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    memref.store %sum, %out[%b] : memref<?xf32>
  }
  return
}

// Offsets with a stride, of all rows but the first.
// CHECK-LABEL: func.func private @behind_part
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %c1
// CHECK: %[[FIRST64:.*]] = builtin.unrealized_conversion_cast %[[FIRST]] : index to i64
// CHECK: llvm.call @ember_order_segments(%{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST64]],
func.func @behind(%offsets: memref<?xindex, strided<[?]>>, %values: memref<?x4xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %b2 = arith.addi %b, %c2 : index
    %begin = memref.load %offsets[%b1] : memref<?xindex, strided<[?]>>
    %end = memref.load %offsets[%b2] : memref<?xindex, strided<[?]>>
    scf.for %p = %begin to %end step %c1 {
      %x = memref.load %values[%p, %c0] : memref<?x4xf32>
      memref.store %x, %out[%b] : memref<?xf32>
    }
  }
  return
}

// No segments; no rows; segments that are not those of the iteration; iterations that
// need the one before.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: ember_order_segments
func.func @refused(%offsets: memref<?xindex>, %weights: memref<?xf32>, %values: memref<?x4xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %c0 to %b step %c1 {
      %x = memref.load %values[%p, %c0] : memref<?x4xf32>
      memref.store %x, %out[%b] : memref<?xf32>
    }
  }
  scf.for %b = %c0 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %from = memref.load %offsets[%b] : memref<?xindex>
    %to = memref.load %offsets[%b1] : memref<?xindex>
    scf.for %p = %from to %to step %c1 {
      %x = memref.load %weights[%p] : memref<?xf32>
      memref.store %x, %out[%b] : memref<?xf32>
    }
  }
  %begin = memref.load %offsets[%c0] : memref<?xindex>
  %end = memref.load %offsets[%c1] : memref<?xindex>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %begin to %end step %c1 {
      %x = memref.load %values[%p, %c0] : memref<?x4xf32>
      memref.store %x, %out[%b] : memref<?xf32>
    }
  }
  scf.for %b = %c1 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %from = memref.load %offsets[%b] : memref<?xindex>
    %to = memref.load %offsets[%b1] : memref<?xindex>
    %before = arith.subi %b, %c1 : index
    %x = memref.load %out[%before] : memref<?xf32>
    scf.for %p = %from to %to step %c1 {
      memref.store %x, %out[%b] : memref<?xf32>
    }
  }
  return
}

// Long rows, of which a segment is read strip by strip.
// CHECK-LABEL: func.func private @strips_part
// CHECK-NOT: ember_order_segments
// CHECK: return
func.func @strips(%offsets: memref<?xindex>, %values: memref<?x4xf32>, %out: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %out, %c0 : memref<?x2xf32>
  scf.for %b = %c0 to %n step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %begin = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%b1] : memref<?xindex>
    %first = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %x = memref.load %values[%p, %c0] : memref<?x4xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    memref.store %first, %out[%b, %c0] : memref<?x2xf32>
    %second = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %x = memref.load %values[%p, %c1] : memref<?x4xf32>
      %s = arith.addf %a, %x : f32
      scf.yield %s : f32
    }
    memref.store %second, %out[%b, %c1] : memref<?x2xf32>
  }
  return
}
