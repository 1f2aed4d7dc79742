// The outermost loop becomes a function that runs in parts; its nest, between the
// bounds of a part, is decoupled as any other.

// RUN: ember-opt %s --scf-to-slc=parallel | FileCheck %s
// RUN: ember-opt %s --scf-to-slc=parallel | ember-opt --optimize --slc-to-dlc | FileCheck %s --check-prefix=PROGRAMS

// CHECK-LABEL: func.func @gather(
// CHECK-NOT: slc.for
// CHECK: ember.parallel_call @gather_part(
// CHECK-NOT: slc.for
// CHECK-LABEL: func.func private @gather_part(
// CHECK-SAME: %[[LOWER:[a-z0-9]+]]: index, %[[UPPER:[a-z0-9]+]]: index,
// CHECK: slc.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
// CHECK: slc.mem_str
// PROGRAMS-LABEL: func.func private @gather_part(
// PROGRAMS: dlc.program
func.func @gather(%table: memref<?x64xf32>, %rows: memref<?xindex>, %out: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %rows, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %rows[%i] : memref<?xindex>
    scf.for %e = %c0 to %c64 step %c1 {
      %v = memref.load %table[%row, %e] : memref<?x64xf32>
      memref.store %v, %out[%i, %e] : memref<?x64xf32>
    }
  }
  return
}

// Sums of all rows need each other: the loop stays where it is.
// CHECK-LABEL: func.func @total(
// CHECK-NOT: ember.parallel_call
// CHECK: slc.for
func.func @total(%table: memref<?x64xf32>, %rows: memref<?xindex>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %rows, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %rows[%i] : memref<?xindex>
    scf.for %e = %c0 to %c64 step %c1 {
      %v = memref.load %table[%row, %e] : memref<?x64xf32>
      %old = memref.load %out[%e] : memref<64xf32>
      %new = arith.addf %old, %v : f32
      memref.store %new, %out[%e] : memref<64xf32>
    }
  }
  return
}

// A part is called by a function that is called itself: whether its arguments
// overlap follows from what the outermost of them gets.
// CHECK-LABEL: func.func private @apart(
// CHECK: ember.parallel_call @apart_part(
// CHECK: func.func private @apart_part(
// CHECK: slc.for
// CHECK: slc.mem_str
func.func private @apart(%table: memref<?xf32>, %rows: memref<?xindex>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %rows, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %rows[%i] : memref<?xindex>
    %v = memref.load %table[%row] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
func.func @calls_apart(%table: memref<?xf32>, %rows: memref<?xindex>, %out: memref<?xf32>) {
  func.call @apart(%table, %rows, %out) : (memref<?xf32>, memref<?xindex>, memref<?xf32>) -> ()
  return
}

// Here both are one array: what is stored may be what is looked up next.
// CHECK-LABEL: func.func private @together(
// CHECK-NOT: slc.mem_str %arg0
func.func private @together(%table: memref<?xf32>, %rows: memref<?xindex>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %rows, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %rows[%i] : memref<?xindex>
    %v = memref.load %table[%row] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
func.func private @between(%table: memref<?xf32>, %rows: memref<?xindex>, %out: memref<?xf32>) {
  func.call @together(%table, %rows, %out) : (memref<?xf32>, memref<?xindex>, memref<?xf32>) -> ()
  func.call @between(%table, %rows, %out) : (memref<?xf32>, memref<?xindex>, memref<?xf32>) -> ()
  return
}
func.func @calls_together(%table: memref<?xf32>, %rows: memref<?xindex>) {
  func.call @between(%table, %rows, %table) : (memref<?xf32>, memref<?xindex>, memref<?xf32>) -> ()
  return
}
