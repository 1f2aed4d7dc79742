// Every form of loops is decoupled: linalg on memrefs, which the sparsifier
// leaves for what is dense, and parallel loops, which it makes if asked to.
// linalg on tensors is refused where it stands.

// RUN: split-file %s %t
// RUN: ember-opt --scf-to-slc %t/memrefs.mlir | FileCheck %s
// RUN: %npy make %t.x.npy f32 "[[1, 2, 3], [4, 5, 6]]"
// RUN: %npy make %t.y.npy f32 "np.ones(2)"
// RUN: ember-run %t/memrefs.mlir --entry=row_sums --print=1 @%t.x.npy @%t.y.npy | FileCheck %s --check-prefix=SUM
// RUN: ember-opt --scf-to-slc --optimize --slc-to-dlc %t/memrefs.mlir | ember-run - --entry=row_sums --print=1 @%t.x.npy @%t.y.npy | FileCheck %s --check-prefix=SUM
// RUN: %npy make %t.z.npy f32 "np.ones(3)"
// RUN: ember-opt --scf-to-slc --optimize --slc-to-dlc %t/memrefs.mlir | ember-run - --entry=column_sums --print=1 @%t.x.npy @%t.z.npy | FileCheck %s --check-prefix=COLUMNS
// RUN: not ember-opt --lower-to-native %t/tensors.mlir 2>&1 | FileCheck %s --check-prefix=TENSOR --implicit-check-not=error:
// RUN: not emberc %t/tensors.mlir --no-cache -o %t.so 2>&1 | FileCheck %s --check-prefix=TENSOR --implicit-check-not=error:

// CHECK-NOT: linalg
// CHECK-LABEL: func.func @row_sums(
// CHECK-COUNT-2: slc.for
// CHECK-LABEL: func.func @column_sums(
// CHECK-NOT: scf.
// CHECK-COUNT-2: slc.for
// SUM: [6, 15]
// COLUMNS: [5, 7, 9]

//--- memrefs.mlir
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
func.func @row_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.generic #rows ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %b, %a : f32
    linalg.yield %sum : f32
  }
  return
}

func.func @column_sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %columns = memref.dim %x, %c1 : memref<?x?xf32>
  scf.parallel (%j) = (%c0) to (%columns) step (%c1) {
    %sum = scf.parallel (%i) = (%c0) to (%rows) step (%c1) init (%zero) -> f32 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%left: f32, %right: f32):
        %next = arith.addf %left, %right : f32
        scf.reduce.return %next : f32
      }
    }
    memref.store %sum, %y[%j] : memref<?xf32>
  }
  return
}

//--- tensors.mlir
// What the sparsifier does not support stays linalg, between casts.
func.func @negate(%x: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x : memref<4xf32> to tensor<4xf32>
  // TENSOR: tensors.mlir:6:{{[0-9]+}}: error: 'linalg.negf' is not lowered to loops over memrefs; mlir-opt --sparsification-and-bufferization does that, where it supports the formats of the operands
  %n = linalg.negf ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  %first = tensor.extract %n[%c0] : tensor<4xf32>
  return %first : f32
}
