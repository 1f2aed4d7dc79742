// What is stored without gaps is lowered in the order of loops that --cin-concretize makes.
// RUN: ember-opt %s --convert-cin-to-scf --verify-diagnostics

func.func @not_in_order(%m: memref<?xi1>, %x: memref<?x?xf32>, %y: memref<?x?xf32>, %n: memref<1xi64>) {
  cin.evaluate ins(%M = %m, %A = %x : memref<?xi1>, memref<?x?xf32>) outs(%out = %y, %count = %n : memref<?x?xf32>, memref<1xi64>) attributes {names = ["M", "A", "y", "n"]} {
    %kept = cin.compact %out counted %count : memref<?x?xf32>, memref<1xi64>
    cin.forall (%r, %p) {
      %c = cin.access %M[%p] : memref<?xi1>
      %v = cin.access %A[%r, %p] : memref<?x?xf32>
      // expected-error @below {{assigns to y, which is stored without gaps, in loops that are in no order: run --cin-concretize first}}
      cin.assign %v to %kept[%r, %p] where %c : memref<?x?xf32>
    }
  }
  return
}
