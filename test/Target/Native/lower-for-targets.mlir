// A program is lowered for the processor that its module names, whatever this
// machine is.

// RUN: ember-opt %s --scf-to-slc --optimize=mcpu=x86-64-v4 --convert-slc-to-scf --lower-to-native=parallel=false | FileCheck %s --check-prefix=AVX512
// RUN: ember-opt %s --scf-to-slc --optimize=mcpu=x86-64-v3 --convert-slc-to-scf --lower-to-native=parallel=false | FileCheck %s --check-prefix=AVX2
// RUN: ember-opt %s --scf-to-slc --optimize=mcpu=neoverse-v1 --convert-slc-to-scf --lower-to-native=parallel=false | FileCheck %s --check-prefix=NEON

// The target can come with the module, by a step of its own or an option.

// RUN: ember-opt %s --set-target=mcpu=x86-64-v4 --scf-to-slc --optimize --convert-slc-to-scf --lower-to-native=parallel=false | FileCheck %s --check-prefix=AVX512
// RUN: ember-opt %s --scf-to-slc --optimize=mcpu=x86-64-v4 --convert-slc-to-scf | ember-opt --lower-to-native=parallel=false | FileCheck %s --check-prefix=AVX512
// RUN: ember-opt %s --lower-to-native="parallel=false mcpu=neoverse-v1" | FileCheck %s --check-prefix=LOOPS

// A row of 64 elements stays in registers: as many as its length takes.

// AVX512: module attributes {{.*}}cpu = "x86-64-v4"
// AVX512-LABEL: llvm.func {{.*}}@bag(
// AVX512-COUNT-4: llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
// AVX512-NOT: llvm.fadd
// AVX512: llvm.return
// AVX2: module attributes {{.*}}cpu = "x86-64-v3"
// AVX2-LABEL: llvm.func {{.*}}@bag(
// AVX2-COUNT-8: llvm.fadd %{{.*}}, %{{.*}} : vector<8xf32>
// AVX2-NOT: llvm.fadd
// AVX2: llvm.return
// NEON: module attributes {{.*}}cpu = "neoverse-v1"
// NEON-LABEL: llvm.func {{.*}}@bag(
// NEON-COUNT-16: llvm.fadd %{{.*}}, %{{.*}} : vector<4xf32>
// NEON-NOT: llvm.fadd
// NEON: llvm.return
// LOOPS: module attributes {{.*}}triple = "aarch64-

func.func @bag(%table: memref<?x64xf32>, %indices: memref<?xindex>, %offsets: memref<?xindex>, %out: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %bags = memref.dim %out, %c0 : memref<?x64xf32>
  scf.for %b = %c0 to %bags step %c1 {
    %next = arith.addi %b, %c1 : index
    %begin = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xindex>
      scf.for %e = %c0 to %c64 step %c1 {
        %x = memref.load %table[%i, %e] : memref<?x64xf32>
        %y = memref.load %out[%b, %e] : memref<?x64xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %out[%b, %e] : memref<?x64xf32>
      }
    }
  }
  return
}
