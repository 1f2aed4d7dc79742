// From operations on tensors to loops over memrefs: what the caller gives is
// overwritten, what the function makes is returned.

// RUN: split-file %s %t
// RUN: ember-opt --embed-to-scf %t/programs.mlir | FileCheck %s --implicit-check-not="tensor<"
// RUN: %npy make %t.x.npy f32 "[[1, 2], [3, 4], [5, 6]]"
// RUN: %npy make %t.i.npy i64 "[2, 0, 1]"
// RUN: %npy make %t.s.npy i64 "[0, 2, 2, 3]"
// RUN: ember-run %t/programs.mlir --entry=made @%t.x.npy @%t.i.npy @%t.s.npy | FileCheck %s --check-prefix=MADE
// RUN: ember-run %t/programs.mlir --entry=two_hops --print=0 @%t.x.npy @%t.i.npy @%t.s.npy | FileCheck %s --check-prefix=HOPS
// RUN: ember-run %t/programs.mlir --entry=two_hops --print=0 --target=dae-threads @%t.x.npy @%t.i.npy @%t.s.npy | FileCheck %s --check-prefix=HOPS
// RUN: ember-run %t/programs.mlir --entry=rounds @%t.x.npy @%t.i.npy @%t.s.npy 2 | FileCheck %s --check-prefix=ROUNDS
// RUN: ember-run %t/programs.mlir --entry=rounds @%t.x.npy @%t.i.npy @%t.s.npy 0 | FileCheck %s --check-prefix=NONE
// RUN: ember-run %t/programs.mlir --entry=layer --print=3 --target=cpu @%t.x.npy @%t.i.npy @%t.s.npy @%t.x.npy | FileCheck %s --check-prefix=LAYER
// RUN: not ember-opt --embed-to-scf %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:
// RUN: not emberc %t/unknown.mlir --no-cache -o %t.so 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=error:

//--- programs.mlir
// The caller gave the memory of the result.

// CHECK-LABEL: func.func @given(
// CHECK-SAME: %[[O:[a-z0-9]+]]: memref<?x2xf32> {ember.name = "out"}) {
// CHECK-NOT: memref.alloc
// CHECK: memref.store %{{.*}}, %[[O]]
// CHECK: return{{$}}
func.func @given(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                 %o: tensor<?x2xf32> {ember.name = "out"}) -> tensor<?x2xf32> {
  %0 = embed.bag sum tables(%x : tensor<?x2xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi64>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// Nobody did.

// CHECK-LABEL: func.func @made(
// CHECK-SAME: -> memref<?x2xf32> {
// CHECK: %[[O:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?x2xf32>
// CHECK-NOT: memref.dealloc
// CHECK: return %[[O]]
// MADE: result 0: memref<?x2xf32> [3, 2] = {{\[\[}}6, 8], [0, 0], [3, 4]]
func.func @made(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>)
    -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ends = tensor.dim %s, %c0 : tensor<?xi64>
  %bags = arith.subi %ends, %c1 : index
  %o = tensor.empty(%bags) : tensor<?x2xf32>
  %0 = embed.bag sum tables(%x : tensor<?x2xf32>) indices(%i : tensor<?xi64>)
      offsets(%s : tensor<?xi64>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// Operations in a row: what is between them is freed, and an operand that is
// overwritten although it is read is copied first.

// CHECK-LABEL: func.func @two_hops(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x2xf32>, %{{.*}}: memref<?xi64>, %{{.*}}: memref<?xi64>) {
// CHECK: %[[HOP:.*]] = memref.alloc(
// CHECK: memref.dealloc %[[HOP]]
// HOPS: argument 0: memref<?x2xf32> [3, 2] = {{\[\[}}9, 12], [0, 0], [0, 0]]
func.func @two_hops(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>)
    -> tensor<?x2xf32> {
  %0 = embed.spmm sum csr(%s, %i : tensor<?xi64>, tensor<?xi64>)
      dense(%x : tensor<?x2xf32>) outs(%x : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = embed.spmm sum csr(%s, %i : tensor<?xi64>, tensor<?xi64>)
      dense(%0 : tensor<?x2xf32>) outs(%x : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// In a loop, the result of a round is the input of the next.

// CHECK-LABEL: func.func @rounds(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: bufferization.
// ROUNDS: result 0: memref<?x2xf32> [3, 2] = {{\[\[}}9, 12], [0, 0], [0, 0]]
// NONE: result 0: memref<?x2xf32> [3, 2] = {{\[\[}}1, 2], [3, 4], [5, 6]]
func.func @rounds(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                  %n: index) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<?x2xf32>) {
    %rows = tensor.dim %y, %c0 : tensor<?x2xf32>
    %o = tensor.empty(%rows) : tensor<?x2xf32>
    %0 = embed.spmm sum csr(%s, %i : tensor<?xi64>, tensor<?xi64>)
        dense(%y : tensor<?x2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
    scf.yield %0 : tensor<?x2xf32>
  }
  return %last : tensor<?x2xf32>
}

// What is between embedding operations may be linalg.

// CHECK-LABEL: func.func @layer(
// LAYER: argument 3 'out': memref<?x2xf32> [3, 2] = {{\[\[}}-6, -8], [-0, -0], [-3, -4]]
func.func @layer(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                 %o: tensor<?x2xf32> {ember.name = "out"}) -> tensor<?x2xf32> {
  %0 = embed.spmm sum csr(%s, %i : tensor<?xi64>, tensor<?xi64>)
      dense(%x : tensor<?x2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = linalg.negf ins(%0 : tensor<?x2xf32>) outs(%0 : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

//--- unknown.mlir
func.func @negate(%x: tensor<?x2xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>,
                  %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = embed.spmm sum csr(%s, %i : tensor<?xi64>, tensor<?xi64>)
      dense(%x : tensor<?x2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  // UNKNOWN: unknown.mlir:6:{{[0-9]+}}: error: {{.*}}was not bufferized
  %1 = arith.negf %0 : tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}
