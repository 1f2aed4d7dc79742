// RUN: ember-opt --split-input-file --verify-diagnostics --cin-concretize %s

func.func @read_first(%b: memref<?xf32>) {
  cin.evaluate outs(%y = %b : memref<?xf32>) {
    %t = cin.temporary {name = "t"} : memref<4xf32>
    cin.forall (%i) {
      // expected-error @+1 {{reads t, a temporary, before anything is assigned to it: it has no initial value}}
      %e = cin.access %t[%i] : memref<4xf32>
      cin.assign %e to %y[%i] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @in_part(%b: memref<?xf32>, %c: memref<?xf32>) {
  cin.evaluate ins(%x = %c : memref<?xf32>) outs(%y = %b : memref<?xf32>) {
    %t = cin.temporary : memref<4xf32>
    cin.forall (%i) {
      %e = cin.access %x[%i] : memref<?xf32>
      %zero = cin.literal 0.0 : f32
      %holds = cin.call gt(%e, %zero) : (f32, f32) -> i1
      // expected-error @+1 {{is the first that assigns to a temporary, a temporary without an initial value, and does not assign to each of its elements}}
      cin.assign %e to %t[%i] where %holds : memref<4xf32>
    }
  }
  return
}
