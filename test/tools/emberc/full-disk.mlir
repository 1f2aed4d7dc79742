// On a full disk the cache costs a warning, and the kernel is compiled aside.
// REQUIRES: mounts
// RUN: rm -rf %t && mkdir -p %t/disk
// RUN: unshare --map-root-user --mount sh -c 'mount -t tmpfs -o size=4k none %t/disk && emberc %s --cache-dir=%t/disk/cache -o %t/libk.so --print-cache-path' 2>&1 | FileCheck %s
// RUN: %python -c "import ctypes, sys; ctypes.CDLL(sys.argv[1]).ember_kernel_f" %t/libk.so
// CHECK: warning: there is no room in the kernel cache '{{.*}}/disk/cache'; compiling without it
// CHECK-NEXT: libk.so

func.func @f(%a: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<?xf32>
  return %v : f32
}
