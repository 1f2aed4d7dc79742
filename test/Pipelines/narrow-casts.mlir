// An index that was cut to fewer bits stays cut, however it came and whatever
// is done with it: at every level, before and behind canonicalization.

// RUN: %npy make %t.ids.npy i64 "[1, 2**32 + 2, 2**40, 3 - 2**32]"
// RUN: %npy make %t.t.npy f32 "[10, 11, 12, 13]"
// RUN: %npy make %t.o.npy f32 "np.zeros(4)"
// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=1 vector-length=4" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=4 vector-length=4" > %t.rows.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlcv.mlir
// RUN: ember-opt %t.rows.mlir --slc-to-dlc=opt-level=4 > %t.dlcr.mlir
// DEFINE: %{args} =
// DEFINE: %{run} = ember-run - %{args} @%t.ids.npy @%t.t.npy @%t.o.npy --print=2 | FileCheck %s
// DEFINE: %{levels} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.slcv.mlir | %{run} \
// DEFINE:   && cat %t.rows.mlir | %{run} && cat %t.dlc.mlir | %{run} && cat %t.dlcv.mlir | %{run} \
// DEFINE:   && cat %t.dlcr.mlir | %{run}
// REDEFINE: %{args} = --entry=signed
// RUN: %{levels}
// REDEFINE: %{args} = --entry=unsigned
// RUN: %{levels}
// REDEFINE: %{args} = --entry=signed -O0
// RUN: cat %s | %{run}
// REDEFINE: %{args} = --entry=signed --target=cpu
// RUN: cat %s | %{run}
// REDEFINE: %{args} = --entry=signed --target=dae-threads
// RUN: cat %s | %{run}
// CHECK: = [11, 12, 10, 13]

func.func @signed(%ids: memref<4xi64>, %table: memref<?xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %id = memref.load %ids[%i] : memref<4xi64>
    %whole = arith.index_cast %id : i64 to index
    %narrow = arith.index_cast %whole : index to i32
    %cut = arith.index_cast %narrow : i32 to index
    %v = memref.load %table[%cut] : memref<?xf32>
    memref.store %v, %out[%i] : memref<4xf32>
  }
  return
}

func.func @unsigned(%ids: memref<4xi64>, %table: memref<?xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %id = memref.load %ids[%i] : memref<4xi64>
    %whole = arith.index_castui %id : i64 to index
    %narrow = arith.index_castui %whole : index to i16
    %wide = arith.extui %narrow : i16 to i64
    %cut = arith.index_castui %wide : i64 to index
    %v = memref.load %table[%cut] : memref<?xf32>
    memref.store %v, %out[%i] : memref<4xf32>
  }
  return
}
