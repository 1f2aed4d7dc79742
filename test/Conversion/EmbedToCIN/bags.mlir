// RUN: ember-opt --cin-to-scf %s | FileCheck %s

// Half types are summed in f32, in a row of scratch memory that is rounded
// once. Rows that are padding leave the sum as it is and do not count.

// CHECK-LABEL: func.func @mean(
// CHECK-SAME: %[[T:.*]]: memref<?x8xbf16>, %[[I:.*]]: memref<?xi64>, %[[S:.*]]: memref<?xi64>, %[[W:.*]]: memref<?xf16>, %[[PAD:.*]]: index, %[[O:.*]]: memref<?x8xbf16>)
// CHECK: %[[ABOVE:.*]] = arith.addi %[[PAD]], %c1
// CHECK: %[[IS_ROW:.*]] = arith.cmpi ule, %[[ABOVE]], %{{.*}}
// CHECK: cf.assert %[[IS_ROW]]
// CHECK: %[[NO_PAD:.*]] = arith.cmpi eq, %[[ABOVE]], %c0
// CHECK: scf.for %[[B:.*]] = %c0
// CHECK: scf.for %[[P:.*]] =
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %{{.*}}, %[[PAD]]
// CHECK: %[[KEPT:.*]] = arith.ori %[[OTHER]], %[[NO_PAD]] : i1
// CHECK: %[[OLD:.*]] = memref.load %{{.*}} : memref<8xf32>
// CHECK: %[[ADDED:.*]] = math.fma %{{.*}}, %{{.*}}, %[[OLD]] {{.*}}: f32
// CHECK: %[[NEW:.*]] = arith.select %[[KEPT]], %[[ADDED]], %[[OLD]]
// CHECK: memref.store %[[NEW]], %{{.*}} : memref<8xf32>
// CHECK: scf.if %[[KEPT]]
// CHECK: arith.addi %{{.*}}, %c1
// CHECK: arith.divf
// CHECK: arith.truncf
func.func @mean(%t: memref<?x8xbf16>, %i: memref<?xi64>, %s: memref<?xi64>,
                %w: memref<?xf16>, %p: index, %o: memref<?x8xbf16>) {
  embed.bag mean tables(%t : memref<?x8xbf16>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>) weights(%w : memref<?xf16>) padding(%p)
      outs(%o : memref<?x8xbf16>)
  return
}

// One value of f64 makes it f64.

// CHECK-LABEL: func.func @wide_weights(
// CHECK: %[[SCRATCH:.*]] = memref.alloc() {{.*}}: memref<8xf64>
// CHECK: arith.extf %{{.*}} : f16 to f64
// CHECK: math.fma %{{.*}} : f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @wide_weights(%t: memref<?x8xf16>, %i: memref<?xi64>,
                        %s: memref<?xi64>, %w: memref<?xf64>,
                        %o: memref<?x8xf32>) {
  embed.bag sum tables(%t : memref<?x8xf16>) indices(%i : memref<?xi64>)
      offsets(%s : memref<?xi64>) weights(%w : memref<?xf64>)
      outs(%o : memref<?x8xf32>)
  return
}

// Without a last offset, offsets are copied, and the last one put behind them:
// the bounds of segments stay loads.

// CHECK-LABEL: func.func @open_offsets(
// CHECK-SAME: %{{.*}}: memref<?x8xf32>, %[[I:[a-z0-9]+]]: memref<?xi64>, %[[S:[a-z0-9]+]]: memref<?xi64>,
// CHECK: %[[COUNT:.*]] = memref.dim %[[S]], %c0
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) {ember.name = "offsets"} : memref<?xindex>
// CHECK: scf.for %[[N:.*]] = %c0 to %[[COUNT]]
// CHECK: memref.load %[[S]][%[[N]]]
// CHECK: memref.store %{{.*}}, %[[COPY]][%[[N]]]
// CHECK: %[[LOOKUPS:.*]] = memref.dim %[[I]], %c0
// CHECK: memref.store %[[LOOKUPS]], %[[COPY]][%[[COUNT]]]
// CHECK: scf.for %[[B:.*]] = %c0
// CHECK-DAG: %[[BEGIN:.*]] = memref.load %[[COPY]][%[[B]]]
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[B]], %c1
// CHECK-DAG: %[[END:.*]] = memref.load %[[COPY]][%[[NEXT]]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: memref.dealloc %[[COPY]]
func.func @open_offsets(%t: memref<?x8xf32>, %i: memref<?xi64>,
                        %s: memref<?xi64>, %o: memref<?x8xf32>) {
  embed.bag sum tables(%t : memref<?x8xf32>) indices(%i : memref<?xi64>)
      open_offsets(%s : memref<?xi64>) outs(%o : memref<?x8xf32>)
  return
}

// Tables follow each other, in the segments and in the columns of the result.

// CHECK-LABEL: func.func @tables(
// CHECK-SAME: %[[A:.*]]: memref<?x2xf32>, %[[B:.*]]: memref<?x3xf32>, %[[I:.*]]: memref<?xindex>, %[[S:.*]]: memref<?xi32>, %[[O:.*]]: memref<?x5xf32>)
// CHECK-DAG: memref.subview %[[O]][0, 0] [%{{.*}}, 2] [1, 1]
// CHECK-DAG: memref.subview %[[O]][0, 2] [%{{.*}}, 3] [1, 1]
// CHECK: cf.assert %{{.*}}, "a length of lengths is negative"
// CHECK: scf.for
// CHECK: memref.load %[[A]]
// CHECK: arith.cmpf ogt
// CHECK: scf.for
// CHECK: memref.load %[[B]]
// CHECK: arith.cmpf ogt
func.func @tables(%a: memref<?x2xf32>, %b: memref<?x3xf32>, %i: memref<?xindex>,
                  %s: memref<?xi32>, %o: memref<?x5xf32>) {
  embed.bag max tables(%a, %b : memref<?x2xf32>, memref<?x3xf32>)
      indices(%i : memref<?xindex>) lengths(%s : memref<?xi32>)
      outs(%o : memref<?x5xf32>)
  return
}
