// Programs straight out of upstream's sparsifier go through the three pipelines
// by pipe, and compute what NumPy computes; both with storage specifiers and in
// the form in which they are lowered to structs.

// RUN: %npy make %t.pos.npy i32 "[0, 2, 2, 5]"
// RUN: %npy make %t.crd.npy i32 "[1, 3, 0, 1, 2]"
// RUN: %npy make %t.val.npy f64 "[1.5, -2, 3, 0.25, 4]"
// RUN: %npy make %t.spec.npy i64 "[3, 4, 4, 5, 5]"
// RUN: %npy make %t.b.npy f64 "np.arange(20).reshape(4, 5)"
// RUN: %npy make %t.x.npy f64 "[1, 10, 100, 1000]"
// RUN: %npy make %t.c.npy f64 "np.ones((3, 5))"
// RUN: %npy make %t.y.npy f64 "np.zeros(3)"
// RUN: %npy make %t.spmm.npy f64 "np.ones((3, 5)) + np.array([[0, 1.5, 0, -2], [0, 0, 0, 0], [3, 0.25, 4, 0]]) @ np.arange(20).reshape(4, 5)"
// RUN: %npy make %t.spmv.npy f64 "np.array([[0, 1.5, 0, -2], [0, 0, 0, 0], [3, 0.25, 4, 0]]) @ np.array([1, 10, 100, 1000])"

// RUN: mlir-opt --sparsification-and-bufferization %s -o %t.mlir
// RUN: ember-opt --scf-to-slc %t.mlir | ember-opt --optimize | ember-opt --slc-to-dlc > %t.dlc.mlir
// RUN: FileCheck %s --input-file=%t.dlc.mlir
// RUN: ember-run %t.dlc.mlir --entry=spmm @%t.pos.npy @%t.crd.npy @%t.val.npy @%t.spec.npy @%t.b.npy @%t.c.npy --save=5:%t.0.npy
// RUN: %npy compare %t.0.npy %t.spmm.npy
// RUN: cat %t.dlc.mlir | ember-run - --entry=spmv @%t.pos.npy @%t.crd.npy @%t.val.npy [3,4,4,5,5] @%t.x.npy @%t.y.npy --save-result=0:%t.1.npy
// RUN: %npy compare %t.1.npy %t.spmv.npy

// RUN: mlir-opt --sparsification-and-bufferization --sparse-storage-specifier-to-llvm %s -o %t.struct.mlir
// RUN: ember-opt --scf-to-slc %t.struct.mlir | ember-opt --optimize | ember-opt --slc-to-dlc | ember-run - --entry=spmm @%t.pos.npy @%t.crd.npy @%t.val.npy @%t.spec.npy @%t.b.npy @%t.c.npy --save=5:%t.2.npy
// RUN: %npy compare %t.2.npy %t.spmm.npy

// Every level of it runs.
// RUN: ember-run %t.mlir --entry=spmv @%t.pos.npy @%t.crd.npy @%t.val.npy @%t.spec.npy @%t.x.npy @%t.y.npy --save=5:%t.3.npy
// RUN: %npy compare %t.3.npy %t.spmv.npy
// RUN: ember-opt --scf-to-slc %t.mlir | ember-run - --entry=spmv @%t.pos.npy @%t.crd.npy @%t.val.npy @%t.spec.npy @%t.x.npy @%t.y.npy --save=5:%t.4.npy
// RUN: %npy compare %t.4.npy %t.spmv.npy
// RUN: ember-opt --scf-to-slc --optimize %t.mlir | ember-run - --entry=spmv @%t.pos.npy @%t.crd.npy @%t.val.npy @%t.spec.npy @%t.x.npy @%t.y.npy --save=5:%t.5.npy
// RUN: %npy compare %t.5.npy %t.spmv.npy

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32
}>
#spmm = {
  indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                   affine_map<(i, j, k) -> (k, j)>,
                   affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
#spmv = {
  indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>,
                   affine_map<(i, k) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}

// CHECK-LABEL: func.func @spmm(
// CHECK: dlc.program
// CHECK-COUNT-3: dlc.new_tu
// CHECK: dlc.compute_loop
func.func @spmm(%a: tensor<?x?xf64, #CSR>, %b: tensor<?x?xf64>,
                %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = linalg.generic #spmm
      ins(%a, %b : tensor<?x?xf64, #CSR>, tensor<?x?xf64>)
      outs(%c : tensor<?x?xf64>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      %m = arith.mulf %x, %y : f64
      %s = arith.addf %z, %m : f64
      linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}

// CHECK-LABEL: func.func @spmv(
// CHECK: dlc.program
// CHECK-COUNT-2: dlc.new_tu
// CHECK: dlc.compute_loop
func.func @spmv(%a: tensor<?x?xf64, #CSR>, %b: tensor<?xf64>,
                %c: tensor<?xf64>) -> tensor<?xf64> {
  %0 = linalg.generic #spmv
      ins(%a, %b : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%c : tensor<?xf64>) {
    ^bb0(%x: f64, %y: f64, %z: f64):
      %m = arith.mulf %x, %y : f64
      %s = arith.addf %z, %m : f64
      linalg.yield %s : f64
  } -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
