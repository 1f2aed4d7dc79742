// RUN: ember-opt --cin-fuse --verify-diagnostics %s | FileCheck %s

// Only the temporary says how many values there are.
// CHECK: cin.temporary
// CHECK: cin.access %{{.*}}[%{{.*}}] : memref<4xf32>
func.func @sum(%b: memref<f32>) {
  cin.evaluate outs(%y = %b : memref<f32>) {
    %t = cin.temporary : memref<4xf32>
    cin.forall (%i) {
      %two = cin.literal 2.0 : f32
      // expected-remark @+1 {{a temporary stays in memory: what reads it would read what it assigns to, or have a variable of which nothing says how many values it has}}
      cin.assign %two to %t[%i] : memref<4xf32>
    }
    cin.forall () {
      %sum = cin.reduce add (%i) -> f32 {
        %e = cin.access %t[%i] : memref<4xf32>
        cin.yield %e : f32
      }
      cin.assign %sum to %y[] : memref<f32>
    }
  }
  return
}
