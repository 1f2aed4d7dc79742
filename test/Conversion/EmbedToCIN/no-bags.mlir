// RUN: ember-opt %s --embed-to-cin | FileCheck %s

// Of a result without rows, no table has columns.

// CHECK-LABEL: func.func @tensors
// CHECK-SAME: %[[OUT:arg[0-9]+]]: tensor<0x5xf32>)
// CHECK-COUNT-2: tensor.empty
// CHECK: return %[[OUT]]
func.func @tensors(%a: tensor<?x2xf32>, %b: tensor<?x3xf32>, %i: tensor<?xi64>, %s: tensor<?xi64>, %out: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = embed.bag sum tables(%a, %b : tensor<?x2xf32>, tensor<?x3xf32>) indices(%i : tensor<?xi64>) offsets(%s : tensor<?xi64>) outs(%out : tensor<0x5xf32>) -> tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}

// CHECK-LABEL: func.func @memory
// CHECK-NOT: memref.subview
// CHECK: return
func.func @memory(%a: memref<?x2xf32>, %b: memref<?x3xf32>, %i: memref<?xi64>, %s: memref<?xi64>, %out: memref<0x5xf32>) {
  embed.bag sum tables(%a, %b : memref<?x2xf32>, memref<?x3xf32>) indices(%i : memref<?xi64>) offsets(%s : memref<?xi64>) outs(%out : memref<0x5xf32>)
  return
}
