// RUN: ember-opt --embed-to-cin --cin-schedule --cin-insert-workspaces --cin-concretize --convert-cin-to-scf --canonicalize --cse %s | FileCheck %s

// CHECK-LABEL: func.func @csr(
// CHECK-SAME: %[[P:.*]]: memref<?xi32>, %[[C:.*]]: memref<?xi32>, %[[V:.*]]: memref<?xf32>, %[[X:.*]]: memref<?x8xf32>, %[[O:.*]]: memref<?x8xf32>)
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: memref.load %[[P]][%[[I]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK: memref.load %[[P]][%[[NEXT]]]
// CHECK: scf.for %[[E:.*]] =
// CHECK-DAG: memref.load %[[C]][%[[E]]]
// CHECK-DAG: %[[W:.*]] = memref.load %[[V]][%[[E]]]
// CHECK: scf.for %[[D:.*]] = %c0 to %c8
// CHECK: %[[ROW:.*]] = memref.load %[[X]]
// CHECK: math.fma %[[ROW]], %[[W]],
// CHECK: memref.store %{{.*}}, %[[O]][%[[I]], %[[D]]]
func.func @csr(%p: memref<?xi32>, %c: memref<?xi32>, %v: memref<?xf32>,
               %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.spmm sum csr(%p, %c : memref<?xi32>, memref<?xi32>)
      values(%v : memref<?xf32>) dense(%x : memref<?x8xf32>)
      outs(%o : memref<?x8xf32>)
  return
}

// Edges in any order come back to a row: sums stand in f32 and edges are
// counted until all are done.

// CHECK-LABEL: func.func @coo_mean(
// CHECK-SAME: %[[R:.*]]: memref<?xi32>, %[[C:.*]]: memref<?xi32>, %[[X:.*]]: memref<?x8xf16>, %[[O:.*]]: memref<?x8xf16>)
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?x8xf32>
// CHECK: %[[COUNTS:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?xindex>
// CHECK: scf.for %[[E:.*]] = %c0
// CHECK-DAG: memref.load %[[R]][%[[E]]]
// CHECK-DAG: memref.load %[[C]][%[[E]]]
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: memref.store %{{.*}}, %[[COUNTS]]
// CHECK: scf.for
// CHECK: memref.load %[[COUNTS]]
// CHECK: arith.divf
// CHECK: arith.truncf
// CHECK: memref.store %{{.*}}, %[[O]]
// CHECK-DAG: memref.dealloc %[[SUMS]] :
// CHECK-DAG: memref.dealloc %[[COUNTS]] :
func.func @coo_mean(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf16>,
                    %o: memref<?x8xf16>) {
  embed.spmm mean coo(%r, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x8xf16>) outs(%o : memref<?x8xf16>)
  return
}

// The order of a dot product is left open.

// CHECK-LABEL: func.func @sddmm(
// CHECK-SAME: %[[S:[a-z0-9]+]]: f32, %[[O:.*]]: memref<?xf32>)
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: arith.subf
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: %[[VALUE:.*]] = arith.maximumf %[[SUM]], %cst
// CHECK: %[[SCALED:.*]] = arith.mulf %[[VALUE]], %[[S]]
// CHECK: memref.store %[[SCALED]], %[[O]]
func.func @sddmm(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>,
                 %s: f32, %o: memref<?xf32>) {
  embed.sddmm edge(sub) activation(relu) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>) scale(%s : f32)
      outs(%o : memref<?xf32>)
  return
}

// Edge values are computed where they are used, once an edge, or with `vector`
// once an element.

// CHECK-LABEL: func.func @message(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[VALUE:.*]] = math.exp %[[SUM]]
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}}, %[[VALUE]],
// CHECK-LABEL: func.func @vector_message(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: scf.for
// CHECK: %[[VALUE:.*]] = math.exp
// CHECK: math.fma %{{.*}}, %[[VALUE]],
func.func @message(%r: memref<?xi32>, %c: memref<?xi32>, %x: memref<?x8xf32>,
                   %o: memref<?x8xf32>) {
  embed.message add edge(mul) activation(exp) csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}
func.func @vector_message(%r: memref<?xi32>, %c: memref<?xi32>,
                          %x: memref<?x8xf32>, %o: memref<?x8xf32>) {
  embed.message add edge(mul) vector activation(exp)
      csr(%r, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x8xf32>, memref<?x8xf32>)
      messages(%x : memref<?x8xf32>) outs(%o : memref<?x8xf32>)
  return
}
