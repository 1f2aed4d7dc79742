// Outputs that cannot be written are one error each; what was there before
// stays whole.
// RUN: rm -rf %t && mkdir -p %t/folder.so
// RUN: not emberc %s -o %t/none/libk.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not emberc %s -o %t/folder.so 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not emberc %s -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not emberc %s --emit=asm -o /dev/full 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not emberc %s --emit=llvm -o %t/none/k.ll 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot write '{{.*}}none/{{.*}}': No such file or directory
// FOLDER: error: cannot write '{{.*}}folder.so': Is a directory
// FULL: error: cannot write '/dev/full': No space left on device

// RUN: emberc %s -o %t/libk.so
// RUN: cp %t/libk.so %t/before.so
// RUN: not bash -c "ulimit -f 1; trap '' XFSZ; emberc %s -O0 -o %t/libk.so" 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: cmp %t/libk.so %t/before.so
// RUN: ls %t | FileCheck %s --check-prefix=LEFT --implicit-check-not=tmp
// LIMIT: error:
// LEFT: before.so

func.func @f(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<?xf32>
  return %v : f32
}
