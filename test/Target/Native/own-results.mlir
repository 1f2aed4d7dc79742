// RUN: ember-opt %s --own-results | FileCheck %s
// RUN: ember-run %s 3 --entry=twice --target=cpu | FileCheck %s --check-prefix=TWICE
// RUN: ember-run %s --entry=constant --target=cpu | FileCheck %s --check-prefix=CONSTANT
// RUN: emberc %s -o %t.so
// RUN: %python %S/Inputs/own-results.py %t.so

memref.global "private" constant @numbers : memref<3xf32> = dense<[1.0, 2.0, 3.0]>

// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (%[[X:.*]]: memref<?xf32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         %[[FIRST:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         memref.copy %[[X]], %[[FIRST]]
// CHECK:         %[[SECOND:.*]] = memref.alloc
// CHECK:         memref.copy %[[X]], %[[SECOND]]
// CHECK:         return %[[FIRST]], %[[SECOND]]
func.func @argument(%x: memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) {
  return %x, %x : memref<?xf32>, memref<?xf32>
}

// CHECK-LABEL: func.func @constant
// CHECK:         memref.copy
// CONSTANT: result 0: memref<3xf32> [3] = [1, 2, 3]
func.func @constant() -> memref<3xf32> {
  %0 = memref.get_global @numbers : memref<3xf32>
  return %0 : memref<3xf32>
}

// A view is of the same memory, and what is returned first needs no copy.

// CHECK-LABEL: func.func @twice
// CHECK:         %[[ALLOC:.*]] = memref.alloc
// CHECK:         %[[COPY:.*]] = memref.alloc
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[COPY]] to offset: [0], sizes: [%{{.*}}], strides: [2]
// CHECK:         memref.copy %{{.*}}, %[[VIEW]]
// CHECK:         return %[[ALLOC]], %[[VIEW]]
// TWICE: result 0: memref<?xi64> [3] = [7, 7, 7]
// TWICE: result 1: memref<?xi64, strided<[2]>> [2] = [7, 7]
func.func @twice(%n: index) -> (memref<?xi64>, memref<?xi64, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i64
  %all = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %seven, %all[%i] : memref<?xi64>
  }
  %view = memref.subview %all[0] [%c2] [2] : memref<?xi64> to memref<?xi64, strided<[2]>>
  return %all, %view : memref<?xi64>, memref<?xi64, strided<[2]>>
}

// Each branch hands on memory of its own.

// CHECK-LABEL: func.func @branches
// CHECK:         scf.if
// CHECK:           %[[COPY:.*]] = memref.alloc
// CHECK:           memref.copy
// CHECK:           scf.yield %[[COPY]]
// CHECK:         else
// CHECK-NEXT:      %[[ALLOC:.*]] = memref.alloc
// CHECK-NOT:       memref.copy
// CHECK:           scf.yield %[[ALLOC]]
// CHECK:         return
func.func @branches(%x: memref<?xf32>, %c: i1, %n: index) -> memref<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> memref<?xf32> {
    scf.yield %x : memref<?xf32>
  } else {
    %0 = memref.alloc(%n) : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %0[%i] : memref<?xf32>
    }
    scf.yield %0 : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// Functions inside hand on what they like.

// CHECK-LABEL: func.func private @inside
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func private @inside(%x: memref<?xf32>) -> memref<?xf32> {
  return %x : memref<?xf32>
}
func.func private @fresh(%n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  return %0 : memref<?xf32>
}

// CHECK-LABEL: func.func @calls
// CHECK:         %[[SAME:.*]] = call @inside
// CHECK:         %[[FRESH:.*]] = call @fresh
// CHECK:         memref.copy %[[SAME]], %[[COPY:.*]] :
// CHECK:         return %[[COPY]], %[[FRESH]]
func.func @calls(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?xf32>) {
  %0 = call @inside(%x) : (memref<?xf32>) -> memref<?xf32>
  %1 = call @fresh(%n) : (index) -> memref<?xf32>
  return %0, %1 : memref<?xf32>, memref<?xf32>
}
