// Memrefs come from .npy files; what the function stores can be saved, printed
// or, when returned, is printed.
// RUN: mkdir -p %t
// RUN: %npy make %t/table.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t/indices.npy index "[2, 0, 1]"
// RUN: %npy make %t/offsets.npy index "[0, 2, 2, 3]"
// RUN: %npy make %t/out.npy f32 "np.zeros((3, 4))"
// RUN: ember-run %S/../Inputs/bag.mlir --entry=bag @%t/table.npy @%t/indices.npy \
// RUN:   @%t/offsets.npy @%t/out.npy --save=3:%t/sums.npy --print=3 --print 1 \
// RUN:   | FileCheck %s --check-prefix=BAG
// RUN: %npy print %t/sums.npy | FileCheck %s --check-prefix=SUMS
// BAG: argument 3 'out': memref<?x4xf32> [3, 4] = {{\[\[}}8, 10, 12, 14], [0, 0, 0, 0], [4, 5, 6, 7]]
// BAG-NEXT: argument 1 'indices': memref<?xindex> [3] = [2, 0, 1]
// SUMS: float32 [3, 4] {{\[\[}}8.0, 10.0, 12.0, 14.0], [0.0, 0.0, 0.0, 0.0], [4.0, 5.0, 6.0, 7.0]]

// The input file is not touched, unless it is named as the output.
// RUN: %npy print %t/out.npy | FileCheck %s --check-prefix=UNTOUCHED
// UNTOUCHED: float32 [3, 4] {{\[\[}}0.0, 0.0, 0.0, 0.0],
// RUN: ember-run %S/../Inputs/bag.mlir @%t/table.npy @%t/indices.npy \
// RUN:   @%t/offsets.npy @%t/out.npy --save=3:%t/out.npy
// RUN: %npy compare %t/out.npy %t/sums.npy

// Views, transposed or not, are saved as they look.
// RUN: ember-run %s --entry=every_second @%t/table.npy --save-result=0:%t/view.npy \
// RUN:   | FileCheck %s --check-prefix=VIEW
// RUN: %npy print %t/view.npy | FileCheck %s --check-prefix=VIEWFILE
// VIEW: result 0: memref<?x2xf32, strided<[4, 2]>> [3, 2] = {{\[\[}}0, 2], [4, 6], [8, 10]]
// VIEWFILE: float32 [3, 2] {{\[\[}}0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]
func.func @every_second(%a: memref<?x4xf32>) -> memref<?x2xf32, strided<[4, 2]>> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x4xf32>
  %v = memref.subview %a[0, 0] [%n, 2] [1, 2]
      : memref<?x4xf32> to memref<?x2xf32, strided<[4, 2]>>
  return %v : memref<?x2xf32, strided<[4, 2]>>
}

// A function may allocate what it returns, and call others.
// RUN: ember-run %s --entry=iota 5 | FileCheck %s --check-prefix=IOTA
// RUN: ember-run %s --entry=iota 0 | FileCheck %s --check-prefix=EMPTY
// RUN: ember-run %s --entry=iota 100 --save-result=0:%t/iota.npy | FileCheck %s --check-prefix=LARGE
// RUN: %npy print %t/iota.npy | FileCheck %s --check-prefix=IOTAFILE
// IOTA: result 0: memref<?xi32> [5] = [0, 1, 2, 3, 4]
// EMPTY: result 0: memref<?xi32> [0] = []
// LARGE: result 0: memref<?xi32> [100] = [0, 1, 2, ..., 97, 98, 99]
// IOTAFILE: int32 [100] [0, 1, 2,
func.func private @fill(%a: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %a[%i] : memref<?xi32>
  }
  return
}
func.func @iota(%n: index) -> memref<?xi32> {
  %a = memref.alloc(%n) : memref<?xi32>
  call @fill(%a) : (memref<?xi32>) -> ()
  return %a : memref<?xi32>
}

// Fortran order and strided parameters.
// RUN: %npy make %t/fortran.npy f32 "np.asfortranarray(np.arange(12).reshape(3, 4))"
// RUN: ember-run %s --entry=pick @%t/fortran.npy 1 2 | FileCheck %s --check-prefix=PICK
// PICK: result 0: f32 = 6
func.func @pick(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %i: index, %j: index) -> f32 {
  %v = memref.load %a[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %v : f32
}

// The program may come from a pipe.
// RUN: cat %s | ember-run - --entry=iota 2 | FileCheck %s --check-prefix=PIPE
// PIPE: result 0: memref<?xi32> [2] = [0, 1]
