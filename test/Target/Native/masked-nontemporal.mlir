// Masked accesses that are non-temporal have no instructions on AArch64: they
// are ordinary ones.
// RUN: emberc %s --emit=asm --mtriple=aarch64-linux-gnu --mcpu=neoverse-v1 -O1 -o - | FileCheck %s
// CHECK: ld1w { {{z[0-9]+}}.d }
// CHECK: st1w { {{z[0-9]+}}.d }
func.func @copy(%n: index) {
  %count = arith.constant 2 : i64
  %from = llvm.alloca %count x vector<[2]xf32> : (i64) -> !llvm.ptr
  %to = llvm.alloca %count x vector<[2]xf32> : (i64) -> !llvm.ptr
  %mask = vector.create_mask %n : vector<[2]xi1>
  %zero = arith.constant dense<0.0> : vector<[2]xf32>
  %v = llvm.intr.masked.load %from, %mask, %zero {alignment = 4 : i32, nontemporal} : (!llvm.ptr, vector<[2]xi1>, vector<[2]xf32>) -> vector<[2]xf32>
  llvm.intr.masked.store %v, %to, %mask {alignment = 4 : i32, nontemporal} : vector<[2]xf32>, vector<[2]xi1> into !llvm.ptr
  %w = llvm.load volatile %to : !llvm.ptr -> vector<[2]xf32>
  return
}
