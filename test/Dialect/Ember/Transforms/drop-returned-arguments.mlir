// RUN: ember-opt --drop-returned-arguments %s | FileCheck %s

// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[N:.*]]: index) -> index {
// CHECK: return %[[N]] : index
func.func @argument(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, index) {
  return %x, %n : memref<?xf32>, index
}

// CHECK-LABEL: func.func @cast(
// CHECK-SAME: %{{.*}}: memref<4xf32>) {
// CHECK: return{{$}}
func.func @cast(%x: memref<4xf32>) -> memref<?xf32> {
  %y = memref.cast %x : memref<4xf32> to memref<?xf32>
  return %y : memref<?xf32>
}

// Memory that the function makes goes to the caller.

// CHECK-LABEL: func.func @made(
// CHECK-SAME: -> memref<?xf32> {
func.func @made(%n: index) -> memref<?xf32> {
  %x = memref.alloc(%n) : memref<?xf32>
  return %x : memref<?xf32>
}

// Callers in the module use the result.

// CHECK-LABEL: func.func @called(
// CHECK-SAME: -> memref<?xf32> {
func.func @called(%x: memref<?xf32>) -> memref<?xf32> {
  return %x : memref<?xf32>
}
func.func @caller(%x: memref<?xf32>) {
  %y = func.call @called(%x) : (memref<?xf32>) -> memref<?xf32>
  return
}

// CHECK-LABEL: func.func private @declared(
// CHECK-SAME: -> memref<?xf32>
func.func private @declared(%x: memref<?xf32>) -> memref<?xf32>
