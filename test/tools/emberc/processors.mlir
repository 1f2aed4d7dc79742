// The width and number of vector registers, and the size of a cache line, are
// those of the processor that is named, of whatever architecture.

// RUN: emberc %s --mcpu=x86-64-v2 --emit=llvm | FileCheck %s --check-prefix=NARROW
// RUN: emberc %s --mcpu=x86-64-v3 --emit=llvm | FileCheck %s --check-prefix=AVX2
// RUN: emberc %s --mcpu=x86-64-v4 --emit=llvm | FileCheck %s --check-prefix=AVX512
// RUN: emberc %s --mcpu=neoverse-v1 --emit=llvm | FileCheck %s --check-prefix=NEON
// RUN: emberc %s --mcpu=apple-m1 --mtriple=arm64-apple-macosx --emit=llvm | FileCheck %s --check-prefixes=APPLE,NEON
// RUN: emberc %s --mcpu=generic --mtriple=aarch64-linux-gnu --emit=llvm | FileCheck %s --check-prefix=NEON
// RUN: emberc %s --mcpu=a64fx --emit=llvm | FileCheck %s --check-prefix=NEON
//
// A row of 96 floats is 24 registers of 128 bits, more than SSE has: two strips
// of 12, which begin with zeros.
// NARROW-COUNT-12: = phi <4 x float> [ %{{.*}} ], [ zeroinitializer, %{{.*}} ]
// NARROW-NEXT: = phi i64
// NARROW-COUNT-12: = phi <4 x float> [ %{{.*}} ], [ zeroinitializer, %{{.*}} ]
// RUN: emberc %s --mcpu=x86-64-v2 --emit=llvm --no-strip-rows | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: = phi <4 x float>
// AVX2-COUNT-12: = phi <8 x float>
// AVX512-COUNT-6: = phi <16 x float>
// APPLE: target triple = "arm64-apple-macosx"
// NEON-COUNT-24: = phi <4 x float>
//
// It is 6 lines of 64 bytes, 4 of which are prefetched, or 2 of 256, and some of
// indices, in two loops.
// RUN: emberc %s --mcpu=neoverse-v1 --emit=llvm | FileCheck %s --check-prefix=LINES
// RUN: emberc %s --mcpu=a64fx --emit=llvm | not FileCheck %s --check-prefix=LINES
// LINES-COUNT-10: call void @llvm.prefetch

// RUN: emberc %s --mcpu=x86-64-v2 --emit=scf | FileCheck %s --check-prefix=SSE-VECTORS
// RUN: emberc %s --mcpu=neoverse-v1 --emit=scf | FileCheck %s --check-prefix=SSE-VECTORS
// RUN: emberc %s --mcpu=generic --mtriple=aarch64-linux-gnu --emit=scf | FileCheck %s --check-prefix=SSE-VECTORS
// RUN: emberc %s --mcpu=x86-64-v4 --emit=scf | FileCheck %s --check-prefix=WIDE-VECTORS
// SSE-VECTORS: vector<4xf32>
// WIDE-VECTORS: vector<16xf32>

// RUN: emberc %s --mcpu=x86-64-v4 --emit=llvm --no-unroll | FileCheck %s --check-prefix=LOOP
// LOOP-NOT: = phi <16 x float>
// RUN: emberc %s --emit=llvm --prefetch-distance=0 | FileCheck %s --check-prefix=NO-PREFETCH
// NO-PREFETCH-NOT: llvm.prefetch
// RUN: emberc %s --emit=llvm --prefetch-distance=77 | FileCheck %s --check-prefix=DISTANCE
// DISTANCE: add{{.*}} i64 %{{.*}}, 77

// RUN: emberc %s --mcpu=neoverse-v1 --emit=obj -o %t.o
// RUN: llvm-readelf-22 -h %t.o | FileCheck %s --check-prefix=OBJECT
// OBJECT: AArch64

// RUN: not emberc %s --mcpu=neoverse-v1 --no-cache -o %t.so 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: a kernel library for aarch64{{.*}} would need Ember's runtime for it: write an object or assembly, with --emit=obj or --emit=asm
// RUN: not emberc %s --mtriple=aarch64-apple-macosx --emit=obj -o %t.o 2>&1 | FileCheck %s --check-prefix=NATIVE
// NATIVE: error: the processor is to be this machine's, but the target 'aarch64-apple-macosx' is another one: name its processor, or 'generic'
// RUN: not emberc %s --mtriple=pdp11-linux --mcpu=generic --emit=obj -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: no code generator for target 'pdp11
// RUN: emberc %s --emit=llvm --prefetch-lines=1 --prefetch-level=3 | FileCheck %s --check-prefix=THIRD
// THIRD: call void @llvm.prefetch{{.*}} i32 0, i32 1, i32 1)
// RUN: not emberc %s --prefetch-level=4 -o %t.so 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: --prefetch-level=4: expected an integer from 1 to 3
// Of 384 bytes a row, so many rows make the table larger than the second cache:
// for a processor that is not this one, 1 MB.
// RUN: emberc %s --mcpu=x86-64-v4 --emit=llvm | FileCheck %s --check-prefix=LARGE
// LARGE: icmp ugt i64 %{{.*}}, 2730
// RUN: emberc %s --emit=llvm --prefetch-min-table=384000 | FileCheck %s --check-prefix=SET-LARGE
// SET-LARGE: icmp ugt i64 %{{.*}}, 999
// RUN: not emberc %s --prefetch-distance=-1 -o %t.so 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: --prefetch-distance=-1: expected an integer from 0 to
// Only x86 needs a fence behind stores past the caches.
// RUN: emberc %s --mcpu=x86-64-v4 --emit=llvm --stream-min-output=1000000 | FileCheck %s --check-prefix=STREAM
// STREAM: store <16 x float> {{.*}} align 64,{{.*}} !nontemporal
// STREAM: call void @llvm.x86.sse.sfence()
// RUN: emberc %s --mcpu=neoverse-v1 --emit=llvm --stream-min-output=1000000 | FileCheck %s --check-prefix=STREAM-ARM
// STREAM-ARM: store <{{.*}}, !nontemporal
// STREAM-ARM-NOT: fence
// RUN: emberc %s --emit=llvm | FileCheck %s --check-prefix=NO-STREAM
// NO-STREAM-NOT: nontemporal

func.func @bag(%table: memref<?x96xf32>, %indices: memref<?xi64>,
               %offsets: memref<?xi64>, %out: memref<?x96xf32>) {
  embed.bag sum tables(%table : memref<?x96xf32>)
      indices(%indices : memref<?xi64>) offsets(%offsets : memref<?xi64>)
      outs(%out : memref<?x96xf32>)
  return
}
