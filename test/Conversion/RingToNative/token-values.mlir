// Tokens that carry a value: every bit of it arrives, whether it fits its token
// or follows in the data queue.

// The tokens of one case leave 63 bits, one of which says that a value follows.
// RUN: ember-opt %s --convert-dlc-to-llvm | FileCheck %s --check-prefix=CODE

// CODE-LABEL: func.func private @copy.access.0(
// CODE: %[[WORD:.*]] = arith.index_cast %{{.*}} : index to i64
// CODE: %[[SHIFTED:.*]] = arith.shli %[[WORD]], %[[C2:.*]] : i64
// CODE: %[[BACK:.*]] = arith.shrsi %[[SHIFTED]], %[[C2]]
// CODE: %[[FITS:.*]] = arith.cmpi eq, %[[BACK]], %[[WORD]]
// CODE: %[[FOLLOWS:.*]] = arith.xori %[[FITS]]
// CODE: %[[TOKEN:.*]] = arith.select
// CODE: llvm.call @ember_token_push(%{{.*}}, %[[TOKEN]])
// CODE: scf.if %[[FOLLOWS]] {
// CODE:   llvm.call @ember_data_acquire
// CODE-LABEL: func.func private @copy.compute.0(
// CODE: %[[TOKEN:.*]] = llvm.call @ember_token_pop
// CODE: arith.andi %[[TOKEN]]
// CODE: scf.condition
// CODE: scf.if %{{.*}} -> (index) {
// CODE:   llvm.call @ember_data_wait

// An index of 62 bits fits, one of 63 does not.
// RUN: %npy make %t.index.npy index "[0, -1, 1, 2**61 - 1, 2**61, -2**61, -2**61 - 1, 2**63 - 1, -2**63, 5]"
// RUN: %npy make %t.ten.npy index "np.zeros(10)"
// DEFINE: %{index} = ember-run %s --entry=copy @%t.index.npy @%t.ten.npy --save=1:%t.out.npy --trace-queues=%t.txt --stats=%t.json
// RUN: %{index} && %npy compare %t.out.npy %t.index.npy
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json
// RUN: %{index} --queue-capacity=1 && %npy compare %t.out.npy %t.index.npy
// RUN: %{index} --queue-capacity=1 --schedule=threads -O3 && %npy compare %t.out.npy %t.index.npy
// RUN: %{index} --queue-capacity=3 --schedule=threads && %npy compare %t.out.npy %t.index.npy

// TRACE:      ctrl tu0.ite index 0
// TRACE-NEXT: ctrl tu0.ite index -1
// TRACE-NEXT: ctrl tu0.ite index 1
// TRACE-NEXT: ctrl tu0.ite index 2305843009213693951
// TRACE-NEXT: ctrl tu0.ite{{$}}
// TRACE-NEXT: data index 2305843009213693952
// TRACE-NEXT: ctrl tu0.ite index -2305843009213693952
// TRACE-NEXT: ctrl tu0.ite{{$}}
// TRACE-NEXT: data index -2305843009213693953
// TRACE-NEXT: ctrl tu0.ite{{$}}
// TRACE-NEXT: data index 9223372036854775807
// TRACE-NEXT: ctrl tu0.ite{{$}}
// TRACE-NEXT: data index -9223372036854775808
// TRACE-NEXT: ctrl tu0.ite index 5
// TRACE-NEXT: ctrl done

// STATS: "by_program": {
// STATS-NEXT: "copy.0": {
// STATS-NEXT:   "done": 1,
// STATS-NEXT:   "tu0.ite": 10
// STATS: "tokens": 11,
// STATS-NEXT: "values": 6
// STATS: "operands": 4,
func.func @copy(%in: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %in, %c0 : memref<?xindex>
  %end = dlc.program captures(%n = %n : index, %in = %in : memref<?xindex>, %out = %out : memref<?xindex>) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tu = dlc.new_tu %c0 to %n step %c1
    %i = dlc.get_ind_var %tu : !slc.stream<index>
    %v = dlc.mem_str %tu, %in[%i] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
    dlc.register_callback %tu, ite, 0 value %v : !slc.stream<index>
  }
  compute {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = dlc.compute_loop iter_args(%c0) -> (index)
    case 0 {
    ^bb0(%k: index):
      %v = dlc.token_value : index
      memref.store %v, %out[%k] : memref<?xindex>
      %next = arith.addi %k, %c1 : index
      dlc.yield %next : index
    }
    dlc.yield %end : index
  }
  return
}

// Every other type, with ids of one bit and of 31 bits, beside other tokens and
// other operands, announced or not.
// DEFINE: %{element} =
// DEFINE: %{large} = 2
// DEFINE: %{make} =
// DEFINE: %{args} = %t.dlc @%t.in.npy @%t.out.npy --save=1:%t.saved.npy
// DEFINE: %{same} = %npy compare %t.saved.npy %t.in.npy
// DEFINE: %{all} = sed 's/ELEMENT/%{element}/g; s/LARGE/%{large}/g' %S/Inputs/token-values.mlir > %t.dlc \
// DEFINE:   && %npy make %t.in.npy %{element} %{make} && %npy make %t.out.npy %{element} "np.zeros(8)" \
// DEFINE:   && ember-run %{args} && %{same} && ember-run %{args} --queue-capacity=1 && %{same} \
// DEFINE:   && ember-run %{args} --queue-capacity=2 --schedule=threads -O3 && %{same}

// REDEFINE: %{element} = f32
// REDEFINE: %{make} = "np.array([0, 1 << 31, 0x7f800001, 0xffc00000, 0x3f800000, 0xffffffff, 1, 0x7f7fffff], np.uint32).view(np.float32)"
// RUN: %{all}
// REDEFINE: %{large} = 2147483647
// RUN: %{all}
// REDEFINE: %{element} = f64
// REDEFINE: %{make} = "np.array([0, 1 << 63, 0x7ff0000000000001, 0x3ff0000000000000, 0x3ff0000000000001, 2**64 - 1, 0x3fb999999999999a, 8], np.uint64).view(np.float64)"
// RUN: %{all}
// REDEFINE: %{large} = 2
// RUN: %{all}
// REDEFINE: %{element} = i64
// REDEFINE: %{make} = "[0, -2**63, -1, 2**60, -2**60, 2**59, 3, -3]"
// RUN: %{all}
// REDEFINE: %{large} = 2147483647
// RUN: %{all}
// REDEFINE: %{element} = i32
// REDEFINE: %{make} = "[0, -1, 2**31 - 1, -2**31, 7, -7, 1, 2]"
// RUN: %{all}
// REDEFINE: %{element} = i8
// REDEFINE: %{make} = "[0, -1, 127, -128, 7, -7, 1, 2]"
// RUN: %{all}
// REDEFINE: %{element} = i1
// REDEFINE: %{make} = "[0, 1, 1, 0, 0, 0, 1, 1]"
// RUN: %{all}
// REDEFINE: %{element} = f16
// REDEFINE: %{make} = "np.array([0, 0x8000, 0x7c01, 0xffff, 0x3c00, 1, 2, 3], np.uint16).view(np.float16)"
// RUN: %{all}
// REDEFINE: %{element} = bf16
// REDEFINE: %{make} = "[0.0, -0.0, 1.5, -2.0, 3e38, 1e-38, 0.25, 7]"
// RUN: %{all}
