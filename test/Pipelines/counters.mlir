// Counters of bags that are set to zero first: one token a bag, and right for
// any bounds and steps, at every level.

// RUN: %npy make %t.offsets.npy index "[0, 2, 2, 5, 5, 5, 6, 8, 9]"
// RUN: %npy make %t.idx.npy index "[2, 0, 1, 2, 0, 1, 1, 2, 0]"
// RUN: %npy make %t.table.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t.out.npy f32 "np.full((8, 4), 7)"
// DEFINE: %{bounds} = 0 8 1
// DEFINE: %{args} = @%t.offsets.npy @%t.idx.npy @%t.table.npy @%t.out.npy %{bounds}
// DEFINE: %{level} = 3
// DEFINE: %{dlc} = ember-opt %s --scf-to-slc --optimize="opt-level=%{level} vector-length=4" --slc-to-dlc=opt-level=%{level} -o %t.%{level}.mlir
// DEFINE: %{run} = ember-run %s %{args} --save=3:%t.want.npy && %{dlc} \
// DEFINE:   && ember-run %t.%{level}.mlir %{args} --save=3:%t.got.npy --stats=%t.json --queue-capacity=1 && %npy compare %t.got.npy %t.want.npy \
// DEFINE:   && ember-run %s %{args} --target=cpu -O%{level} --save=3:%t.got.npy && %npy compare %t.got.npy %t.want.npy

// 8 bags, 9 rows, and the end.
// RUN: %{run} && FileCheck %s --check-prefix=TOKENS --input-file=%t.json
// TOKENS: "tokens": 18
// REDEFINE: %{level} = 4
// RUN: %{run} && FileCheck %s --check-prefix=TOKENS --input-file=%t.json
// REDEFINE: %{bounds} = 1 8 3
// RUN: %{run}
// REDEFINE: %{bounds} = 5 5 2
// RUN: %{run}
// REDEFINE: %{bounds} = 6 -9223372036854775808 9
// RUN: %{run}
// REDEFINE: %{bounds} = 7 8 9223372036854775800
// RUN: %{run}

func.func @bags(%offsets: memref<?xindex>, %idx: memref<?xindex>, %table: memref<?x4xf32>, %out: memref<?x4xf32>, %low: index, %high: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.for %b = %low to %high step %step {
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%b1] : memref<?xindex>
    scf.for %e = %c0 to %c4 step %c1 {
      memref.store %zero, %out[%b, %e] : memref<?x4xf32>
    }
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %idx[%p] : memref<?xindex>
      scf.for %e = %c0 to %c4 step %c1 {
        %v = memref.load %table[%i, %e] : memref<?x4xf32>
        %old = memref.load %out[%b, %e] : memref<?x4xf32>
        %sum = arith.addf %old, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x4xf32>
      }
    }
  }
  return
}
