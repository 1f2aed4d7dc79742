// Between slc-vectorize and vectorize-callbacks a program has no meaning of its
// own: conversions refuse it.
// RUN: not ember-opt %s --convert-slc-to-scf 2>&1 | FileCheck %s
// RUN: not ember-opt %s --slc-to-dlc 2>&1 | FileCheck %s
// RUN: not emberc %s --emit=obj -o %t.o --target=dae-threads 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not ember-run %s @%t.npy @%t.npy 4 2>&1 | FileCheck %s --check-prefix=RUNS

// CHECK: scalar-views.mlir:[[#@LINE+9]]:{{.*}} error: 'slcv.as_scalar' op shows lanes to a callback that is not vectorised yet
// CHECK-NOT: error
// LATER: error:
// RUNS: error:
func.func @store_twice(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
    %v = slcv.vec_mem_str %a[%e] mask %mask : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
    %se = slcv.as_scalar %e : !slc.stream<vector<4xindex>> to !slc.stream<index>
    %sv = slcv.as_scalar %v : !slc.stream<vector<4xf32>> to !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %se : !slc.stream<index> -> index
      %x = slc.str_to_val %sv : !slc.stream<f32> -> f32
      %i0 = slc.str_to_val %e[0] : !slc.stream<vector<4xindex>> -> index
      memref.store %x, %out[%i] : memref<?xf32>
      memref.store %x, %out[%i0] : memref<?xf32>
    }
  }
  return
}
