// RUN: ember-opt --split-input-file --verify-diagnostics --cin-expand-temporaries %s

#list = #cin.format<compressed fill 0.0 : f32>

func.func @read_first(%b: memref<4xf32>) {
  cin.evaluate outs(%y = %b : memref<4xf32>) {
    %t = cin.temporary {name = "t"} : !cin.array<4xf32, #list>
    cin.forall (%i) {
      // expected-error @+1 {{reads t, a temporary, before anything is assigned to it: it has no initial value}}
      %e = cin.access %t[%i] : !cin.array<4xf32, #list>
      cin.assign %e to %y[%i] : memref<4xf32>
    }
    cin.forall (%i) {
      %e = cin.access %y[%i] : memref<4xf32>
      cin.assign %e to %t[%i] : !cin.array<4xf32, #list>
    }
  }
  return
}
