// Of a chain of values that are the same in all iterations, and that may not be
// computed in front of the loop, each with the one before it twice, LLVM's
// vectoriser comes to no end: it leaves such loops out.
// RUN: %npy make %t.a.npy f32 "[-1]" && %npy make %t.b.npy f32 "np.zeros(64)" && %npy make %t.expected.npy f32 "np.ones(64)"
// RUN: ember-run %s --entry=chain @%t.a.npy @%t.b.npy --save=1:%t.got.npy -O3 --may-alias
// RUN: %npy compare %t.got.npy %t.expected.npy
// RUN: emberc %s --emit=llvm -O3 --may-alias -o - | FileCheck %s
// CHECK: llvm.loop.vectorize.enable

func.func @chain(%a: memref<1xf32>, %b: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %0 = memref.load %a[%c0] : memref<1xf32>
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.mulf %3, %3 : f32
    %5 = arith.mulf %4, %4 : f32
    %6 = arith.mulf %5, %5 : f32
    %7 = arith.mulf %6, %6 : f32
    %8 = arith.mulf %7, %7 : f32
    %9 = arith.mulf %8, %8 : f32
    %10 = arith.mulf %9, %9 : f32
    %11 = arith.mulf %10, %10 : f32
    %12 = arith.mulf %11, %11 : f32
    %13 = arith.mulf %12, %12 : f32
    %14 = arith.mulf %13, %13 : f32
    %15 = arith.mulf %14, %14 : f32
    %16 = arith.mulf %15, %15 : f32
    %17 = arith.mulf %16, %16 : f32
    %18 = arith.mulf %17, %17 : f32
    %19 = arith.mulf %18, %18 : f32
    %20 = arith.mulf %19, %19 : f32
    %21 = arith.mulf %20, %20 : f32
    %22 = arith.mulf %21, %21 : f32
    %23 = arith.mulf %22, %22 : f32
    %24 = arith.mulf %23, %23 : f32
    %25 = arith.mulf %24, %24 : f32
    %26 = arith.mulf %25, %25 : f32
    %27 = arith.mulf %26, %26 : f32
    %28 = arith.mulf %27, %27 : f32
    %29 = arith.mulf %28, %28 : f32
    %30 = arith.mulf %29, %29 : f32
    %31 = arith.mulf %30, %30 : f32
    %32 = arith.mulf %31, %31 : f32
    %33 = arith.mulf %32, %32 : f32
    %34 = arith.mulf %33, %33 : f32
    %35 = arith.mulf %34, %34 : f32
    %36 = arith.mulf %35, %35 : f32
    %37 = arith.mulf %36, %36 : f32
    %38 = arith.mulf %37, %37 : f32
    %39 = arith.mulf %38, %38 : f32
    %40 = arith.mulf %39, %39 : f32
    %41 = arith.mulf %40, %40 : f32
    %42 = arith.mulf %41, %41 : f32
    %43 = arith.mulf %42, %42 : f32
    %44 = arith.mulf %43, %43 : f32
    %45 = arith.mulf %44, %44 : f32
    %46 = arith.mulf %45, %45 : f32
    %47 = arith.mulf %46, %46 : f32
    %48 = arith.mulf %47, %47 : f32
    memref.store %48, %b[%i] : memref<64xf32>
  }
  return
}
