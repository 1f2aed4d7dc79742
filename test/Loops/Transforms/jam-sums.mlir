// RUN: ember-opt %s --jam-sums="vector-bits=256 vector-registers=16" --canonicalize --split-input-file | FileCheck %s
// RUN: ember-opt %s --jam-sums="vector-bits=256 vector-registers=32" --canonicalize --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: ember-opt %s --jam-sums="vector-bits=256 vector-registers=3" --split-input-file | FileCheck %s --check-prefix=FEW

// A row of the table is added to four rows.

// CHECK-LABEL: func.func @blocks
// CHECK: scf.for %[[P:.*]] =
// CHECK:   scf.for %[[A:.*]] = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK-NOT: scf.if
// CHECK:     %[[A1:.*]] = arith.addi %[[A]], %c1
// CHECK:     %[[S:.*]]:4 = scf.for %[[C:.*]] = %c0{{.*}} to %c8{{.*}} step %c1{{.*}} iter_args(%[[X0:.*]] = %{{.*}}, %[[X1:.*]] = %{{.*}}, %[[X2:.*]] = %{{.*}}, %[[X3:.*]] = %
// CHECK:       %[[T:.*]] = vector.load
// CHECK-NOT:   vector.load
// CHECK:       math.fma %{{.*}}, %[[T]], %[[X0]]
// CHECK:       math.fma %{{.*}}, %[[T]], %[[X1]]
// CHECK:       math.fma %{{.*}}, %[[T]], %[[X2]]
// CHECK:       math.fma %{{.*}}, %[[T]], %[[X3]]
// CHECK:     vector.store %[[S]]#0, %{{.*}}[%[[P]], %[[A]],
// CHECK:     vector.store %[[S]]#1, %{{.*}}[%[[P]], %[[A1]],

// Four sums of one register are too few for units that start one each cycle.

// MANY-LABEL: func.func @blocks
// MANY:   scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c8
// MANY:     %{{.*}}:8 = scf.for
// MANY:       vector.load
// MANY-COUNT-8: math.fma
// MANY-COUNT-8: vector.store

