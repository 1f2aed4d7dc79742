// RUN: ember-opt %s --split-input-file --emit-kernel-entries --verify-diagnostics

// expected-error @+1 {{argument 1 of type 'memref<*xf32>' cannot be passed to a kernel}}
func.func @unranked(%i: index, %a: memref<*xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 of type 'tensor<?xf32>' cannot be passed to a kernel}}
func.func @tensor(%t: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{result 0 of type 'memref<*xf32>' cannot be returned by a kernel}}
func.func @result(%a: memref<?xf32>) -> memref<*xf32> {
  %r = memref.cast %a : memref<?xf32> to memref<*xf32>
  return %r : memref<*xf32>
}

// -----

// expected-error @+1 {{argument 0 of type 'memref<?xf32, 1>' cannot be passed to a kernel}}
func.func @other_memory(%x: memref<?xf32, 1>) {
  return
}
