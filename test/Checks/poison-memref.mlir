// RUN: ember-opt %s --insert-runtime-checks | FileCheck %s
// RUN: ember-opt %s --lower-to-native="opt-level=1" -o /dev/null

// A memref that is not allocated yet stays poison: only numbers are frozen.

// CHECK-LABEL: func.func @memref_of_integers
// CHECK:         %[[NONE:.*]] = ub.poison : memref<8xi32>
// CHECK-NOT:     llvm.freeze
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]])
func.func @memref_of_integers(%n: index, %out: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = ub.poison : memref<8xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%row = %none) -> (memref<8xi32>) {
    scf.yield %out : memref<8xi32>
  }
  return
}

// CHECK-LABEL: func.func @memref_of_indices
// CHECK:         ub.poison : memref<31xindex>
// CHECK-NOT:     arith.index_cast
func.func @memref_of_indices(%n: index, %out: memref<31xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = ub.poison : memref<31xindex>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%row = %none) -> (memref<31xindex>) {
    scf.yield %out : memref<31xindex>
  }
  return
}
