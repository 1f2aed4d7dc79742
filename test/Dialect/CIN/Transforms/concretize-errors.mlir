// RUN: ember-opt %s --cin-concretize --verify-diagnostics

func.func @neighbours(%x: memref<?xf32>, %y: memref<?xf32>) {
  cin.evaluate ins(%in = %x : memref<?xf32>) outs(%out = %y : memref<?xf32>) attributes {names = ["x", "y"]} {
    cin.forall (%i) {
      %next = cin.apply affine_map<(d0) -> (d0 + 1)>(%i)
      // expected-error @below {{reads another element of y than the one that the statement assigns to: assign to another array, and to y in a statement behind it}}
      %after = cin.access %out[%next] : memref<?xf32>
      %mine = cin.access %in[%i] : memref<?xf32>
      %sum = cin.call add(%after, %mine) : (f32, f32) -> f32
      cin.assign %sum to %out[%i] : memref<?xf32>
    }
  }
  return
}
