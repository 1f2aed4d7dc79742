// RUN: ember-opt --embed-to-scf %s | FileCheck %s

// Functions may free memory of their own, beside what bufferisation frees. What
// is returned is the caller's.

// CHECK-LABEL: func.func @made(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @made(%table: memref<?x4xf32>, %ids: memref<?xi64>, %ends: memref<?xi64>,
                %n: index) -> memref<?x4xf32> {
  %0 = memref.alloc(%n) : memref<?x4xf32>
  embed.bag sum tables(%table : memref<?x4xf32>) indices(%ids : memref<?xi64>)
      offsets(%ends : memref<?xi64>) outs(%0 : memref<?x4xf32>)
  return %0 : memref<?x4xf32>
}

// CHECK-LABEL: func.func @local(
// CHECK: %[[LOCAL:.*]] = memref.alloc
// CHECK: memref.copy %[[LOCAL]]
// CHECK: memref.dealloc %[[LOCAL]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @local(%table: memref<?x4xf32>, %ids: memref<?xi64>, %ends: memref<?xi64>,
                 %n: index, %out: memref<?x4xf32>) {
  %0 = memref.alloc(%n) : memref<?x4xf32>
  embed.bag sum tables(%table : memref<?x4xf32>) indices(%ids : memref<?xi64>)
      offsets(%ends : memref<?xi64>) outs(%0 : memref<?x4xf32>)
  memref.copy %0, %out : memref<?x4xf32> to memref<?x4xf32>
  memref.dealloc %0 : memref<?x4xf32>
  return
}

// In a loop, each turn frees its own.

// CHECK-LABEL: func.func @turns(
// CHECK: scf.for
// CHECK: memref.alloc
// CHECK: memref.dealloc
// CHECK: }
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @turns(%table: memref<?x4xf32>, %ids: memref<?xi64>, %ends: memref<?xi64>,
                 %n: index, %out: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.alloc(%n) : memref<?x4xf32>
    embed.bag sum tables(%table : memref<?x4xf32>) indices(%ids : memref<?xi64>)
        offsets(%ends : memref<?xi64>) outs(%0 : memref<?x4xf32>)
    memref.copy %0, %out : memref<?x4xf32> to memref<?x4xf32>
    memref.dealloc %0 : memref<?x4xf32>
  }
  return
}
