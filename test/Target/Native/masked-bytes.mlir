// LLVM 22 takes the move that clears the upper lanes of a mask for a copy of all of it.

// RUN: emberc %s --mcpu=x86-64-v4 --emit=llvm | FileCheck %s
// RUN: emberc %s --mcpu=x86-64-v3 --emit=llvm | FileCheck %s --check-prefix=NARROW

// CHECK-LABEL: @ember_kernel_masked(
// CHECK:         %[[MASK:.*]] = bitcast <8 x i1> %{{.*}} to i8
// CHECK:         %[[WIDE:.*]] = zext i8 %[[MASK]] to i32
// CHECK:         call i32 @llvm.x86.bmi.bzhi.32(i32 %[[WIDE]], i32 8)
// CHECK:         call <16 x i8> @llvm.masked.load.v16i8
// CHECK:         call i32 @llvm.x86.bmi.bzhi.32(
// CHECK:         call void @llvm.masked.store.v16i8
// NARROW-NOT: bzhi
func.func @masked(%from: memref<?xi8>, %to: memref<?xi8>, %count: index) {
  %c0 = arith.constant 0 : index
  %zeros = arith.constant dense<0> : vector<8xi8>
  %mask = vector.create_mask %count : vector<8xi1>
  %bytes = vector.maskedload %from[%c0], %mask, %zeros
      : memref<?xi8>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  vector.maskedstore %to[%c0], %mask, %bytes
      : memref<?xi8>, vector<8xi1>, vector<8xi8>
  return
}
