// RUN: ember-opt %s --prefetch-lookups="distance=16 line-bytes=64 min-table-bytes=262144 sequence-bytes=0" | FileCheck %s
// RUN: ember-opt %s --prefetch-lookups="line-bytes=64 min-table-bytes=262144 outstanding-lines=48" | FileCheck %s --check-prefix=CHOSEN
// RUN: ember-opt %s --prefetch-lookups="line-bytes=64 min-table-bytes=262144 first-cache-lines=32" | FileCheck %s --check-prefix=NEAR
// RUN: ember-opt %s --prefetch-lookups="line-bytes=64 min-table-bytes=262144 sequence-bytes=256" | FileCheck %s --check-prefix=SEQUENCE
// RUN: ember-opt %s --prefetch-lookups="line-bytes=64 second-cache-bytes=2097152 outstanding-lines=48" | FileCheck %s --check-prefix=ADDED
// RUN: ember-opt %s --prefetch-lookups="line-bytes=64 min-table-bytes=0 lines=1 level=1 sequence-bytes=0" | FileCheck %s --check-prefix=SET

// The position ahead is cut off at the end of the indices, not of the segment.
// Of 128 bytes a row, 2048 rows are as much as the caches hold anyway.

// CHECK-LABEL: func.func @bag
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<?x32xf32>, %[[I:[a-z0-9]+]]: memref<?xi32>
// CHECK: %[[ROWS:.*]] = memref.dim %[[T]], %c0
// CHECK: %[[LEAST:.*]] = arith.constant 2048 : index
// CHECK: %[[LARGE:.*]] = arith.cmpi uge, %[[ROWS]], %[[LEAST]]
// CHECK: scf.for %[[P:.*]] =
// CHECK: memref.load %[[I]][%[[P]]]
// CHECK: scf.if %[[LARGE]] {
// CHECK: %[[AHEAD:.*]] = arith.addi %[[P]], %c16
// CHECK: %[[SIZE:.*]] = memref.dim %[[I]], %c0
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]], %c1
// CHECK: %[[Q:.*]] = arith.minui %[[AHEAD]], %[[LAST]]
// CHECK: %[[NEXT:.*]] = memref.load %[[I]][%[[Q]]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[NEXT]]
// CHECK: memref.prefetch %[[T]][%[[ROW]], %{{.*}}], read, locality<3>, data
// CHECK: memref.prefetch %[[T]][%[[ROW]], %{{.*}}], read, locality<3>, data
// CHECK-NOT: memref.prefetch
// CHECK: return

// What is set overrides what is chosen.
// SET-LABEL: func.func @bag
// SET-NOT: scf.if
// SET: memref.prefetch %{{.*}}, read, locality<3>, data
// SET-NOT: memref.prefetch
// SET: return
func.func @bag(%t: memref<?x32xf32>, %indices: memref<?xi32>, %o: memref<?x32xf32>, %b: index, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %p = %lb to %ub step %c1 {
    %j = memref.load %indices[%p] : memref<?xi32>
    %i = arith.index_cast %j : i32 to index
    scf.for %e = %c0 to %c32 step %c1 {
      %x = memref.load %t[%i, %e] : memref<?x32xf32>
      %y = memref.load %o[%b, %e] : memref<?x32xf32>
      %s = arith.addf %y, %x : f32
      memref.store %s, %o[%b, %e] : memref<?x32xf32>
    }
  }
  return
}

// Rows of unknown length: four lines, none of which lies behind the row. How
// large the table is is the product of its sizes.

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[SIZE:.*]] = arith.muli
// CHECK: %[[ALL:.*]] = arith.cmpi uge, %[[SIZE]], %c65536
// CHECK: scf.if %[[ALL]] {
// CHECK: %[[D:.*]] = memref.dim %arg0, %c1
// CHECK: %[[END:.*]] = arith.subi %[[D]], %c1
// CHECK: memref.prefetch
// CHECK: arith.minsi %[[END]], %c16
// CHECK: memref.prefetch
// CHECK: arith.minsi %[[END]], %c32
// CHECK: memref.prefetch
// CHECK: arith.minsi %[[END]], %c48
// CHECK: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @dynamic(%t: memref<?x?xf32>, %indices: memref<?xindex>, %o: memref<?xf32>, %n: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %e = %c0 to %d step %c1 {
      %x = memref.load %t[%i, %e] : memref<?x?xf32>
      memref.store %x, %o[%e] : memref<?xf32>
    }
  }
  return
}

