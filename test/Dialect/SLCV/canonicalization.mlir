// RUN: ember-opt %s --canonicalize | FileCheck %s

// Streams and callbacks without a reader or an effect go; loops stay, and so
// does everything that fills a buffer.

// CHECK-LABEL: func.func @unread(
// CHECK: slc.for
// CHECK-NEXT: %[[BUF:.*]] = slcv.buf_str
// CHECK-NEXT: slcv.vec_for (%[[E:.*]], %[[M:.*]]) =
// CHECK-NEXT: %[[V:.*]] = slcv.vec_mem_str %{{.*}}[%{{.*}}, %[[E]]] mask %[[M]] contiguous
// CHECK-NEXT: slcv.push %[[V]], %[[BUF]]
// CHECK-NEXT: }
// CHECK-NEXT: slc.callback end {
func.func @unread(%n: index, %in: memref<?x?xf32>, %out: memref<?xvector<4xf32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %buf = slcv.buf_str : !slc.buffer<vector<4xf32>>
    slcv.vec_for (%e, %mask) = %c0 to %n step %c1 vector<4> {
      %v = slcv.vec_mem_str %in[%i, %e] mask %mask contiguous : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %unread = slcv.vec_mem_str %in[%c0, %e] mask %mask : memref<?x?xf32>[index, !slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      %next = slcv.vec_alu_str add %e, %c1 : !slc.stream<vector<4xindex>>, index -> !slc.stream<vector<4xindex>>
      slcv.push %v, %buf : !slc.stream<vector<4xf32>>, !slc.buffer<vector<4xf32>>
      slc.callback ite {
        %x = slc.str_to_val %v : !slc.stream<vector<4xf32>> -> vector<4xf32>
      }
    }
    slc.callback end {
      %row = slc.str_to_val %buf : !slc.buffer<vector<4xf32>> -> memref<?xvector<4xf32>>
      %x = memref.load %row[%c0] : memref<?xvector<4xf32>>
      memref.store %x, %out[%c0] : memref<?xvector<4xf32>>
    }
  }
  return
}
