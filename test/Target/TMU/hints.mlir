// Units have a choice of caches: what is read again and again stays in the
// core's second one, from level 4 on.
// RUN: emberc %s --emit=tmu -O4 | FileCheck %s
// RUN: emberc %s --emit=tmu -O3 | FileCheck %s --check-prefix=PLAIN
// CHECK: tmu.set_mem_str %{{.*}} nontemporal : memref<?x8xi32>
// CHECK: tmu.set_mem_str %{{.*}} level l2 : memref<?x64xf32>
// PLAIN-NOT: level l2
func.func @blocks(%keys: memref<?x64xf32>, %blocks: memref<?x8xi32>, %out: memref<?x64x64xf32>) {
  embed.gather block_size 8 rows(%keys : memref<?x64xf32>) blocks(%blocks : memref<?x8xi32>)
      outs(%out : memref<?x64x64xf32>)
  return
}