// A small table, an index that is not the loop's, a table that is written, and
// indices that are written: no prefetches.

// CHECK-LABEL: func.func @none
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @none(%small: memref<16x16xf32>, %t: memref<?x16xf32>, %indices: memref<?xindex>, %o: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %x = memref.load %small[%i, %c0] : memref<16x16xf32>
    memref.store %x, %t[%i, %c0] : memref<?x16xf32>
    %y = memref.load %t[%i, %c1] : memref<?x16xf32>
    memref.store %y, %t[%p, %c0] : memref<?x16xf32>
  }
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%n] : memref<?xindex>
    %x = memref.load %t[%i, %c0] : memref<?x16xf32>
    %k = arith.fptoui %x : f32 to i64
    %l = arith.index_cast %k : i64 to index
    memref.store %l, %o[%p] : memref<?xindex>
  }
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %x = memref.load %t[%i, %c0] : memref<?x16xf32>
    %k = arith.fptoui %x : f32 to i64
    %l = arith.index_cast %k : i64 to index
    memref.store %l, %indices[%p] : memref<?xindex>
  }
  return
}

// A row is prefetched as far as all of its accesses reach: elements, and the
// scale behind them.
// CHECK-LABEL: func.func @scale_behind(
// CHECK-DAG: memref.prefetch %arg0[%{{.*}}, %[[FIRST:.*]]], read
// CHECK-DAG: memref.prefetch %arg0[%{{.*}}, %[[SECOND:.*]]], read
func.func @scale_behind(%t: memref<?x72xi8>, %ids: memref<?xindex>, %out: memref<64xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    %scale = memref.load %t[%i, %c64] : memref<?x72xi8>
    scf.for %e = %c0 to %c64 step %c1 {
      %v = memref.load %t[%i, %e] : memref<?x72xi8>
      %w = arith.muli %v, %scale : i8
      memref.store %w, %out[%e] : memref<64xi8>
    }
  }
  return
}

// Long rows are prefetched fewer lookups ahead than short ones. All lines of rows
// that are computed with, as here with each element, go into the first cache; of
// those that are just copied the beginning goes into the second.
// CHOSEN-LABEL: func.func @distances(
// CHOSEN: arith.addi %{{.*}}, %c10
// CHOSEN-COUNT-7: memref.prefetch %arg0{{.*}} locality<3>
// CHOSEN-NOT: memref.prefetch %arg0
// CHOSEN: arith.addi %{{.*}}, %c16
// CHOSEN: memref.prefetch %arg1{{.*}} locality<3>
// CHOSEN-NOT: memref.prefetch %arg1
// CHOSEN: arith.addi %{{.*}}, %c16
// CHOSEN-COUNT-4: memref.prefetch %arg2{{.*}} locality<2>
// CHOSEN-NOT: memref.prefetch %arg2
// CHOSEN: return

// Where the first cache waits for more lines, all rows are prefetched there, and
// farther ahead.

