// Operations of each class on cores with Tensor Marshaling Units: results are
// those of both programs on this processor, which ember-sim runs too.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/rows.npy f32 "np.sin(np.arange(1600)).reshape(100, 16)"
// RUN: %npy make %t/columns.npy i32 "np.arange(90) * 37 % 100"
// RUN: %npy make %t/offsets.npy i32 "[0, 5, 5, 6, 30, 31, 60, 61, 62, 90]"
// RUN: %npy make %t/values.npy f32 "np.cos(np.arange(90))"
// RUN: %npy make %t/sums.npy f32 "np.zeros((9, 16))"
// RUN: %npy make %t/positions.npy i32 "np.minimum(np.arange(101) * 3, 90)"
// RUN: %npy make %t/messages.npy f32 "np.zeros((100, 16))"
// RUN: %npy make %t/edges.npy f32 "np.zeros(90)"
// RUN: %npy make %t/blocks.npy i32 "np.arange(21).reshape(7, 3) * 13 % 50"
// RUN: %npy make %t/gathered.npy f32 "np.zeros((7, 6, 16))"
// RUN: %npy make %t/queries.npy f32 "np.cos(np.arange(224)).reshape(14, 16)"
// RUN: %npy make %t/scores.npy f32 "np.zeros((14, 6))"

// RUN: ember-sim %s --unit=tmu --cores=1 -O0 --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy | FileCheck %s --check-prefix=ONE
// RUN: ember-sim %s --unit=tmu --cores=1 -O1 --vector-length=8 --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy | FileCheck %s --check-prefix=ONE
// RUN: ember-sim %s --unit=tmu --cores=1 -O2 --vector-length=8 --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy | FileCheck %s --check-prefix=ONE
// RUN: ember-sim %s --unit=tmu --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy \
// RUN:   --save=4:%t/saved.npy --stats=%t/stats.json | FileCheck %s --check-prefix=ALL
// RUN: ember-run %s --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy --save=4:%t/here.npy
// RUN: %npy compare %t/saved.npy %t/here.npy
// RUN: FileCheck %s --check-prefix=STATISTICS --input-file=%t/stats.json
// RUN: ember-sim %s --unit=tmu --entry=largest @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/sums.npy | FileCheck %s --check-prefix=ALL
// RUN: ember-sim %s --unit=tmu --vector-length=8 --entry=edges @%t/rows.npy @%t/columns.npy @%t/positions.npy @%t/edges.npy | FileCheck %s --check-prefix=ALL
// RUN: ember-sim %s --unit=tmu --vector-length=8 -O4 --entry=message @%t/rows.npy @%t/columns.npy @%t/positions.npy @%t/messages.npy | FileCheck %s --check-prefix=ALL
// RUN: ember-sim %s --unit=tmu -O3 --entry=gather @%t/rows.npy @%t/blocks.npy @%t/gathered.npy | FileCheck %s --check-prefix=ALL
// RUN: ember-sim %s --unit=tmu -O4 --entry=gather @%t/rows.npy @%t/blocks.npy @%t/gathered.npy | FileCheck %s --check-prefix=ALL
// RUN: ember-sim %s --unit=tmu --vector-length=8 --entry=scores @%t/queries.npy @%t/rows.npy @%t/blocks.npy @%t/scores.npy | FileCheck %s --check-prefix=ALL

// The second unit, an engine that prefetches rows for plain loops.
// RUN: ember-sim %s --unit=indirection --entry=weighted @%t/rows.npy @%t/columns.npy @%t/offsets.npy @%t/values.npy @%t/sums.npy --stats=%t/engine.json | FileCheck %s --check-prefix=ALL
// RUN: FileCheck %s --check-prefix=ENGINE --input-file=%t/engine.json
// RUN: ember-sim %s --unit=indirection --plain-loops --entry=edges @%t/rows.npy @%t/columns.npy @%t/positions.npy @%t/edges.npy | FileCheck %s --check-prefix=ALL
// Parts of a loop whose counter leaves out values begin where it comes by.
// RUN: %npy make %t/third.npy f32 "np.zeros((100, 16))"
// RUN: ember-sim %s --unit=tmu --cores=4 --entry=thirds @%t/rows.npy @%t/columns.npy @%t/third.npy | FileCheck %s --check-prefix=THIRDS
// THIRDS: us on 4 of 4 cores;
// RUN: not ember-sim %s --unit=gpu --entry=gather 2>&1 | FileCheck %s --check-prefix=UNIT

// ONE: us on 1 of 1 cores;
// ONE: what limits it:
// Each core has a part of the outermost loop, and a program of its own.
// ALL: us on 8 of 8 cores;
// ALL: what limits it:
// STATISTICS: "tmu": {
// ENGINE: "indirection": {
// ENGINE: "lookups": 1
// ENGINE: "rowLines": {{[1-9]}}
// UNIT: error: unknown unit 'gpu': expected none, tmu or indirection

func.func @weighted(%x: memref<?x16xf32>, %c: memref<?xi32>, %p: memref<?xi32>, %v: memref<?xf32>, %o: memref<?x16xf32>) {
  embed.spmm sum csr(%p, %c : memref<?xi32>, memref<?xi32>) values(%v : memref<?xf32>)
      dense(%x : memref<?x16xf32>) outs(%o : memref<?x16xf32>)
  return
}

func.func @largest(%x: memref<?x16xf32>, %c: memref<?xi32>, %p: memref<?xi32>, %o: memref<?x16xf32>) {
  embed.spmm max csr(%p, %c : memref<?xi32>, memref<?xi32>)
      dense(%x : memref<?x16xf32>) outs(%o : memref<?x16xf32>)
  return
}

func.func @edges(%x: memref<?x16xf32>, %c: memref<?xi32>, %p: memref<?xi32>, %o: memref<?xf32>) {
  embed.sddmm edge(mul) csr(%p, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x16xf32>, memref<?x16xf32>) outs(%o : memref<?xf32>)
  return
}

func.func @message(%x: memref<?x16xf32>, %c: memref<?xi32>, %p: memref<?xi32>, %o: memref<?x16xf32>) {
  embed.message add edge(mul) activation(exp) csr(%p, %c : memref<?xi32>, memref<?xi32>)
      rows(%x, %x : memref<?x16xf32>, memref<?x16xf32>)
      messages(%x : memref<?x16xf32>) outs(%o : memref<?x16xf32>)
  return
}

func.func @gather(%x: memref<?x16xf32>, %b: memref<?x3xi32>, %o: memref<?x6x16xf32>) {
  embed.gather block_size 2 rows(%x : memref<?x16xf32>)
      blocks(%b : memref<?x3xi32>) outs(%o : memref<?x6x16xf32>)
  return
}

func.func @scores(%q: memref<?x16xf32>, %x: memref<?x16xf32>, %b: memref<?x3xi32>, %o: memref<?x6xf32>) {
  embed.block_scores block_size 2 queries(%q : memref<?x16xf32>)
      keys(%x : memref<?x16xf32>) blocks(%b : memref<?x3xi32>)
      outs(%o : memref<?x6xf32>)
  return
}

func.func @thirds(%x: memref<?x16xf32>, %c: memref<?xi32>, %o: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %c, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c3 {
    %r = memref.load %c[%i] : memref<?xi32>
    %row = arith.index_cast %r : i32 to index
    scf.for %e = %c0 to %c16 step %c1 {
      %v = memref.load %x[%row, %e] : memref<?x16xf32>
      memref.store %v, %o[%i, %e] : memref<?x16xf32>
    }
  }
  return
}
