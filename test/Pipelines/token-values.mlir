// Level 4 of --slc-to-dlc: a weighted bag sends its weights with the tokens, and
// nothing but rows through the data queue.

// RUN: %npy make %t.idxs.npy index "[2, 0, 1, 2]"
// RUN: %npy make %t.ptrs.npy index "[0, 2, 2, 4]"
// RUN: %npy make %t.table.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t.weights.npy f32 "[0.5, 2, -1, 3]"
// RUN: %npy make %t.out.npy f32 "np.zeros((3, 4))"
// DEFINE: %{args} = @%t.idxs.npy @%t.ptrs.npy @%t.weights.npy @%t.table.npy @%t.out.npy
// RUN: ember-run %s %{args} --save=4:%t.want.npy

// DEFINE: %{separate} = --slc-to-dlc=opt-level=4
// DEFINE: %{dlc} = ember-opt %s --scf-to-slc --optimize="opt-level=4 vector-length=2" %{separate} -o %t.dlc
// DEFINE: %{run} = %{dlc} && ember-run %t.dlc %{args} --save=4:%t.got.npy --trace-queues=%t.txt --queue-capacity=1 && %npy compare %t.got.npy %t.want.npy
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.dlc
// RUN: FileCheck %s --check-prefix=QUEUES --input-file=%t.txt
// REDEFINE: %{separate} = --slc-to-dlc="opt-level=4 token-values=none"
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.txt
// REDEFINE: %{separate} = --slc-to-dlc
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.txt

// IR: dlc.register_callback %[[E:.*]], end, 0 announced value %{{.*}} : !slc.stream<f32>
// IR-NEXT: dlc.register_operand %[[E]], ite, %{{.*}} for 0 : !slc.stream<vector<2xf32>>
// IR: case 0 weight {{[0-9]+}} {
// IR-NEXT: ^bb0
// IR-NEXT: dlc.token_value : f32

// QUEUES: ctrl tu2.end f32 0.5
// QUEUES-NEXT: data vector<2xf32> [8, 9]
// QUEUES-NEXT: data vector<2xf32> [10, 11]
// QUEUES-NEXT: ctrl tu2.end f32 2
// QUEUES-NEXT: data vector<2xf32> [0, 1]

// NONE: ctrl tu2.end{{$}}
// NONE-NEXT: data vector<2xf32> [0.5, 0.5]
// NONE-NEXT: data vector<2xf32> [8, 9]

func.func @bag(%idxs: memref<?xindex>, %ptrs: memref<?xindex>, %weights: memref<?xf32>, %table: memref<?x4xf32>, %out: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bags = memref.dim %out, %c0 : memref<?x4xf32>
  scf.for %b = %c0 to %bags step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %ptrs[%b] : memref<?xindex>
    %end = memref.load %ptrs[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %idxs[%p] : memref<?xindex>
      %w = memref.load %weights[%p] : memref<?xf32>
      scf.for %e = %c0 to %c4 step %c1 {
        %v = memref.load %table[%i, %e] : memref<?x4xf32>
        %old = memref.load %out[%b, %e] : memref<?x4xf32>
        %part = arith.mulf %w, %v : f32
        %sum = arith.addf %old, %part : f32
        memref.store %sum, %out[%b, %e] : memref<?x4xf32>
      }
    }
  }
  return
}
