// Programs on a simulated machine compute what they compute here: ember-sim
// compares each result with this processor's.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/table.npy f32 "np.sin(np.arange(3000)).reshape(100, 30)"
// RUN: %npy make %t/indices.npy index "np.arange(1405) * 37 % 100"
// RUN: %npy make %t/offsets.npy index "np.cumsum(np.append(0, np.arange(200) * 7 % 15))"
// RUN: %npy make %t/out.npy f32 "np.zeros((200, 30))"
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --save=3:%t/all.npy --stats=%t/stats.json | FileCheck %s --check-prefix=SUMMARY
// RUN: ember-run %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --save=3:%t/here.npy
// RUN: %npy compare %t/all.npy %t/here.npy
// RUN: FileCheck %s --check-prefix=STATISTICS --input-file=%t/stats.json

// SUMMARY: us on 8 of 8 cores; {{[0-9]+}} instructions, {{.*}} a cycle and core
// SUMMARY: loads: {{[0-9]+}}; lines missed in the L1D {{[0-9]+}}, in the L2 {{[0-9]+}}
// SUMMARY: memory: {{[0-9]+}} bytes, {{.*}} GB/s of 307.2 (
// SUMMARY: cycles in which
// SUMMARY: instructions retire
// SUMMARY: what limits it:
// SUMMARY: energy: {{.*}} mJ, {{.*}} W, of which cores {{[0-9]+}} %, memory {{[0-9]+}} % (good for comparisons only)
// SUMMARY: simulated in {{.*}} million instructions a second
// STATISTICS: "core0": {
// STATISTICS: "energy": {
// STATISTICS: "isRelative": true,
// STATISTICS: "machine": {
// STATISTICS-NEXT: "nanoseconds": {{[0-9]}}

// Simulations of one program are the same in all they count.
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --stats=%t/again.json
// RUN: cmp %t/stats.json %t/again.json

// Loops as LLVM compiles them.
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --plain-loops | FileCheck %s --check-prefix=SUMMARY

// Other machines: short vectors, other cores and memory.
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --machine=%ember_src/sim/machines/ddr4-desktop.json | FileCheck %s --check-prefix=DESKTOP
// DESKTOP: us on 4 of 4 cores;
// RUN: echo '{"cores": 3, "vectorBytes": 16, "core": {"reorderBuffer": 64, "issueQueue": 32}}' > %t/small.json
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --machine=%t/small.json -O1 | FileCheck %s --check-prefix=SMALL
// SMALL: us on 3 of 3 cores;
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy \
// RUN:   --cores=1 --prefetch-distance=0 -O0 | FileCheck %s --check-prefix=ONE
// ONE: us on 1 of 1 cores;

// Levels below loops, results, libm, allocations, and one lane.
// RUN: emberc %ember_src/examples/embedding_bag.mlir --emit=slcv -O3 -o %t/slcv.mlir
// RUN: ember-sim %t/slcv.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy | FileCheck %s --check-prefix=SLCV
// SLCV: us on {{[0-9]}} of 8 cores;
// RUN: ember-sim %s --entry=exponential 2 | FileCheck %s --check-prefix=EXP
// EXP: 7.389056
// RUN: ember-sim %s --entry=doubled @%t/table.npy --save-result=0:%t/doubled.npy
// RUN: %npy make %t/expected.npy f32 "2 * np.sin(np.arange(3000)).astype(np.float32).reshape(100, 30)"
// RUN: %npy compare %t/doubled.npy %t/expected.npy
// RUN: ember-sim %ember_src/examples/embedding_bag.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy -O0 --vector-length=1 | FileCheck %s --check-prefix=LANE
// LANE: us on 1 of 8 cores;

func.func @exponential(%x: f64) -> f64 {
  %e = math.exp %x : f64
  return %e : f64
}

func.func @doubled(%in: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %in, %c0 : memref<?x?xf32>
  %width = memref.dim %in, %c1 : memref<?x?xf32>
  %out = memref.alloc(%rows, %width) : memref<?x?xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %width step %c1 {
      %v = memref.load %in[%i, %j] : memref<?x?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %out[%i, %j] : memref<?x?xf32>
    }
  }
  return %out : memref<?x?xf32>
}