// NEAR-LABEL: func.func @distances(
// NEAR: arith.addi %{{.*}}, %c20
// NEAR-COUNT-7: memref.prefetch %arg0{{.*}} locality<3>
// NEAR: arith.addi %{{.*}}, %c32
// NEAR: memref.prefetch %arg1{{.*}} locality<3>
// NEAR: arith.addi %{{.*}}, %c32
// NEAR-COUNT-4: memref.prefetch %arg2{{.*}} locality<3>
// NEAR-NOT: memref.prefetch %arg2
// NEAR: return
func.func @distances(%t: memref<?x100xf32>, %u: memref<?x4xf16>, %v: memref<?x512xf64>, %ids: memref<?xindex>, %out: memref<512xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %c512 = arith.constant 512 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    scf.for %e = %c0 to %c100 step %c1 {
      %x = memref.load %t[%i, %e] : memref<?x100xf32>
      %y = arith.extf %x : f32 to f64
      memref.store %y, %out[%e] : memref<512xf64>
    }
  }
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    scf.for %e = %c0 to %c4 step %c1 {
      %x = memref.load %u[%i, %e] : memref<?x4xf16>
      %y = arith.extf %x : f16 to f64
      memref.store %y, %out[%e] : memref<512xf64>
    }
  }
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    scf.for %e = %c0 to %c512 step %c1 {
      %x = memref.load %v[%i, %e] : memref<?x512xf64>
      memref.store %x, %out[%e] : memref<512xf64>
    }
  }
  return
}

// Indices and weights are read in order, far ahead; the offset of a row is not.
// SEQUENCE-LABEL: func.func @sequences(
// SEQUENCE-SAME: %[[T:.*]]: memref<?x8xf32>, %[[I:.*]]: memref<?xi32>, %[[W:.*]]: memref<?xf16>, %[[S:.*]]: memref<?xf32>
// SEQUENCE: scf.for %[[P:.*]] =
// SEQUENCE: %[[FAR_INDEX:.*]] = arith.addi %[[P]], %c64
// SEQUENCE: memref.prefetch %[[I]][%[[FAR_INDEX]]], read, locality<3>, data
// SEQUENCE: memref.load %[[I]][%[[P]]]
// SEQUENCE: memref.prefetch %[[T]]
// SEQUENCE: %[[FAR_WEIGHT:.*]] = arith.addi %[[P]], %c128
// SEQUENCE: memref.prefetch %[[W]][%[[FAR_WEIGHT]]], read, locality<3>, data
// SEQUENCE: memref.load %[[W]][%[[P]]]
// SEQUENCE-NOT: memref.prefetch %[[S]]
// SEQUENCE: return
func.func @sequences(%t: memref<?x8xf32>, %ids: memref<?xi32>, %weights: memref<?xf16>, %scales: memref<?xf32>, %o: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xi32>
    %row = arith.index_cast %i : i32 to index
    %h = memref.load %weights[%p] : memref<?xf16>
    %w = arith.extf %h : f16 to f32
    %s = memref.load %scales[%c1] : memref<?xf32>
    %f = arith.mulf %w, %s : f32
    scf.for %e = %c0 to %c8 step %c1 {
      %x = memref.load %t[%row, %e] : memref<?x8xf32>
      %y = memref.load %o[%e] : memref<8xf32>
      %z = math.fma %x, %f, %y : f32
      memref.store %z, %o[%e] : memref<8xf32>
    }
  }
  return
}

// Each row of a matrix is a sequence.
// SEQUENCE-LABEL: func.func @rows_of_a_matrix(
// SEQUENCE-SAME: %[[EDGES:.*]]: memref<2x?xi64>, %[[T:.*]]: memref<?x16xf32>, %[[O:.*]]: memref<?x16xf32>
// SEQUENCE: %[[FAR:.*]] = arith.addi %[[E:.*]], %c32
// SEQUENCE: memref.prefetch %[[EDGES]][%c0, %[[FAR]]], read
// SEQUENCE: memref.load %[[EDGES]][%c0, %[[E]]]
// SEQUENCE: memref.prefetch %[[EDGES]][%c1, %{{.*}}], read
// SEQUENCE: memref.load %[[EDGES]][%c1, %[[E]]]
// SEQUENCE: return
func.func @rows_of_a_matrix(%edges: memref<2x?xi64>, %t: memref<?x16xf32>, %o: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %e = %c0 to %n step %c1 {
    %i = memref.load %edges[%c0, %e] : memref<2x?xi64>
    %row = arith.index_cast %i : i64 to index
    %j = memref.load %edges[%c1, %e] : memref<2x?xi64>
    %place = arith.index_cast %j : i64 to index
    scf.for %f = %c0 to %c16 step %c1 {
      %x = memref.load %t[%row, %f] : memref<?x16xf32>
      memref.store %x, %o[%place, %f] : memref<?x16xf32>
    }
  }
  return
}

