// Code that is generated without care calls libm for what AArch64 has an
// instruction for; results are compared with those of this processor.
// RUN: %npy make %t.x.npy f32 "np.array([-3.5, -2.5, -0.5, 0.5, 1.5, 2.5, np.inf, np.nan])"
// RUN: %npy make %t.y.npy f64 "np.linspace(-9, 9, 8)"
// RUN: ember-sim %s --entry=run @%t.x.npy @%t.y.npy --cores=1 | FileCheck %s
// CHECK: 1 of 1 cores
func.func private @roundevenf(f32) -> f32
func.func private @trunc(f64) -> f64
func.func @run(%x: memref<8xf32>, %y: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %r = func.call @roundevenf(%a) : (f32) -> f32
    memref.store %r, %x[%i] : memref<8xf32>
    %b = memref.load %y[%i] : memref<8xf64>
    %t = func.call @trunc(%b) : (f64) -> f64
    memref.store %t, %y[%i] : memref<8xf64>
  }
  return
}
