// Offsets far behind all indices are that error at every level: long segments are
// reduced in pieces, whose results would not fit any memory then.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/positions.npy i64 "[0, 2, 2**61]"
// RUN: %npy make %t/columns.npy i64 "[0, 1, 0]"
// RUN: %npy make %t/rows.npy f32 "np.ones((2, 15))"
// RUN: %npy make %t/out.npy f32 "np.zeros((2, 15))"
// RUN: not ember-run %s -O0 @%t/positions.npy @%t/columns.npy @%t/rows.npy @%t/out.npy 2>&1 | FileCheck %s
// RUN: not ember-run %s -O1 @%t/positions.npy @%t/columns.npy @%t/rows.npy @%t/out.npy 2>&1 | FileCheck %s
// RUN: not ember-run %s -O3 @%t/positions.npy @%t/columns.npy @%t/rows.npy @%t/out.npy 2>&1 | FileCheck %s
// RUN: not ember-sim %s @%t/positions.npy @%t/columns.npy @%t/rows.npy @%t/out.npy 2>&1 | FileCheck %s
// CHECK: error: index 2305843009213693952 at position 2 of 'positions' is out of range for dimension 0 of 'columns' of size 3
func.func @rows(%positions: memref<?xi64> {ember.name = "positions"}, %columns: memref<?xi64> {ember.name = "columns"},
                %rows: memref<?x15xf32>, %out: memref<2x15xf32>) {
  embed.spmm sum csr(%positions, %columns : memref<?xi64>, memref<?xi64>)
      dense(%rows : memref<?x15xf32>) outs(%out : memref<2x15xf32>)
  return
}
