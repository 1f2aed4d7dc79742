// Elements of every width in memory of every rank: scalars without an index,
// arrays without an element, narrow and wide integers, half floats.

// RUN: ember-opt %s --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="vector-length=4" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc > %t.dlcv.mlir
// RUN: FileCheck %s --input-file=%t.dlc.mlir --check-prefix=DLC
// DLC-COUNT-6: dlc.program

// DEFINE: %{args} =
// DEFINE: %{expect} =
// DEFINE: %{run} = ember-run - %{args} | FileCheck %s --check-prefix=%{expect}
// DEFINE: %{all} = cat %s | %{run} && cat %t.slc.mlir | %{run} && cat %t.slcv.mlir | %{run} \
// DEFINE:   && cat %t.dlc.mlir | %{run} && cat %t.dlcv.mlir | %{run}

// RUN: %npy make %t.one.npy f32 "1.5"
// RUN: %npy make %t.at.npy index "2"
// RUN: %npy make %t.row.npy f32 "[1, 2, 4]"
// RUN: %npy make %t.sum.npy f32 "0"
// REDEFINE: %{expect} = SCALARS
// REDEFINE: %{args} = --entry=scalars @%t.one.npy @%t.at.npy @%t.row.npy @%t.sum.npy 3 --print=3
// RUN: %{all}
// SCALARS: = 16.5

// RUN: %npy make %t.none.npy f32 "np.zeros((0, 3))"
// RUN: %npy make %t.narrow.npy f32 "np.zeros((3, 0))"
// REDEFINE: %{expect} = EMPTY
// REDEFINE: %{args} = --entry=empty @%t.none.npy @%t.sum.npy --print=1
// RUN: %{all}
// REDEFINE: %{args} = --entry=empty @%t.narrow.npy @%t.sum.npy --print=1
// RUN: %{all}
// EMPTY: = 0

// RUN: %npy make %t.i8.npy i8 "[-127, -1, 3]"
// RUN: %npy make %t.i16.npy i16 "[1, -254, 3]"
// RUN: %npy make %t.table.npy i16 "np.arange(300) * 7"
// RUN: %npy make %t.wide.npy i64 "[0, 0, 0]"
// REDEFINE: %{expect} = NARROW
// REDEFINE: %{args} = --entry=narrow @%t.i8.npy @%t.i16.npy @%t.table.npy @%t.wide.npy --print=3
// RUN: %{all}
// NARROW: = [21, 0, 63]

// RUN: %npy make %t.x.npy i1 "[1, 0, 1, 1, 0]"
// RUN: %npy make %t.y.npy i1 "[1, 0, 0, 1, 1]"
// RUN: %npy make %t.bits.npy i64 "[0] * 5"
// REDEFINE: %{expect} = BITS
// REDEFINE: %{args} = --entry=bits @%t.x.npy @%t.y.npy @%t.i64.npy @%t.bits.npy --print=3
// RUN: %npy make %t.i64.npy i64 "[7, 9]"
// RUN: %{all}
// BITS: = [7, 7, 9, 7, 9]

// RUN: %npy make %t.index.npy i64 "[1, 2, 0]"
// REDEFINE: %{expect} = WIDE
// REDEFINE: %{args} = --entry=wide @%t.index.npy @%t.wide.npy --print=1
// RUN: %{all}
// WIDE: = [2, 2, 2]

// RUN: %npy make %t.half.npy f16 "[0.5, 65504, -2]"
// REDEFINE: %{expect} = HALF
// REDEFINE: %{args} = --entry=half @%t.half.npy @%t.row.npy --print=1
// RUN: %{all}
// HALF: = [1.5, 65506, 2]

func.func @scalars(%a: memref<f32>, %k: memref<index>, %t: memref<?xf32>, %o: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[] : memref<f32>
    %j = memref.load %k[] : memref<index>
    %u = memref.load %t[%j] : memref<?xf32>
    %w = memref.load %o[] : memref<f32>
    %s = arith.addf %v, %w : f32
    %r = arith.addf %u, %s : f32
    memref.store %r, %o[] : memref<f32>
  }
  return
}

func.func @empty(%a: memref<?x?xf32>, %o: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %a, %c0 : memref<?x?xf32>
  %columns = memref.dim %a, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      %v = memref.load %a[%i, %j] : memref<?x?xf32>
      memref.store %v, %o[] : memref<f32>
    }
  }
  return
}

// Sums wrap at 8 bits, and their extension does not bring the sign back.
func.func @narrow(%a: memref<3xi8>, %b: memref<3xi16>, %t: memref<?xi16>, %o: memref<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %a[%i] : memref<3xi8>
    %y = memref.load %b[%i] : memref<3xi16>
    %double = arith.addi %x, %x : i8
    %positive = arith.extui %double : i8 to i16
    %sum = arith.addi %positive, %y : i16
    %j = arith.index_castui %sum : i16 to index
    %v = memref.load %t[%j] : memref<?xi16>
    %w = arith.extsi %v : i16 to i64
    memref.store %w, %o[%i] : memref<3xi64>
  }
  return
}

func.func @bits(%a: memref<5xi1>, %b: memref<5xi1>, %t: memref<2xi64>, %o: memref<5xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %x = memref.load %a[%i] : memref<5xi1>
    %y = memref.load %b[%i] : memref<5xi1>
    %z = arith.addi %x, %y : i1
    %j = arith.index_castui %z : i1 to index
    %v = memref.load %t[%j] : memref<2xi64>
    memref.store %v, %o[%i] : memref<5xi64>
  }
  return
}

// A constant of which the low 64 bits are zero is not zero.
func.func @wide(%a: memref<3xi64>, %o: memref<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two_to_64 = arith.constant 18446744073709551616 : i128
  %c64 = arith.constant 64 : i128
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %a[%i] : memref<3xi64>
    %w = arith.extui %x : i64 to i128
    %s = arith.addi %w, %two_to_64 : i128
    %h = arith.shrui %s, %c64 : i128
    %j = arith.index_cast %h : i128 to index
    %v = memref.load %a[%j] : memref<3xi64>
    memref.store %v, %o[%i] : memref<3xi64>
  }
  return
}

func.func @half(%a: memref<3xf16>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = memref.load %a[%i] : memref<3xf16>
    %w = arith.extf %x : f16 to f32
    %v = memref.load %o[%i] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %o[%i] : memref<?xf32>
  }
  return
}
