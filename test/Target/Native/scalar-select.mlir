// Code for a selection between a number in memory and one in a register reads
// that number alone, whatever the level: a blend of four numbers would read
// past the end of the array.

// RUN: emberc %s -O0 --mcpu=haswell --mtriple=x86_64-unknown-linux-gnu --emit=asm -o - | FileCheck %s

// CHECK-LABEL: {{^}}pick:
// CHECK-NOT: blendvps{{.*}}(%r
// CHECK: retq
func.func @pick(%values: memref<?xf32>, %at: index, %a: f32, %b: f32) -> f32 {
  %value = memref.load %values[%at] : memref<?xf32>
  %equal = arith.cmpf oeq, %a, %b : f32
  %picked = arith.select %equal, %value, %a : f32
  return %picked : f32
}