// A block of four rows: the loop over queries, as long as that over the rows,
// prefetches a row in each iteration, of a table that is large enough. Behind
// the end of a row of indices the next begins. Four rows of 256 bytes: four
// blocks ahead.

// CHOSEN-LABEL: func.func @blocks
// CHOSEN-SAME: %[[T:[a-z0-9]+]]: memref<?x64xf32>, %[[I:[a-z0-9]+]]: memref<?x?xindex>
// CHOSEN: scf.for %[[B:.*]] =
// CHOSEN: %[[ROWS:.*]] = memref.dim %[[T]], %c0
// CHOSEN: %[[LARGE:.*]] = arith.cmpi uge, %[[ROWS]], %c1024
// CHOSEN: scf.for %[[P:.*]] =
// CHOSEN: memref.load %[[I]][%[[B]], %[[P]]]
// CHOSEN: %[[N:.*]] = memref.dim %[[I]], %c1
// CHOSEN: %[[BEFORE:.*]] = arith.muli %[[B]], %[[N]]
// CHOSEN: %[[AT:.*]] = arith.addi %[[BEFORE]], %[[P]]
// CHOSEN: %[[ALL:.*]] = memref.collapse_shape %[[I]] {{\[}}[0, 1]]
// CHOSEN: %[[AHEAD:.*]] = arith.addi %[[AT]], %c4
// CHOSEN: %[[Q:.*]] = arith.minui %[[AHEAD]]
// CHOSEN: %[[NEXT:.*]] = memref.load %[[ALL]][%[[Q]]]
// CHOSEN: scf.for %[[QUERY:.*]] =
// CHOSEN: scf.if %[[LARGE]] {
// CHOSEN: %[[FIRST:.*]] = arith.muli %[[NEXT]], %c4
// CHOSEN: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[QUERY]]
// CHOSEN-COUNT-4: memref.prefetch %[[T]][%[[ROW]], %{{.*}}]
// CHOSEN-NOT: memref.prefetch
// CHOSEN: scf.for
// CHOSEN: return
func.func @blocks(%t: memref<?x64xf32>, %indices: memref<?x?xindex>, %o: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %b = %c0 to %n step %c1 {
    scf.for %p = %c0 to %m step %c1 {
      %i = memref.load %indices[%b, %p] : memref<?x?xindex>
      %first = arith.muli %i, %c4 : index
      scf.for %query = %c0 to %c4 step %c1 {
        scf.for %token = %c0 to %c4 step %c1 {
          %row = arith.addi %first, %token : index
          scf.for %e = %c0 to %c64 step %c1 {
            %x = memref.load %t[%row, %e] : memref<?x64xf32>
            memref.store %x, %o[%query] : memref<?xf32>
          }
        }
      }
    }
  }
  return
}

// Without a loop as long around it, a loop of its own goes over the rows.

// CHOSEN-LABEL: func.func @many_blocks
// CHOSEN: memref.load
// CHOSEN: memref.load
// CHOSEN: scf.for
// CHOSEN-COUNT-4: memref.prefetch
// CHOSEN-NOT: memref.prefetch
// CHOSEN: scf.for
// CHOSEN: scf.for
// CHOSEN: return
func.func @many_blocks(%t: memref<?x64xf32>, %indices: memref<?xindex>, %o: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    %first = arith.muli %i, %c4 : index
    scf.for %query = %c0 to %m step %c1 {
      scf.for %token = %c0 to %c4 step %c1 {
        %row = arith.addi %first, %token : index
        scf.for %e = %c0 to %c64 step %c1 {
          %x = memref.load %t[%row, %e] : memref<?x64xf32>
          memref.store %x, %o[%query] : memref<?xf32>
        }
      }
    }
  }
  return
}

