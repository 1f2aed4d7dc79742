// A function that the system's libraries do not have.

// RUN: %npy make %t.a.npy f32 "[1, 4, 0.25, -1]"
// RUN: ember-run %s @%t.a.npy --print=0 | FileCheck %s --check-prefix=ROOT
// ROOT: = [1, 0.5, 2, {{-?}}nan]

func.func @root(%a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
  %r = math.rsqrt %v : vector<4xf32>
  vector.store %r, %a[%c0] : memref<4xf32>, vector<4xf32>
  return
}
