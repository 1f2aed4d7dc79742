// Vectors of bits and of half bytes in memory where an element takes a byte.

// RUN: %npy make %t.a.npy i1 "[1, 0, 1, 1, 0, 1, 0, 0, 1, 1]"
// RUN: %npy make %t.z.npy i1 "[0] * 10"
// DEFINE: %{entry} =
// DEFINE: %{all} = ember-run %s --entry=%{entry} -O0 @%t.a.npy @%t.z.npy 1 --print=1 | FileCheck %s --check-prefix=%{entry} \
// DEFINE:   && ember-run %s --entry=%{entry} -O3 @%t.a.npy @%t.z.npy 1 --print=1 | FileCheck %s --check-prefix=%{entry}
// REDEFINE: %{entry} = plain
// RUN: %{all}
// REDEFINE: %{entry} = transfer
// RUN: %{all}
// REDEFINE: %{entry} = inside
// RUN: %{all}
// REDEFINE: %{entry} = masked
// RUN: %{all}
// REDEFINE: %{entry} = full
// RUN: %{all}
// plain: = [false, false, true, true, false, true, false, false, true, false]
// transfer: = [false, false, true, true, false, true, false, false, true, false]
// inside: = [false, false, true, true, false, true, false, false, true, false]
// masked: = [false, false, true, true, false, true, false, false, false, false]
// full: = [false, false, true, true, false, true, false, false, true, false]

// RUN: %npy make %t.i8.npy i8 "[1, -8, 7, 3, -1, 0, 5, 2, -3]"
// RUN: %npy make %t.i8z.npy i8 "[0] * 9"
// RUN: ember-run %s --entry=nibbles -O0 @%t.i8.npy @%t.i8z.npy --print=1 | FileCheck %s --check-prefix=NIBBLES
// RUN: ember-run %s --entry=nibbles -O3 @%t.i8.npy @%t.i8z.npy --print=1 | FileCheck %s --check-prefix=NIBBLES
// NIBBLES: = [1, -8, 7, 3, -1, 0, 5, 2, -3]

func.func @plain(%a: memref<?xi1>, %b: memref<?xi1>, %i: index) {
  %v = vector.load %a[%i] : memref<?xi1>, vector<8xi1>
  vector.store %v, %b[%i] : memref<?xi1>, vector<8xi1>
  return
}

func.func @transfer(%a: memref<?xi1>, %b: memref<?xi1>, %i: index) {
  %p = arith.constant false
  %v = vector.transfer_read %a[%i], %p : memref<?xi1>, vector<8xi1>
  vector.transfer_write %v, %b[%i] : vector<8xi1>, memref<?xi1>
  return
}

func.func @inside(%a: memref<?xi1>, %b: memref<?xi1>, %i: index) {
  %p = arith.constant false
  %v = vector.transfer_read %a[%i], %p {in_bounds = [true]} : memref<?xi1>, vector<8xi1>
  vector.transfer_write %v, %b[%i] {in_bounds = [true]} : vector<8xi1>, memref<?xi1>
  return
}

func.func @masked(%a: memref<?xi1>, %b: memref<?xi1>, %i: index) {
  %c5 = arith.constant 5 : index
  %m = vector.create_mask %c5 : vector<8xi1>
  %p = arith.constant dense<false> : vector<8xi1>
  %v = vector.maskedload %a[%i], %m, %p : memref<?xi1>, vector<8xi1>, vector<8xi1> into vector<8xi1>
  vector.maskedstore %b[%i], %m, %v : memref<?xi1>, vector<8xi1>, vector<8xi1>
  return
}

func.func @full(%a: memref<?xi1>, %b: memref<?xi1>, %i: index) {
  %m = arith.constant dense<true> : vector<8xi1>
  %v = vector.maskedload %a[%i], %m, %m : memref<?xi1>, vector<8xi1>, vector<8xi1> into vector<8xi1>
  vector.maskedstore %b[%i], %m, %v : memref<?xi1>, vector<8xi1>, vector<8xi1>
  return
}

// Narrow elements written one by one and read as a vector, and the other way.
func.func @nibbles(%a: memref<9xi8>, %b: memref<9xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %narrow = memref.alloca() : memref<9xi4>
  %again = memref.alloca() : memref<9xi4>
  scf.for %i = %c0 to %c9 step %c1 {
    %x = memref.load %a[%i] : memref<9xi8>
    %n = arith.trunci %x : i8 to i4
    memref.store %n, %narrow[%i] : memref<9xi4>
  }
  %v = vector.load %narrow[%c0] : memref<9xi4>, vector<9xi4>
  vector.store %v, %again[%c0] : memref<9xi4>, vector<9xi4>
  scf.for %i = %c0 to %c9 step %c1 {
    %n = memref.load %again[%i] : memref<9xi4>
    %x = arith.extsi %n : i4 to i8
    memref.store %x, %b[%i] : memref<9xi8>
  }
  return
}
