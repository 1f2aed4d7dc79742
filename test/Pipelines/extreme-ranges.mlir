// Ranges that end at the largest index, steps near it, and both in lanes: what
// scf visits, every level visits, in loops that become vectors too.

// RUN: %npy make %t.a.npy i64 "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
// RUN: %npy make %t.o.npy i64 "np.zeros(10)"
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=1 vector-length=4" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=4 vector-length=4" > %t.rows.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlcv.mlir
// RUN: ember-opt %t.rows.mlir --slc-to-dlc=opt-level=4 > %t.dlcr.mlir
// RUN: FileCheck %s --input-file=%t.slcv.mlir --check-prefix=SLCV
// SLCV-COUNT-3: slcv.vec_for {{.*}} vector<4>
// RUN: FileCheck %s --input-file=%t.rows.mlir --check-prefix=ROWS
// ROWS: slcv.push

// DEFINE: %{args} =
// DEFINE: %{expect} =
// DEFINE: %{run} = ember-run %{args} | FileCheck %s --check-prefix=%{expect}
// DEFINE: %{all} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.slcv.mlir | %{run} \
// DEFINE:   && cat %t.rows.mlir | %{run} && cat %t.dlc.mlir | %{run} && cat %t.dlcv.mlir | %{run} \
// DEFINE:   && cat %t.dlcr.mlir | %{run}

// The last vector is not full, and the index after it would wrap around.
// REDEFINE: %{expect} = SIX
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 9223372036854775801 9223372036854775807 --print=1 --queue-capacity=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy -9223372036854775808 -9223372036854775802 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy -3 3 --print=1
// RUN: %{all}
// SIX: = [1, 2, 3, 4, 5, 6, 0, 0, 0, 0]

// REDEFINE: %{expect} = NONE
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 9223372036854775807 -9223372036854775808 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 9223372036854775807 9223372036854775807 --print=1
// RUN: %{all}
// NONE: = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

// Narrow bounds cannot come near the largest index.
// REDEFINE: %{expect} = SIX
// REDEFINE: %{args} = - --entry=narrow @%t.a.npy @%t.o.npy 2147483641 2147483647 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=narrow @%t.a.npy @%t.o.npy -2147483648 -2147483642 --print=1
// RUN: %{all}

// Segments that begin and end anywhere, also ones that end before they begin.
// RUN: %npy make %t.from.npy i64 "[2**63-4, 0, 2**63-1, -2**63, 5]"
// RUN: %npy make %t.to.npy i64 "[2**63-1, 0, -2**63, -2**63+3, -2**63]"
// RUN: %npy make %t.m.npy i64 "np.zeros((5, 3))"
// REDEFINE: %{expect} = SEGMENTS
// REDEFINE: %{args} = - --entry=segments @%t.from.npy @%t.to.npy @%t.a.npy @%t.m.npy --print=3 --queue-capacity=1
// RUN: %{all}
// SEGMENTS: {{\[}}[2, 4, 6], [0, 0, 0], [0, 0, 0], [2, 4, 6], [0, 0, 0]]

// From the smallest index to zero there are more elements than the largest
// index says.
// RUN: %npy make %t.from.npy i64 "[-2**63]"
// RUN: %npy make %t.to.npy i64 "[0]"
// REDEFINE: %{args} = - --entry=segments @%t.from.npy @%t.to.npy @%t.a.npy @%t.m.npy
// REDEFINE: %{run} = not ember-run %{args} 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: %{all}
// HALF: error: index {{[0-9]+}} {{.*}}out of range

func.func @shifted(%a: memref<?xi64>, %o: memref<?xi64>, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 {
    %k = arith.subi %i, %from : index
    %v = memref.load %a[%k] : memref<?xi64>
    memref.store %v, %o[%k] : memref<?xi64>
  }
  return
}

func.func @narrow(%a: memref<?xi64>, %o: memref<?xi64>, %from: i32, %to: i32) {
  %c1 = arith.constant 1 : index
  %lower = arith.index_cast %from : i32 to index
  %upper = arith.index_cast %to : i32 to index
  scf.for %i = %lower to %upper step %c1 {
    %k = arith.subi %i, %lower : index
    %v = memref.load %a[%k] : memref<?xi64>
    memref.store %v, %o[%k] : memref<?xi64>
  }
  return
}

func.func @segments(%from: memref<?xi64>, %to: memref<?xi64>, %a: memref<?xi64>, %o: memref<?x?xi64>) {
  %two = arith.constant 2 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %from, %c0 : memref<?xi64>
  scf.for %s = %c0 to %n step %c1 {
    %b = memref.load %from[%s] : memref<?xi64>
    %e = memref.load %to[%s] : memref<?xi64>
    %lower = arith.index_cast %b : i64 to index
    %upper = arith.index_cast %e : i64 to index
    scf.for %i = %lower to %upper step %c1 {
      %k = arith.subi %i, %lower : index
      %v = memref.load %a[%k] : memref<?xi64>
      %twice = arith.muli %v, %two : i64
      memref.store %twice, %o[%s, %k] : memref<?x?xi64>
    }
  }
  return
}
