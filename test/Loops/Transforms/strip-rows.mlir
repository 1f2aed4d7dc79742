// RUN: ember-opt %s --strip-rows="vector-bits=256 vector-registers=16" | FileCheck %s
// RUN: ember-opt %s --strip-rows="vector-bits=256 vector-registers=32" | FileCheck %s --check-prefix=MANY
// RUN: ember-opt %s --strip-rows="vector-bits=256 vector-registers=16 may-alias" | FileCheck %s --check-prefix=MANY
// RUN: ember-opt %s --lower-to-native=strip-rows=false --mlir-print-ir-after=promote-accumulators 2>&1 | FileCheck %s --check-prefix=OFF

// 32 registers hold the row; and the table may be the output.
// MANY-COUNT-2: scf.for
// MANY-NOT: scf.for
// MANY: func.func @strips

// OFF-LABEL: func.func @long
// OFF-COUNT-2: scf.for
// OFF-NOT: scf.for
// OFF: return

// 32 vectors are two strips of 16.

// CHECK-LABEL: func.func @row256
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK: memref.prefetch
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c8
// CHECK: }
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %{{.*}} = %c128{{.*}} to %c256 step %c8
// CHECK: return
func.func @row256(%t: memref<?x256xf32>, %o: memref<?x256xf32>, %i: memref<?xindex>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %i[%p] : memref<?xindex>
    memref.prefetch %t[%r, %c0], read, locality<2>, data : memref<?x256xf32>
    scf.for %e = %c0 to %c256 step %c8 {
      %x = vector.load %t[%r, %e] : memref<?x256xf32>, vector<8xf32>
      %y = vector.load %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
    }
  }
  return
}

// 40 vectors are three strips of 14, 14 and 12.

// CHECK-LABEL: func.func @strips
// CHECK: scf.for %{{.*}} = %c0 to %c112{{.*}} step %c8
// CHECK: scf.for %{{.*}} = %c112{{.*}} to %c224{{.*}} step %c8
// CHECK: scf.for %{{.*}} = %c224{{.*}} to %c320 step %c8
// CHECK: return
func.func @strips(%t: memref<?x320xf32>, %o: memref<?x320xf32>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c320 = arith.constant 320 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c320 step %c8 {
      %x = vector.load %t[%p, %e] : memref<?x320xf32>, vector<8xf32>
      %y = vector.load %o[%b, %e] : memref<?x320xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x320xf32>, vector<8xf32>
    }
  }
  return
}

// More strips than are worth their code.

// CHECK-LABEL: func.func @long
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @long(%t: memref<?x8192xf32>, %o: memref<?x8192xf32>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c8192 = arith.constant 8192 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c8192 step %c8 {
      %x = vector.load %t[%p, %e] : memref<?x8192xf32>, vector<8xf32>
      %y = vector.load %o[%b, %e] : memref<?x8192xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x8192xf32>, vector<8xf32>
    }
  }
  return
}

// A dot product would be computed for each strip.

// CHECK-LABEL: func.func @dot
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @dot(%t: memref<?x256xf32>, %o: memref<?x256xf32>, %b: index, %n: index, %z: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  scf.for %p = %c0 to %n step %c1 {
    %w = scf.for %e = %c0 to %c256 step %c8 iter_args(%a = %z) -> (vector<8xf32>) {
      %x = vector.load %t[%p, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %a, %x : vector<8xf32>
      scf.yield %s : vector<8xf32>
    }
    scf.for %e = %c0 to %c256 step %c8 {
      %y = vector.load %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %y, %w : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
    }
  }
  return
}

// What each lookup stores elsewhere, and accumulators that a lookup reads.

// CHECK-LABEL: func.func @stores
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @stores(%o: memref<?x256xf32>, %q: memref<?xf32>, %b: index, %n: index, %x: vector<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  scf.for %p = %c0 to %n step %c1 {
    memref.store %v, %q[%p] : memref<?xf32>
    scf.for %e = %c0 to %c256 step %c8 {
      %y = vector.load %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @reads
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @reads(%o: memref<?x256xf32>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c256 step %c8 {
      %x = vector.load %o[%p, %e] : memref<?x256xf32>, vector<8xf32>
      %y = vector.load %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
    }
  }
  return
}

// Vectors that overlap those of the next iteration.

// CHECK-LABEL: func.func @overlaps
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @overlaps(%o: memref<?x256xf32>, %b: index, %n: index, %x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c128 step %c4 {
      %y = vector.load %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x256xf32>, vector<8xf32>
    }
  }
  return
}
