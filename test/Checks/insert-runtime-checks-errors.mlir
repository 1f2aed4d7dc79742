// RUN: ember-opt %s --split-input-file --insert-runtime-checks --verify-diagnostics

func.func @scalable(%a: memref<?xf32>, %i: index) -> vector<[4]xf32> {
  // expected-error @+1 {{accesses of scalable vectors cannot be checked}}
  %x = vector.load %a[%i] : memref<?xf32>, vector<[4]xf32>
  return %x : vector<[4]xf32>
}

// -----

func.func @reshape(%a: memref<?xf32>, %shape: memref<1xindex>) -> memref<?xf32> {
  // expected-error @+1 {{views shaped by a memref cannot be checked}}
  %v = memref.reshape %a(%shape) : (memref<?xf32>, memref<1xindex>) -> memref<?xf32>
  return %v : memref<?xf32>
}

// -----

func.func @gather(%a: memref<?xf32>, %i: vector<2x4xi32>, %m: vector<2x4xi1>, %p: vector<2x4xf32>) -> vector<2x4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{only gathers and scatters of one fixed dimension can be checked}}
  %x = vector.gather %a[%c0][%i], %m, %p : memref<?xf32>, vector<2x4xi32>, vector<2x4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return %x : vector<2x4xf32>
}
