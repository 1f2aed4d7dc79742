// RUN: emberc --emit=cin --notation 'out[b,e] = sum[p in pos[b]:pos[b+1] if I[p] != -1](W[I[p],e] * w[p])' | ember-opt --cin-to-scf | FileCheck %s --check-prefix=BAG
// BAG:      cf.assert %{{.*}}, "index e: dimension 1 of W and dimension 1 of out have different sizes"
// BAG:      scf.for
// BAG:        scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step
// BAG:          %[[KEPT:.*]] = arith.cmpi ne
// BAG-NEXT:     scf.if %[[KEPT]] {
// BAG:            scf.for
// BAG:              math.fma
// BAG-NEXT:         memref.store

// RUN: emberc --emit=cin --notation 'y[i] = sum[j if m[j] > 0](A[i,j] * x[j])' | ember-opt --cin-to-scf | FileCheck %s --check-prefix=VALUE
// VALUE:      scf.for
// VALUE:        scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (f32)
// VALUE:          %[[HOLDS:.*]] = arith.cmpf ogt
// VALUE-NEXT:     %[[AFTER:.*]] = scf.if %[[HOLDS]] -> (f32) {
// VALUE:            arith.mulf {{.*}} fastmath<contract>
// VALUE:            arith.addf {{.*}} fastmath<reassoc,contract>
// VALUE:          } else {
// VALUE-NEXT:       scf.yield %[[BEFORE]]

// RUN: emberc --emit=cin --notation 'y[b,e] = sum[p in q[b]:q[b+1]](W[I[p],e]) / 2' --type W:f16 --type y:f16 | ember-opt --cin-to-scf | FileCheck %s --check-prefix=WORKSPACE
// One workspace for all rows, in single precision.
// WORKSPACE:     %[[T:.*]] = memref.alloc(%{{.*}}) {{.*}}ember.name = "workspace", ember.scratch{{.*}} : memref<?xf32>
// WORKSPACE:     scf.for
// WORKSPACE:       memref.store %{{.*}}, %[[T]]
// WORKSPACE:       arith.truncf
// WORKSPACE:     memref.dealloc %[[T]]

// Statements on tensors are bufferised first.
// RUN: ember-opt %s --cin-to-scf | FileCheck %s
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME:  %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK:       scf.for
// CHECK:         memref.load %[[X]]
// CHECK:         memref.store %{{.*}}, %[[Y]]
func.func @tensors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = cin.evaluate ins(%X = %x : tensor<?xf32>) outs(%Y = %y : tensor<?xf32>) -> tensor<?xf32> {
    cin.forall (%i) {
      %a = cin.access %X[%i] : tensor<?xf32>
      %b = cin.call exp(%a) : (f32) -> f32
      cin.assign %b to %Y[%i] : tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}

// RUN: not ember-opt %s --convert-cin-to-scf 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: error: 'cin.evaluate' op is still on tensors; the pipeline 'cin-to-scf' bufferises it first
