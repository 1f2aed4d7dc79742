// RUN: ember-opt %s --convert-cin-to-scf --verify-diagnostics

func.func @encoded(%a: memref<?x?xi8>, %n: index, %y: memref<?xf32>) {
  cin.evaluate ins(%b = %a, %k = %n : memref<?x?xi8>, index) outs(%z = %y : memref<?xf32>)
      attributes {names = ["bytes", "n", "y"]} {
    %T = cin.assemble %b sizes(%k, %k) {name = "T"} : memref<?x?xi8>
      -> !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
    cin.forall (%i) {
      // expected-error @below {{reads an element of T, which is encoded: --cin-expand-encodings decodes it first}}
      %x = cin.access %T[%i, %i] : !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
      cin.assign %x to %z[%i] : memref<?xf32>
    }
  }
  return
}