// What follows the lookups of a loop are those of another one, in another
// table: the last lookup ahead is the loop's last.
// CHECK-LABEL: func.func @tables
// CHECK-SAME: %[[O:[^:]*]]: memref<?xindex>
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: %[[END:.*]] = scf.if %{{.*}} -> (index) {
// CHECK: %[[OFFSET:.*]] = memref.load %[[O]][%[[N]]]
// CHECK: scf.yield %[[OFFSET]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %c1
// CHECK: arith.minui %{{.*}}, %[[LAST]]
func.func @tables(%offsets: memref<?xindex>, %indices: memref<?xindex>, %a: memref<?x1000xf32>, %b: memref<?x1000xf32>, %out: memref<?x2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %begin = memref.load %offsets[%i] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %row = memref.load %indices[%p] : memref<?xindex>
      %x = memref.load %a[%row, %c0] : memref<?x1000xf32>
      memref.store %x, %out[%i, %c0] : memref<?x2xf32>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    %place = arith.addi %i, %n : index
    %next = arith.addi %place, %c1 : index
    %begin = memref.load %offsets[%place] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %row = memref.load %indices[%p] : memref<?xindex>
      %x = memref.load %b[%row, %c0] : memref<?x1000xf32>
      memref.store %x, %out[%i, %c1] : memref<?x2xf32>
    }
  }
  return
}

// Rows of two tables that one index selects: the index ahead is loaded for both
// together, if either table is large.

// CHECK-LABEL: func.func @pair
// CHECK: %[[A:.*]] = arith.cmpi uge
// CHECK: %[[B:.*]] = arith.cmpi uge
// CHECK: %[[ANY:.*]] = arith.ori %[[A]], %[[B]]
// CHECK: scf.if %[[ANY]] {
// CHECK: memref.prefetch %arg0
// CHECK: memref.prefetch %arg1
// CHECK: }
// CHECK-NOT: scf.if
// CHECK: return
func.func @pair(%t: memref<?x16xf32>, %u: memref<?x16xf32>, %ids: memref<?xindex>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    %x = memref.load %t[%i, %c0] : memref<?x16xf32>
    %y = memref.load %u[%i, %c0] : memref<?x16xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %o[%p] : memref<?xf32>
  }
  return
}

// Rows that are added up, a line at a time: as many lookups ahead as lines are
// waited for, if the table is larger than the second cache.

// ADDED-LABEL: func.func @added
// ADDED: %[[LARGE:.*]] = arith.cmpi uge, %{{.*}}, %c32768
// ADDED: scf.if %[[LARGE]] {
// ADDED: arith.addi %{{.*}}, %c48
// ADDED: memref.prefetch %arg0{{.*}} locality<2>
// ADDED-NOT: memref.prefetch %arg0
// ADDED: return
func.func @added(%t: memref<?x16xf32>, %ids: memref<?xindex>, %o: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %ids[%p] : memref<?xindex>
    %x = vector.load %t[%i, %c0] : memref<?x16xf32>, vector<16xf32>
    %y = vector.load %o[%c0] : memref<16xf32>, vector<16xf32>
    %z = arith.addf %x, %y : vector<16xf32>
    vector.store %z, %o[%c0] : memref<16xf32>, vector<16xf32>
  }
  return
}

// Rows of more bytes than 64 bits count are large, and known to be nothing.

// CHECK-LABEL: func.func @wrapping
// CHECK: memref.prefetch
// CHECK-LABEL: func.func @wrapping_row
// CHECK: memref.prefetch
func.func @wrapping(%indices: memref<?xindex>, %table: memref<?x4294967296x4294967296xf32>, %out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %e = %c0 to %c64 step %c1 {
      %v = memref.load %table[%i, %c0, %e] : memref<?x4294967296x4294967296xf32>
      memref.store %v, %out[%e] : memref<64xf32>
    }
  }
  return
}
func.func @wrapping_row(%indices: memref<?xindex>, %table: memref<?x4611686018427387904xf64>, %out: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = arith.constant 2147483647 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %e = %c0 to %length step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x4611686018427387904xf64>
      memref.store %v, %out[%e] : memref<?xf64>
    }
  }
  return
}

