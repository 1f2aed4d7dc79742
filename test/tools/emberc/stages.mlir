// Every stage of a compilation can be looked at.
// RUN: emberc %S/../Inputs/bag.mlir --emit=slc | FileCheck %s --check-prefix=SLC
// RUN: emberc %S/../Inputs/bag.mlir --emit slcv --vector-length=2 | FileCheck %s --check-prefix=SLCV
// RUN: emberc %S/../Inputs/bag.mlir --emit=slcv -O0 | FileCheck %s --check-prefix=SLC
// RUN: emberc %S/../Inputs/bag.mlir --emit=scf | FileCheck %s --check-prefix=SCF
// RUN: emberc %S/../Inputs/bag.mlir --emit=dlc | FileCheck %s --check-prefix=DLC
// RUN: emberc %S/../Inputs/bag.mlir --emit=ring --queue-capacity=16 | FileCheck %s --check-prefix=RING
// RUN: emberc %S/../Inputs/bag.mlir --emit=tmu --vector-length=4 | FileCheck %s --check-prefix=TMU
// RUN: emberc %S/../Inputs/bag.mlir --emit=tmu --vector-length=4 | emberc - --emit=tmu-config | FileCheck %s --check-prefix=TMU-CONFIG
// RUN: emberc %S/../Inputs/bag.mlir --emit=tmu-config --vector-length=4 | FileCheck %s --check-prefix=TMU-CONFIG
// RUN: emberc %S/../Inputs/bag.mlir --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: emberc %S/../Inputs/bag.mlir --emit=llvm --target=dae-threads | FileCheck %s --check-prefix=DAE
// RUN: emberc %S/../Inputs/bag.mlir --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: emberc %S/../Inputs/bag.mlir --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ
// RUN: emberc %S/../Inputs/bag.mlir --emit=loops | FileCheck %s --check-prefix=LOOPS
// LOOPS: func.func @bag
// LOOPS-NOT: ember.written_arguments
// LOOPS: scf.for
// LOOPS-NOT: slc.
// SLC: slc.mem_str
// SLC-NOT: slcv.
// SLCV: slcv.vec_for
// SLCV-SAME: vector<2>
// SCF: func.func @bag
// SCF-NOT: slc
// SCF: memref.load
// DLC: dlc.program
// DLC: dlc.compute_loop
// RING: ring.create capacity 16
// RING: ring.run "bag"
// RING: ring.commit
// RING: ring.release
// TMU: tmu.program {{.*}} compute @bag.compute.0
// TMU: tmu.set_lockstep_layer
// TMU: func.func private @bag.compute.0
// TMU-CONFIG: "kind": "lockstep"
// TMU-CONFIG: "name": "bag.0"
// LLVM: define {{.*}}i32 @ember_kernel_bag(ptr
// LLVM-NOT: ember_dae_run
// DAE: call void @ember_dae_run
// ASM: ember_kernel_bag:
// OBJ: T ember_kernel_bag

// A lookup comes from its load, at every level.
// RUN: emberc %S/../Inputs/bag.mlir --emit=loops --locations | FileCheck %s --check-prefix=PLACE
// RUN: emberc %S/../Inputs/bag.mlir --emit=slcv --locations | FileCheck %s --check-prefix=PLACE
// RUN: emberc %S/../Inputs/bag.mlir --emit=dlc --locations | FileCheck %s --check-prefix=PLACE
// RUN: not emberc %S/../Inputs/bag.mlir --emit=asm --locations 2>&1 | FileCheck %s --check-prefix=NO-PLACE
// PLACE: %{{.*}} = {{memref.load|slcv.vec_mem_str|dlc.mem_str}} {{.*}}%arg0[{{.*}} loc("{{.*}}bag.mlir":17:14)
// NO-PLACE: error: --locations needs --emit=col, embed, cin, sam, loops, slc, slcv, dlc, ring, tmu or scf

// What is given is a stage, too: embedding operations as they were written.
// RUN: emberc %S/../Inputs/embed-bag.mlir --emit=embed | FileCheck %s --check-prefix=EMBED
// RUN: emberc %S/../Inputs/embed-bag.mlir --emit=embed | emberc - --emit=loops | FileCheck %s --check-prefix=LOWERED
// RUN: emberc %S/../Inputs/bag.mlir --emit=embed | FileCheck %s --check-prefix=LOOPS
// EMBED: func.func @bag(%{{.*}}: tensor<
// EMBED: embed.bag sum
// LOWERED-NOT: embed.bag
// LOWERED: func.func @bag(%{{.*}}: memref<
// LOWERED: scf.for

// Remarks say which nests stay as they are; the manifest keeps them.
// RUN: rm -rf %t && mkdir -p %t
// RUN: emberc %s --emit=slc --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: emberc %s --emit=slc 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: emberc %s -o %t/libk.so --cache-dir=%t/cache
// RUN: emberc %s -o %t/libk.so --cache-dir=%t/cache --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/libk.json
// REMARK: stages.mlir:[[@LINE+8]]:3: remark: loop is not offloaded: it loads nothing new from read-only memory
// QUIET-NOT: remark:
// MANIFEST: "remarks": [
// MANIFEST-NEXT: "[[@LINE+5]]:3: loop is not offloaded: it loads nothing new from read-only memory: argument 0 may be written by the store to argument 0"
func.func @in_place(%a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xindex>
    %w = arith.addi %v, %c1 : index
    memref.store %w, %a[%i] : memref<?xindex>
  }
  return
}
