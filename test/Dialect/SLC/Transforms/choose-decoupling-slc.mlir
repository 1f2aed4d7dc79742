// A nest that is decoupled already stays so in a loop that is none: the loop in
// its callback is the execute unit's.

// RUN: ember-opt %s --scf-to-slc | FileCheck %s
// RUN: ember-opt %s --choose-decoupling | FileCheck %s
// RUN: emberc %s --emit=scf | FileCheck %s --check-prefix=LOOPS
// CHECK-LABEL: func.func @kernel
// CHECK: scf.for
// CHECK: slc.for
// CHECK: slc.callback ite
// CHECK: scf.for
// CHECK-NOT: slc.callback
// LOOPS: scf.for
// LOOPS-NOT: slc.

func.func @kernel(%n: index, %rows: memref<?xindex>, %values: memref<?xf32>,
                  %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%begin = %c0) -> (index) {
    %end = memref.load %rows[%i] : memref<?xindex>
    %total = slc.for %p = %begin to %end step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = slc.mem_str %values[%p] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      %next = slc.callback ite -> (f32) {
        %x = slc.str_to_val %v : !slc.stream<f32> -> f32
        %power = scf.for %k = %c0 to %n step %c1 iter_args(%y = %x) -> (f32) {
          %w = memref.load %values[%k] : memref<?xf32>
          %z = arith.mulf %y, %w : f32
          scf.yield %z : f32
        }
        %s = arith.addf %sum, %power : f32
        slc.yield %s : f32
      }
      slc.yield %next : f32
    }
    memref.store %total, %out[%i] : memref<?xf32>
    scf.yield %end : index
  }
  return
}
