// A vector's tail divides by nothing: lanes past the end hold zeros, and the
// divisor there must not be taken for one.

// DEFINE: %{lanes} =
// DEFINE: %{entry} =
// DEFINE: %{args} = - --entry=%{entry} @%t.a.npy @%t.d.npy @%t.o.npy --print=2 -O3
// DEFINE: %{run} = ember-run %{args} | FileCheck %s --check-prefix=%{entry}
// DEFINE: %{all} = ember-opt %s --scf-to-slc --optimize="vector-length=%{lanes}" > %t.slcv.mlir \
// DEFINE:   && FileCheck %s --input-file=%t.slcv.mlir --check-prefix=LANES%{lanes} \
// DEFINE:   && ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlc.mlir \
// DEFINE:   && cat %s | %{run} && cat %t.slcv.mlir | %{run} && cat %t.dlc.mlir | %{run}
// LANES4-COUNT-2: slcv.vec_for {{.*}} vector<4>
// LANES8-COUNT-2: slcv.vec_for {{.*}} vector<8>
// LANES16-COUNT-2: slcv.vec_for {{.*}} vector<16>

// RUN: %npy make %t.a.npy i32 "[7, -7, 9, -9, 100]"
// RUN: %npy make %t.d.npy i32 "[2, 2, -2, -4, 7]"
// RUN: %npy make %t.o.npy i32 "np.zeros(5)"
// REDEFINE: %{lanes} = 4
// REDEFINE: %{entry} = quotient
// RUN: %{all}
// REDEFINE: %{entry} = remainder
// RUN: %{all}
// REDEFINE: %{lanes} = 8
// RUN: %{all}
// REDEFINE: %{entry} = quotient
// RUN: %{all}
// REDEFINE: %{lanes} = 16
// RUN: %{all}
// REDEFINE: %{entry} = remainder
// RUN: %{all}
// quotient: = [3, -3, -4, 2, 14]
// remainder: = [1, -1, 1, -1, 2]

func.func @quotient(%a: memref<?xi32>, %d: memref<?xi32>, %o: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %d[%i] : memref<?xi32>
    %q = arith.divsi %x, %y : i32
    memref.store %q, %o[%i] : memref<?xi32>
  }
  return
}

func.func @remainder(%a: memref<?xi32>, %d: memref<?xi32>, %o: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %d[%i] : memref<?xi32>
    %r = arith.remsi %x, %y : i32
    memref.store %r, %o[%i] : memref<?xi32>
  }
  return
}
