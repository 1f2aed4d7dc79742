// A sum and its product are rounded at once and then negated: the negative
// product less the summand is another zero.
// RUN: emberc %s --emit=asm --mtriple=aarch64-linux-gnu --mcpu=generic -O0 -o - | FileCheck %s
// RUN: emberc %s --emit=asm --mtriple=aarch64-linux-gnu --mcpu=generic -O3 -o - | FileCheck %s
// CHECK-NOT: fnmadd
// CHECK: fmadd
// CHECK-NOT: fnmadd
func.func @negate(%a: memref<1xf32>, %b: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<1xf32>
  %y = memref.load %b[%c0] : memref<1xf32>
  %sum = math.fma %x, %y, %y : f32
  %negative = arith.negf %sum : f32
  memref.store %negative, %b[%c0] : memref<1xf32>
  return
}