// Nobody says how long rows of anything but numbers are.

// CHECK-LABEL: func.func @rows_of_vectors
// CHECK-NOT: memref.prefetch
// SET-LABEL: func.func @rows_of_vectors
// SET-NOT: memref.prefetch
// CHECK: return
// SET: return
func.func @rows_of_vectors(%indices: memref<?xindex>, %table: memref<?x8xvector<4xf32>>, %out: memref<8xvector<4xf32>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xindex>
    scf.for %e = %c0 to %c8 step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x8xvector<4xf32>>
      memref.store %v, %out[%e] : memref<8xvector<4xf32>>
    }
  }
  return
}

// What is looked up in is a part of the table, which is small.

// CHECK-LABEL: func.func @part
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @part(%ids: memref<?xi32>, %t: memref<?x9x16xf32>, %out: memref<?xf32>, %b: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %ids, %c0 : memref<?xi32>
  scf.for %p = %c0 to %n step %c1 {
    %w = memref.load %ids[%p] : memref<?xi32>
    %i = arith.index_cast %w : i32 to index
    scf.for %e = %c0 to %c16 step %c1 {
      %x = memref.load %t[%b, %i, %e] : memref<?x9x16xf32>
      memref.store %x, %out[%e] : memref<?xf32>
    }
  }
  return
}

// Where a segment begins and where it ends stand beside each other: one prefetch
// is for both.
// CHECK-LABEL: func.func @segments
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK: scf.if
// CHECK: %[[AHEAD:.*]] = memref.load %{{.*}} : memref<?xindex>
// CHECK: %[[PLACE:.*]] = arith.addi %[[AHEAD]], %{{.*}}
// CHECK: memref.prefetch %{{.*}}[%[[PLACE]]], read, locality<{{[23]}}>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @segments(%k: memref<?xindex>, %positions: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %row = memref.load %k[%p] : memref<?xindex>
    %after = arith.addi %row, %c1 : index
    %begin = memref.load %positions[%row] : memref<?xindex>
    %end = memref.load %positions[%after] : memref<?xindex>
    %length = arith.subi %end, %begin : index
    memref.store %length, %out[%p] : memref<?xindex>
  }
  return
}

// Segments that follow each other are one sequence, which the hardware follows.

// CHECK-LABEL: func.func @neighbours
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @neighbours(%offsets: memref<?xi64>, %values: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %b = %c0 to %n step %c1 {
    %next = arith.addi %b, %c1 : index
    %i = memref.load %offsets[%b] : memref<?xi64>
    %begin = arith.index_cast %i : i64 to index
    %j = memref.load %offsets[%next] : memref<?xi64>
    %end = arith.index_cast %j : i64 to index
    %length = arith.subi %end, %begin : index
    scf.for %k = %c0 to %length step %c1 {
      %p = arith.addi %begin, %k : index
      %x = memref.load %values[%p] : memref<?xf32>
      %y = memref.load %o[%b] : memref<?xf32>
      %s = arith.addf %y, %x : f32
      memref.store %s, %o[%b] : memref<?xf32>
    }
  }
  return
}

// What has just been put in a workspace is near.

// CHECK-LABEL: func.func @workspace
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @workspace(%indices: memref<?xi32>, %o: memref<?xf32>, %size: index, %lb: index, %ub: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %row = memref.alloc(%size) {ember.scratch} : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    memref.store %one, %row[%i] : memref<?xf32>
  }
  scf.for %p = %lb to %ub step %c1 {
    %j = memref.load %indices[%p] : memref<?xi32>
    %i = arith.index_cast %j : i32 to index
    %x = memref.load %row[%i] : memref<?xf32>
    memref.store %x, %o[%p] : memref<?xf32>
  }
  memref.dealloc %row : memref<?xf32>
  return
}
