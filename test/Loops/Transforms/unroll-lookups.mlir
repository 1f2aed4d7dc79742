// RUN: ember-opt %s --unroll-lookups="vector-bits=256 vector-registers=16" | FileCheck %s
// RUN: ember-opt %s --unroll-lookups="vector-bits=256 vector-registers=8" | FileCheck %s --check-prefix=FEW

// Eight accumulators.

// CHECK-LABEL: func.func @row64
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-8: vector.store
// CHECK: return
// FEW-LABEL: func.func @row64
// FEW: scf.for
// FEW-NOT: scf.for
// FEW: return
func.func @row64(%t: memref<?x64xf32>, %o: memref<?x64xf32>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c64 step %c8 {
      %x = vector.load %t[%p, %e] : memref<?x64xf32>, vector<8xf32>
      %y = vector.load %o[%b, %e] : memref<?x64xf32>, vector<8xf32>
      %s = arith.addf %y, %x : vector<8xf32>
      vector.store %s, %o[%b, %e] : memref<?x64xf32>, vector<8xf32>
    }
  }
  return
}

// Twice as long vectors take two registers each.

// CHECK-LABEL: func.func @wide
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// FEW-LABEL: func.func @wide
// FEW-COUNT-2: scf.for
// FEW: return
func.func @wide(%t: memref<?x128xf32>, %o: memref<?x128xf32>, %b: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c128 step %c16 {
      %x = vector.load %t[%p, %e] : memref<?x128xf32>, vector<16xf32>
      %y = vector.load %o[%b, %e] : memref<?x128xf32>, vector<16xf32>
      %s = arith.addf %y, %x : vector<16xf32>
      vector.store %s, %o[%b, %e] : memref<?x128xf32>, vector<16xf32>
    }
  }
  return
}

// What fills the row, and what goes on with it.

// CHECK-LABEL: func.func @filled
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-8: vector.store
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-16: vector.store
// CHECK: scf.for
// CHECK-NEXT: vector.store
// CHECK: return
func.func @filled(%t: memref<?x64xf32>, %row: memref<?x64xf32>, %o: memref<?x64xf32>, %other: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %b = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c64 step %c8 {
      vector.store %z, %row[%b, %e] : memref<?x64xf32>, vector<8xf32>
    }
    scf.for %p = %c0 to %b step %c1 {
      scf.for %e = %c0 to %c64 step %c8 {
        %x = vector.load %t[%p, %e] : memref<?x64xf32>, vector<8xf32>
        %y = vector.load %row[%b, %e] : memref<?x64xf32>, vector<8xf32>
        %s = arith.addf %y, %x : vector<8xf32>
        vector.store %s, %row[%b, %e] : memref<?x64xf32>, vector<8xf32>
      }
    }
    scf.for %e = %c0 to %c64 step %c8 {
      %y = vector.load %row[%b, %e] : memref<?x64xf32>, vector<8xf32>
      vector.store %y, %o[%b, %e] : memref<?x64xf32>, vector<8xf32>
    }
    // Another row.
    scf.for %e = %c0 to %c64 step %c8 {
      vector.store %z, %other[%b, %e] : memref<?x64xf32>, vector<8xf32>
    }
  }
  return
}

// Each lookup has an output row of its own: nothing is carried.

// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: scf.for
// CHECK: return
func.func @rows(%t: memref<?x64xf32>, %o: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %e = %c0 to %c64 step %c8 {
      %x = vector.load %t[%p, %e] : memref<?x64xf32>, vector<8xf32>
      vector.store %x, %o[%p, %e] : memref<?x64xf32>, vector<8xf32>
    }
  }
  return
}

// The vectors of a row that are reduced behind the loop.

// CHECK-LABEL: func.func @reduced
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-12: vector.load
// CHECK: vector.reduction
// FEW-LABEL: func.func @reduced
// FEW-COUNT-2: scf.for
func.func @reduced(%t: memref<?x96xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %p = %c0 to %n step %c1 {
    %lanes = scf.for %e = %c0 to %c96 step %c8 iter_args(%s = %zero) -> (vector<8xf32>) {
      %x = vector.load %t[%p, %e] : memref<?x96xf32>, vector<8xf32>
      %y = arith.addf %s, %x : vector<8xf32>
      scf.yield %y : vector<8xf32>
    }
    %sum = vector.reduction <add>, %lanes : vector<8xf32> into f32
    memref.store %sum, %o[%p] : memref<?xf32>
  }
  return
}

// A row that is selected by an index stays in registers as long as that is the same.

// CHECK-LABEL: func.func @selected
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-2: vector.store
// FEW-LABEL: func.func @selected
// FEW-COUNT-2: scf.for
func.func @selected(%rows: memref<?xi64>, %t: memref<?x96xf32>, %o: memref<?x96xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c96 = arith.constant 96 : index
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %rows[%p] : memref<?xi64>
    %i = arith.index_cast %r : i64 to index
    scf.for %e = %c0 to %c96 step %c8 {
      %x = vector.load %t[%p, %e] : memref<?x96xf32>, vector<8xf32>
      %y = vector.load %o[%i, %e] : memref<?x96xf32>, vector<8xf32>
      %z = arith.addf %y, %x : vector<8xf32>
      vector.store %z, %o[%i, %e] : memref<?x96xf32>, vector<8xf32>
    }
  }
  return
}

// A sum over the loop is one vector of the row, which is no loop over the row.

// CHECK-LABEL: func.func @summed
// CHECK-COUNT-2: scf.for
func.func @summed(%rows: memref<?xi64>, %x: memref<?x16xf32>, %w: memref<16x8xf32>, %o: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %p = %c0 to %n step %c1 {
    %r = memref.load %rows[%p] : memref<?xi64>
    %i = arith.index_cast %r : i64 to index
    scf.for %c = %c0 to %c16 step %c1 {
      %f = memref.load %x[%p, %c] : memref<?x16xf32>
      %g = vector.broadcast %f : f32 to vector<8xf32>
      %v = vector.load %w[%c, %c0] : memref<16x8xf32>, vector<8xf32>
      %y = vector.load %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
      %z = math.fma %g, %v, %y : vector<8xf32>
      vector.store %z, %o[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    }
  }
  return
}
