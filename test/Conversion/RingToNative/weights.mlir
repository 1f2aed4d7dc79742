// Cases with weights are tested for in their order, down to machine code.

// RUN: ember-opt %s --convert-dlc-to-llvm | FileCheck %s
// RUN: emberc %s --target=dae-threads --emit=llvm -O3 | FileCheck %s --check-prefix=LLVM
// RUN: %if avx2 %{ emberc %s --target=dae-threads --emit=asm --mcpu=x86-64 -O3 | FileCheck %s --check-prefix=ASM %}
// RUN: %if avx2 %{ sed 's/ weight [0-9]*//' %s | emberc - --target=dae-threads --emit=asm --mcpu=x86-64 -O3 | FileCheck %s --check-prefix=EQUAL %}
// RUN: ember-run %s 3 --trace-queues=%t.txt -O0 && FileCheck %s --check-prefix=TRACE --input-file=%t.txt
// RUN: ember-run %s 3 --trace-queues=%t.txt -O3 --queue-capacity=1 && FileCheck %s --check-prefix=TRACE --input-file=%t.txt

// 1000 of 1111 tokens are 2, 100 of the others 0, 10 of those left 5.

// CHECK-LABEL: func.func private @f.compute.0(
// CHECK: %[[TOKEN:.*]] = llvm.call @ember_token_pop
// CHECK: llvm.intr.expect.with.probability %{{.*}}, %{{.*}}, 0.9991
// CHECK: scf.condition
// CHECK-NOT: scf.index_switch
// CHECK: %[[IS2:.*]] = arith.cmpi eq, %{{.*}}, %c2_i64
// CHECK: %[[LIKELY:.*]] = llvm.intr.expect.with.probability %[[IS2]], %{{.*}}, 0.9000
// CHECK: scf.if %[[LIKELY]] -> (index) {
// CHECK: } else {
// CHECK:   arith.cmpi eq, %{{.*}}, %c0_i64
// CHECK:   llvm.intr.expect.with.probability %{{.*}}, %{{.*}}, 0.9009
// CHECK:   scf.if %{{.*}} -> (index) {
// CHECK:   } else {
// CHECK:     arith.cmpi eq, %{{.*}}, %c5_i64
// CHECK:     llvm.intr.expect.with.probability %{{.*}}, %{{.*}}, 0.9090
// CHECK:     } else {
// CHECK:       llvm.intr.expect.with.probability %{{.*}}, %{{.*}}, 1.000000e+00
// CHECK:       } else {
// CHECK:         ember.fail "the compute program has no case for a token"

// LLVM-LABEL: define internal void @f.compute.0.entry(
// LLVM: switch i64
// LLVM-NEXT: i64 -1
// LLVM-NEXT: i64 2, label
// LLVM: ], !prof ![[PROF:[0-9]+]]
// LLVM: ![[PROF]] = !{!"branch_weights", i32

// ASM-LABEL: {{^}}f.compute.0.entry:
// ASM: cmpq 480({{.*}}
// ASM-NEXT: jge
// ASM-NOT: cmpq
// ASM: cmpq $2,
// ASM-NEXT: {{je|jne}}
// EQUAL-LABEL: {{^}}f.compute.0.entry:
// EQUAL: cmpq 480({{.*}}
// EQUAL-NEXT: jge
// EQUAL-NOT: cmpq $2,
// EQUAL: jmpq *

// TRACE: ctrl tu0.beg
// TRACE-NEXT: ctrl tu0.ite
// TRACE-NEXT: ctrl tu0.ite
// TRACE-NEXT: ctrl tu0.ite
// TRACE-NEXT: ctrl tu0.end
// TRACE-NEXT: ctrl done

func.func @f(%n: index) -> index {
  %r = dlc.program captures(%n = %n : index) -> (index)
  access {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = dlc.new_tu %c0 to %n step %c1
    dlc.register_callback %a, beg, 5
    dlc.register_callback %a, ite, 2
    dlc.register_callback %a, end, 0
    %b = dlc.new_tu %c1 to %c0 step %c1 in %a
    dlc.register_callback %b, ite, 1
  }
  compute {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c1 = arith.constant 1 : index
    %r = dlc.compute_loop iter_args(%c0) -> (index)
    case 2 weight 1000 {
    ^bb0(%x: index):
      %y = arith.muli %x, %c7 : index
      dlc.yield %y : index
    }
    case 0 weight 100 {
    ^bb0(%x: index):
      %y = arith.xori %x, %c7 : index
      dlc.yield %y : index
    }
    case 5 weight 10 {
    ^bb0(%x: index):
      %y = arith.addi %x, %c1 : index
      dlc.yield %y : index
    }
    case 1 weight 0 {
    ^bb0(%x: index):
      %y = arith.divui %x, %c7 : index
      dlc.yield %y : index
    }
    dlc.yield %r : index
  }
  return %r : index
}
