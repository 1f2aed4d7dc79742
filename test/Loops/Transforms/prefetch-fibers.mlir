// RUN: ember-opt %s --prefetch-fibers="second-cache-bytes=4096 distance=4" | FileCheck %s

// A row of the second matrix for each coordinate of the first: the positions of
// the one that comes four coordinates later are looked up within bounds, and
// what is stored from there on is prefetched, if any of it is large.
// CHECK-LABEL: func.func @product(
// CHECK:       scf.for
// CHECK:         %[[JS:.*]] = memref.dim %[[COORDINATES:.*]], %c0
// CHECK:         arith.cmpi uge, %[[JS]], %c512
// CHECK:         %[[VS:.*]] = memref.dim %[[VALUES:.*]], %c0
// CHECK:         arith.cmpi uge, %[[VS]], %c1024
// CHECK:         %[[LARGE:.*]] = arith.ori
// CHECK:         scf.for %[[P:.*]] = 
// CHECK:           memref.load %[[K:.*]][%[[P]]] : memref<?xi64>
// CHECK:           memref.load %[[POSITIONS:.*]][%{{.*}}] : memref<?xi64>
// CHECK:           scf.if %[[LARGE]] {
// CHECK:             %[[FAR:.*]] = arith.addi %[[P]], %c4
// CHECK:             %[[Q:.*]] = arith.minui %[[FAR]],
// CHECK:             %[[AHEAD:.*]] = memref.load %[[K]][%[[Q]]]
// CHECK:             %[[INDEX:.*]] = arith.index_cast %[[AHEAD]]
// CHECK:             %[[ROW:.*]] = arith.minui %[[INDEX]],
// CHECK:             %[[BEGIN:.*]] = memref.load %[[POSITIONS]][%[[ROW]]]
// CHECK:             %[[PLACE:.*]] = arith.index_cast %[[BEGIN]]
// CHECK-DAG:         memref.prefetch %[[COORDINATES]][%[[PLACE]]], read, locality<3>
// CHECK-DAG:         memref.prefetch %[[VALUES]][%[[PLACE]]], read, locality<3>
// CHECK:           }
func.func @product(%pos: memref<?xi64>, %k: memref<?xi64>, %bpos: memref<?xi64>, %bj: memref<?xi64>, %bv: memref<?xf32>, %out: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %f0 = memref.load %pos[%i] : memref<?xi64>
    %l0 = memref.load %pos[%next] : memref<?xi64>
    %f = arith.index_cast %f0 : i64 to index
    %l = arith.index_cast %l0 : i64 to index
    scf.for %p = %f to %l step %c1 {
      %c = memref.load %k[%p] : memref<?xi64>
      %row = arith.index_cast %c : i64 to index
      %after = arith.addi %row, %c1 : index
      %b0 = memref.load %bpos[%row] : memref<?xi64>
      %e0 = memref.load %bpos[%after] : memref<?xi64>
      %b = arith.index_cast %b0 : i64 to index
      %e = arith.index_cast %e0 : i64 to index
      scf.for %q = %b to %e step %c1 {
        %j0 = memref.load %bj[%q] : memref<?xi64>
        %j = arith.index_cast %j0 : i64 to index
        %v = memref.load %bv[%q] : memref<?xf32>
        memref.store %v, %out[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// Where two fibers are merged, a loop without a range starts from the position.
// CHECK-LABEL: func.func @merge(
// CHECK:       scf.if
// CHECK:         memref.prefetch %[[B:.*]][%{{.*}}], read, locality<3>
// CHECK-NOT:     memref.prefetch
// CHECK:       scf.while
// CHECK:         memref.load %[[B]][
func.func @merge(%k: memref<?xindex>, %pos: memref<?xindex>, %b: memref<?xi64>, %out: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %k[%i] : memref<?xindex>
    %begin = memref.load %pos[%row] : memref<?xindex>
    %r:2 = scf.while (%q = %begin, %s = %zero) : (index, i64) -> (index, i64) {
      %x = memref.load %b[%q] : memref<?xi64>
      %more = arith.cmpi sgt, %x, %s : i64
      scf.condition(%more) %q, %x : index, i64
    } do {
    ^bb0(%q: index, %x: i64):
      %next = arith.addi %q, %c1 : index
      scf.yield %next, %x : index, i64
    }
    memref.store %r#1, %out[%i] : memref<?xi64>
  }
  return
}

// So does one that counts vectors.
// CHECK-LABEL: func.func @vectors(
// CHECK:       scf.if
// CHECK:         memref.prefetch %[[B:.*]][%{{.*}}], read, locality<3>
// CHECK:       scf.for
// CHECK:         vector.load %[[B]][
func.func @vectors(%k: memref<?xindex>, %pos: memref<?xindex>, %b: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %k[%i] : memref<?xindex>
    %begin = memref.load %pos[%row] : memref<?xindex>
    scf.for %v = %c0 to %n step %c1 {
      %ahead = arith.muli %v, %c8 : index
      %q = arith.addi %begin, %ahead : index
      %x = vector.load %b[%q] : memref<?xf32>, vector<8xf32>
      vector.store %x, %out[%c0] : memref<?xf32>, vector<8xf32>
    }
  }
  return
}

// Memory that the loop writes is not looked ahead in, nor are positions that no
// coordinate selects.
// CHECK-LABEL: func.func @not(
// CHECK-NOT:   memref.prefetch
// CHECK:       return
func.func @not(%k: memref<?xindex>, %pos: memref<?xindex>, %b: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.load %k[%i] : memref<?xindex>
    %begin = memref.load %pos[%row] : memref<?xindex>
    scf.for %q = %begin to %n step %c1 {
      %x = memref.load %b[%q] : memref<?xi64>
      memref.store %x, %b[%i] : memref<?xi64>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %begin = memref.load %pos[%i] : memref<?xindex>
    scf.for %q = %begin to %n step %c1 {
      %x = memref.load %b[%q] : memref<?xi64>
      memref.store %q, %k[%c0] : memref<?xindex>
    }
  }
  return
}
