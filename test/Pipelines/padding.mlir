// What is padding is a row that is skipped, or -1 for none. Any other index
// that is no row is an error at every level, whether bags send nothing for
// padding or not.

// RUN: %npy make %t.t.npy f32 "np.arange(8).reshape(4, 2)"
// RUN: %npy make %t.ids.npy i64 "[1, 2, 3, 2]"
// RUN: %npy make %t.none.npy i64 "[1, 2, -1, 2]"
// RUN: %npy make %t.far.npy i64 "[1, 4, 3, 2]"
// RUN: %npy make %t.lengths.npy i64 "[3, 1]"
// RUN: %npy make %t.o.npy f32 "np.zeros((2, 2))"
// RUN: ember-opt %s --embed-to-scf --scf-to-slc > %t.slc.mlir
// RUN: ember-opt %t.slc.mlir --optimize="opt-level=3 vector-length=4 mask-selects" > %t.slcv.mlir
// RUN: ember-opt %t.slc.mlir --slc-to-dlc > %t.dlc.mlir
// RUN: ember-opt %t.slcv.mlir --slc-to-dlc=opt-level=3 > %t.dlcv.mlir
// DEFINE: %{ids} =
// DEFINE: %{padding} =
// DEFINE: %{arguments} = - @%t.t.npy @%{ids} @%t.lengths.npy %{padding} @%t.o.npy
// DEFINE: %{run} = ember-run %{arguments}
// DEFINE: %{check} = FileCheck %s --check-prefix=SKIPPED
// DEFINE: %{all} = cat %t.slc.mlir | %{run} --print=4 2>&1 | %{check} && cat %t.slcv.mlir | %{run} --print=4 2>&1 | %{check} \
// DEFINE:   && cat %t.dlc.mlir | %{run} --print=4 2>&1 | %{check} && cat %t.dlcv.mlir | %{run} --print=4 2>&1 | %{check} \
// DEFINE:   && cat %s | %{run} --print=4 --target=cpu 2>&1 | %{check} && cat %s | %{run} --print=4 --target=dae-threads 2>&1 | %{check}
// REDEFINE: %{ids} = %t.ids.npy
// REDEFINE: %{padding} = 2
// RUN: %{all}
// SKIPPED: {{\[}}[8, 10], [0, 0]]

// REDEFINE: %{check} = FileCheck %s --check-prefix=ALL
// REDEFINE: %{padding} = -1
// RUN: %{all}
// ALL: {{\[}}[12, 15], [4, 5]]

// REDEFINE: %{run} = not ember-run %{arguments}
// REDEFINE: %{check} = FileCheck %s --check-prefix=NONE
// REDEFINE: %{ids} = %t.none.npy
// RUN: %{all}
// NONE: error: index -1 {{.*}}out of range

// REDEFINE: %{check} = FileCheck %s --check-prefix=OUTSIDE
// REDEFINE: %{ids} = %t.far.npy
// REDEFINE: %{padding} = 4
// RUN: %{all}
// REDEFINE: %{padding} = -2
// RUN: %{all}
// REDEFINE: %{padding} = 9223372036854775807
// RUN: %{all}
// OUTSIDE: error: embed.bag: the padding is neither -1 nor a row of the table

func.func @bag(%table: memref<?x2xf32>, %ids: memref<?xi64>, %lengths: memref<?xi64>,
               %padding: index, %out: memref<2x2xf32>) {
  embed.bag sum tables(%table : memref<?x2xf32>) indices(%ids : memref<?xi64>)
      lengths(%lengths : memref<?xi64>) padding(%padding) outs(%out : memref<2x2xf32>)
  return
}