// FEW-LABEL: func.func @blocks
// FEW-NOT: iter_args(%{{.*}}, %
// FEW: return
func.func @blocks(%v: memref<?x16x8xf32>, %table: memref<8x8xf32>, %out: memref<?x16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %out, %c0 : memref<?x16x8xf32>
  scf.for %p = %c0 to %n step %c1 {
    scf.for %a = %c0 to %c16 step %c1 {
      %x = vector.load %out[%p, %a, %c0] : memref<?x16x8xf32>, vector<8xf32>
      %s = scf.for %c = %c0 to %c8 step %c1 iter_args(%y = %x) -> vector<8xf32> {
        %w = memref.load %v[%p, %a, %c] : memref<?x16x8xf32>
        %f = vector.broadcast %w : f32 to vector<8xf32>
        %t = vector.load %table[%c, %c0] : memref<8x8xf32>, vector<8xf32>
        %z = math.fma %f, %t, %y : vector<8xf32>
        scf.yield %z : vector<8xf32>
      }
      vector.store %s, %out[%p, %a, %c0] : memref<?x16x8xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Rows that are looked up have to differ, and the matrices to be the same; the
// matrix of the last one alone is prefetched. Rows that increase differ; others
// are compared one with one. What indices are side by side is compared at once.

// CHECK-LABEL: func.func @convolution
// CHECK-SAME: %[[TO:.*]]: memref<?xindex>, %[[K:[^:]*]]: memref<?xindex>
// CHECK: scf.for %[[P:.*]] = %c0{{.*}} to %[[N:.*]] step %c4
// CHECK:   %[[LAST:.*]] = arith.addi %[[P]], %c3
// CHECK:   %[[WHOLE:.*]] = arith.cmpi ult, %[[LAST]], %[[N]]
// CHECK:   %[[JAM:.*]] = scf.if %[[WHOLE]] -> (i1) {
// CHECK:     %[[KS:.*]] = vector.load %[[K]][%[[P]]] : memref<?xindex>, vector<4xindex>
// CHECK:     %[[K0:.*]] = vector.broadcast
// CHECK:     %[[SAME:.*]] = arith.cmpi eq, %[[KS]], %[[K0]] : vector<4xindex>
// CHECK:     vector.reduction <and>, %[[SAME]] : vector<4xi1> into i1
// CHECK:     %[[RS:.*]] = vector.load %[[TO]][%[[P]]] : memref<?xindex>, vector<4xindex>
// CHECK:     %[[NEXT:.*]] = vector.shuffle %[[RS]], %{{.*}} [1, 2, 3, 4]
// CHECK:     %[[LESS:.*]] = arith.cmpi slt, %[[RS]], %[[NEXT]] : vector<4xindex>
// CHECK:     vector.reduction <and>, %[[LESS]] : vector<4xi1> into i1
// CHECK:     scf.if
// CHECK-NEXT:  scf.yield %true
// CHECK-NEXT: } else {
// CHECK-COUNT-6: arith.cmpi ne, %{{.*}}, %{{.*}}
// CHECK:     scf.yield
// CHECK:   scf.if %[[JAM]] {
// CHECK:     memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK:     vector.load %{{.*}} : memref<?x2x8xf32>
// CHECK-COUNT-4: math.fma
// CHECK:     vector.load %{{.*}} : memref<?x2x8xf32>
// CHECK-COUNT-4: math.fma
// CHECK-COUNT-4: vector.store
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %[[P]] to %{{.*}} step %c1
func.func @convolution(%to: memref<?xindex>, %k: memref<?xindex>, %x: memref<?x2xf32>, %w: memref<?x2x8xf32>, %y: memref<?x8xf32>, %large: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %to[%p] : memref<?xindex>
    %m = memref.load %k[%p] : memref<?xindex>
    scf.if %large {
      memref.prefetch %w[%m, %c1, %c0], read, locality<3>, data : memref<?x2x8xf32>
    }
    %x0 = memref.load %x[%p, %c0] : memref<?x2xf32>
    %f0 = vector.broadcast %x0 : f32 to vector<8xf32>
    %w0 = vector.load %w[%m, %c0, %c0] : memref<?x2x8xf32>, vector<8xf32>
    %s0 = vector.load %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
    %s1 = math.fma %f0, %w0, %s0 : vector<8xf32>
    %x1 = memref.load %x[%p, %c1] : memref<?x2xf32>
    %f1 = vector.broadcast %x1 : f32 to vector<8xf32>
    %w1 = vector.load %w[%m, %c1, %c0] : memref<?x2x8xf32>, vector<8xf32>
    %s2 = math.fma %f1, %w1, %s1 : vector<8xf32>
    vector.store %s2, %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// Indices that lie apart are compared one by one.

// CHECK-LABEL: func.func @apart
// CHECK: scf.for %{{.*}} step %c4
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-3: arith.cmpi slt, %{{.*}} : index
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @apart(%to: memref<?x2xindex>, %x: memref<?x2xf32>, %w: memref<2x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?x2xindex>
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %to[%p, %c1] : memref<?x2xindex>
    %x0 = memref.load %x[%p, %c0] : memref<?x2xf32>
    %f0 = vector.broadcast %x0 : f32 to vector<8xf32>
    %w0 = vector.load %w[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
    %s0 = vector.load %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
    %s1 = math.fma %f0, %w0, %s0 : vector<8xf32>
    %x1 = memref.load %x[%p, %c1] : memref<?x2xf32>
    %f1 = vector.broadcast %x1 : f32 to vector<8xf32>
    %w1 = vector.load %w[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
    %s2 = math.fma %f1, %w1, %s1 : vector<8xf32>
    vector.store %s2, %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// As often read as added to; what may be read as it is stored; and the same row
// in all iterations.

// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-3: scf.for {{.*}} step %c1
func.func @left_alone(%to: memref<?xindex>, %k: memref<?xindex>, %x: memref<?xf32>, %w: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?xindex>
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %to[%p] : memref<?xindex>
    %m = memref.load %k[%p] : memref<?xindex>
    %t = vector.load %w[%m, %c0] : memref<?x8xf32>, vector<8xf32>
    %s = vector.load %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
    %a = arith.addf %s, %t : vector<8xf32>
    vector.store %a, %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %to[%p] : memref<?xindex>
    %t = vector.load %w[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
    %u = vector.load %w[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
    %v = vector.load %y[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
    %s = vector.load %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
    %a = arith.addf %s, %t : vector<8xf32>
    %b = arith.addf %a, %u : vector<8xf32>
    %c = arith.addf %b, %v : vector<8xf32>
    vector.store %c, %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  scf.for %p = %c0 to %n step %c1 {
    %t = vector.load %w[%c0, %c0] : memref<?x8xf32>, vector<8xf32>
    %u = vector.load %w[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
    %s = vector.load %y[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
    %a = arith.addf %s, %t : vector<8xf32>
    %b = arith.addf %a, %u : vector<8xf32>
    vector.store %b, %y[%c1, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}

// -----

// The count of iterations would not reach the end, but pass the last index there is.

// CHECK-LABEL: func.func @last_index
// CHECK: scf.for {{.*}} step %c1
// CHECK-NOT: scf.for
func.func @last_index(%to: memref<?xindex>, %w: memref<2x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 9223372036854775804 : index
  %end = arith.constant 9223372036854775807 : index
  scf.for %p = %first to %end step %c1 {
    %q = arith.subi %p, %first : index
    %r = memref.load %to[%q] : memref<?xindex>
    %t = vector.load %w[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
    %u = vector.load %w[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
    %s = vector.load %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
    %a = arith.addf %s, %t : vector<8xf32>
    %b = arith.addf %a, %u : vector<8xf32>
    vector.store %b, %y[%r, %c0] : memref<?x8xf32>, vector<8xf32>
  }
  return
}
