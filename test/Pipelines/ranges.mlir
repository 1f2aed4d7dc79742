// Ranges that begin below zero, hold nothing or end before they begin, and
// steps known at run time only: as scf defines them, at every level. A step that
// leads nowhere is an error and not an endless loop.

// RUN: %npy make %t.a.npy f32 "[1, 2, 3, 4, 5, 6]"
// RUN: %npy make %t.o.npy f32 "np.zeros(6)"
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="vector-length=4" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlcv.mlir
// RUN: FileCheck %s --input-file=%t.dlc.mlir --check-prefix=DLC
// DLC-COUNT-4: dlc.program

// DEFINE: %{args} =
// DEFINE: %{expect} =
// DEFINE: %{run} = ember-run %{args} | FileCheck %s --check-prefix=%{expect}
// DEFINE: %{all} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.slcv.mlir | %{run} \
// DEFINE:   && cat %t.dlc.mlir | %{run} && cat %t.dlcv.mlir | %{run}

// REDEFINE: %{expect} = NEGATIVE
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy -3 3 3 --print=1 --queue-capacity=1
// RUN: %{all}
// NEGATIVE: = [1, 2, 3, 4, 5, 6]

// REDEFINE: %{expect} = NOTHING
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 2 2 0 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 5 -5 0 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy 9223372036854775807 -9223372036854775808 0 --print=1
// RUN: %{all}
// NOTHING: = [0, 0, 0, 0, 0, 0]

// The index wraps around on its way from the counter to the address.
// REDEFINE: %{expect} = WRAPS
// REDEFINE: %{args} = - --entry=shifted @%t.a.npy @%t.o.npy -9223372036854775807 -9223372036854775805 -9223372036854775808 --print=1
// RUN: %{all}
// WRAPS: = [0, 2, 3, 0, 0, 0]

// REDEFINE: %{expect} = STEPS
// REDEFINE: %{args} = - --entry=steps @%t.a.npy @%t.o.npy 6 4 --print=1 --queue-capacity=1
// RUN: %{all}
// STEPS: = [1, 0, 0, 0, 5, 0]

// DEFINE: %{fails} = cat %s | not %{run} && cat %t.slc.mlir | not %{run} && cat %t.slcv.mlir | not %{run} \
// DEFINE:   && cat %t.dlc.mlir | not %{run} && cat %t.dlcv.mlir | not %{run}
// REDEFINE: %{run} = ember-run %{args} 2>&1 | FileCheck %s --check-prefix=%{expect}
// REDEFINE: %{expect} = STEP
// REDEFINE: %{args} = - --entry=steps @%t.a.npy @%t.o.npy 6 0
// RUN: %{fails}
// REDEFINE: %{args} = - --entry=steps @%t.a.npy @%t.o.npy 6 -1
// RUN: %{fails}
// REDEFINE: %{args} = - --entry=rows @%t.m.npy @%t.o.npy 2 0
// RUN: %npy make %t.m.npy f32 "np.ones((2, 6))"
// RUN: %{fails}
// REDEFINE: %{args} = - --entry=rows @%t.m.npy @%t.o.npy 2 -1
// RUN: %{fails}
// STEP: error: the step of a loop is not positive at <stdin>

// So is a step over the end of the index type.
// REDEFINE: %{expect} = FAR
// REDEFINE: %{args} = - --entry=far @%t.a.npy @%t.o.npy 9223372036854775800 9223372036854775807 3
// RUN: %{fails}
// REDEFINE: %{args} = - --entry=far @%t.a.npy @%t.o.npy -5 9223372036854775807 4611686018427387904
// RUN: %{fails}
// FAR: error: the bound of a loop is too large for its step at <stdin>

// REDEFINE: %{run} = ember-run %{args} | FileCheck %s --check-prefix=%{expect}
// REDEFINE: %{expect} = NEAR
// REDEFINE: %{args} = - --entry=far @%t.a.npy @%t.o.npy 9223372036854775800 9223372036854775804 3 --print=1
// RUN: %{all}
// REDEFINE: %{args} = - --entry=far @%t.a.npy @%t.o.npy 2 4611686018427387905 4611686018427387902 --print=1
// RUN: %{all}
// NEAR: = [1, 2, 0, 0, 0, 0]
// REDEFINE: %{expect} = NOTHING
// REDEFINE: %{args} = - --entry=far @%t.a.npy @%t.o.npy 9223372036854775807 9223372036854775807 3 --print=1
// RUN: %{all}
// A row that is never reached has no step.
// REDEFINE: %{args} = - --entry=rows @%t.m.npy @%t.o.npy 0 0 --print=1
// RUN: %{all}

func.func @shifted(%a: memref<?xf32>, %o: memref<?xf32>, %from: index, %to: index, %shift: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 {
    %j = arith.addi %i, %shift : index
    %v = memref.load %a[%j] : memref<?xf32>
    memref.store %v, %o[%j] : memref<?xf32>
  }
  return
}

func.func @steps(%a: memref<?xf32>, %o: memref<?xf32>, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %step {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %o[%i] : memref<?xf32>
  }
  return
}

func.func @rows(%a: memref<?x?xf32>, %o: memref<?xf32>, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = memref.dim %a, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %length step %step {
      %v = memref.load %a[%i, %j] : memref<?x?xf32>
      memref.store %v, %o[%j] : memref<?xf32>
    }
  }
  return
}

func.func @far(%a: memref<?xf32>, %o: memref<?xf32>, %from: index, %to: index, %step: index) {
  scf.for %i = %from to %to step %step {
    %distance = arith.subi %i, %from : index
    %k = arith.divsi %distance, %step : index
    %v = memref.load %a[%k] : memref<?xf32>
    memref.store %v, %o[%k] : memref<?xf32>
  }
  return
}
