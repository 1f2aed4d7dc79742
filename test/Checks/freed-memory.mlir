// Memory that is freed twice, used afterwards, or not the function's own.
// RUN: ember-opt --refuse-unsupported --split-input-file --verify-diagnostics %s

func.func @kept(%n: index, %b: memref<?xf32>, %condition: i1) {
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %b, %t : memref<?xf32> to memref<?xf32>
  scf.if %condition {
    memref.dealloc %t : memref<?xf32>
  } else {
    memref.dealloc %t : memref<?xf32>
  }
  return
}

func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloc(%n) : memref<?xf32>
    memref.dealloc %t : memref<?xf32>
  }
  return
}

func.func private @takes_over(%t: memref<?xf32>) {
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

func.func @twice(%n: index) {
  %t = memref.alloc(%n) : memref<?xf32>
  // expected-note@+1 {{here}}
  memref.dealloc %t : memref<?xf32>
  // expected-error@+1 {{frees memory that was freed before}}
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

func.func @used(%n: index, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc(%n) : memref<?xf32>
  %view = memref.subview %t[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  // expected-note@+1 {{here}}
  memref.dealloc %t : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{uses memory that was freed before}}
    %x = memref.load %view[%i] : memref<?xf32, strided<[1]>>
    memref.store %x, %b[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @caller(%b: memref<?xf32>) {
  // expected-error@+1 {{frees memory that is its caller's: only what a function allocates is freed by it}}
  memref.dealloc %b : memref<?xf32>
  return
}

// -----

func.func @stack(%n: index) {
  %t = memref.alloca(%n) : memref<?xf32>
  // expected-error@+1 {{frees memory that is the stack's}}
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

memref.global "private" constant @table : memref<2xf32> = dense<1.0>

func.func @constant() {
  %t = memref.get_global @table : memref<2xf32>
  // expected-error@+1 {{frees memory that is the module's}}
  memref.dealloc %t : memref<2xf32>
  return
}

// -----

func.func @repeated(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@+1 {{frees the same memory in each iteration of a loop}}
    memref.dealloc %t : memref<?xf32>
  }
  return
}
