// Under --may-alias, what is stored may be an element of any argument.
// RUN: ember-opt %s --slc-vectorize="vector-length=8 may-alias" --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @arguments
// CHECK-NOT: slcv
func.func @arguments(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{the access to argument 0 may touch what the store to argument 1 writes in another iteration}}
  slc.for %e = %c0 to %n step %c1 {
    // expected-note @+1 {{here}}
    %v = slc.mem_str %in[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %out[%i] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: @declared_distinct
// CHECK: slcv.vec_for
func.func @declared_distinct(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = memref.distinct_objects %in, %out : memref<?xf32>, memref<?xf32>
  slc.for %e = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
    slc.callback ite {
      %i = slc.str_to_val %e : !slc.stream<index> -> index
      %x = slc.str_to_val %v : !slc.stream<f32> -> f32
      memref.store %x, %b[%i] : memref<?xf32>
    }
  }
  return
}
