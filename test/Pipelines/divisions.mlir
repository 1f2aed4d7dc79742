// A division by what may be zero runs as often as the program says and no
// earlier: not at all in a loop without iterations.

// RUN: %npy make %t.a.npy f32 "[1, 2, 3]"
// RUN: %npy make %t.o.npy f32 "np.zeros(3)"
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="vector-length=4" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlcv.mlir
// DEFINE: %{args} =
// DEFINE: %{run} = ember-run - @%t.a.npy @%t.o.npy %{args} --print=1 | FileCheck %s
// DEFINE: %{all} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.slcv.mlir | %{run} \
// DEFINE:   && cat %t.dlc.mlir | %{run} && cat %t.dlcv.mlir | %{run}
// REDEFINE: %{args} = 0 4 0
// REDEFINE: %{run} = ember-run - @%t.a.npy @%t.o.npy %{args} --print=1 | FileCheck %s --check-prefix=NONE
// RUN: %{all}
// REDEFINE: %{args} = 3 4 4
// REDEFINE: %{run} = ember-run - @%t.a.npy @%t.o.npy %{args} --print=1 | FileCheck %s --check-prefix=SOME
// RUN: %{all}
// REDEFINE: %{args} = 3 4 0
// REDEFINE: %{run} = not ember-run - @%t.a.npy @%t.o.npy %{args} 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %{all}
// NONE: = [0, 0, 0]
// SOME: = [2, 2, 2]
// ZERO: error: division by zero

func.func @divide(%a: memref<?xf32>, %o: memref<?xf32>, %n: index, %x: index, %y: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %d = arith.divsi %x, %y : index
    %v = memref.load %a[%d] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}
