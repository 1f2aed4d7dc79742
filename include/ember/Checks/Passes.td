//===- Passes.td - Run-time checks -------------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CHECKS_PASSES_TD
#define EMBER_CHECKS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RefuseUnsupported : Pass<"refuse-unsupported"> {
  let summary = "Refuse what no kernel is made of";
  let description = [{
    Every tool that compiles runs this first; the language server runs no passes.
    One error names what it found and what to do:

    - a function or global whose name begins with `ember_`: generated code calls
      Ember's runtime by such names;
    - a memref whose layout has no strides;
    - complex numbers;
    - a vector of more than 1024 elements, for which LLVM takes hours, or dies;
    - memory that is freed twice, used when it was freed, as far as no condition
      decides on that, or freed although it is the caller's.

    ```mlir
    func.func @ember_fail_index(%m: memref<8x8xf32>)
    ```
    is
    ```text
    error: 'ember_fail_index' is called like what kernels call in Ember's
    runtime: give it a name that does not begin with 'ember_'
    ```
    }];
}

def AnnotateSegments : Pass<"annotate-segments", "::mlir::func::FuncOp"> {
  let summary = "Record which offsets loops run between";
  let description = [{
    Sets `ember.segment` on every loop between two neighbouring elements of a
    memref, to the memref's name. A loop of a compute program gets its bounds
    from a queue; the attribute says which offsets it has to complain about
    where they decrease.

    ```mlir
    %begin = memref.load %offsets[%b] : memref<?xindex>
    %end = memref.load %offsets[%next] : memref<?xindex>
    scf.for %i = %begin to %end step %c1 {
      ...
    } {ember.segment = "'offsets'"}
    ```
  }];
  let dependentDialects = ["::ember::EmberDialect"];
}

def InsertRuntimeChecks : Pass<"insert-runtime-checks", "::mlir::ModuleOp"> {
  let summary = "Check every access, divisor and assertion at run time";
  let description = [{
    Puts an `ember.check` before each access to a memref that could leave it. Where
    it fails, it names the memref, the dimension, and where the index was loaded
    from; [lower-checks](#-lower-checks) makes calls of it.

    Checks that hold for certain are not emitted. A check whose index is an
    induction variable plus something that does not change becomes a check of
    the range, in front of the loop and under the condition that the loop runs
    at all; checks leave every loop they do not depend on. No check leaves an
    `scf.if`: what is reported is an access the program would have made.

    ```mlir
    scf.for %b = %c0 to %n step %c1 {
      %begin = memref.load %offsets[%b]
      %b1 = arith.addi %b, %c1
      %end = memref.load %offsets[%b1]
      scf.for %p = %begin to %end step %c1 {
        %i = memref.load %indices[%p]
        scf.for %e = %c0 to %c64 step %c1 {
          memref.load %table[%i, %e] ...
    ```
    is checked by: `[0, n]` within offsets, once; `begin <= end` and
    `[begin, end)` within indices, once a segment; `i` within the rows of the
    table, once a lookup.

    Results that could be poison (of shifts, of conversions from floats) become
    arbitrary numbers, so that no check of an index made from them is optimised
    away. Functions that may call themselves check at their
    entry that there is stack left (`ember_check_recursion`).

    Loops whose bounds are neighbours in one memref are segments; bounds that
    decrease are an error. Divisions check their divisor, allocations their
    size, views that they stay inside what they view. `cf.assert` becomes a
    check.
  }];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"emitted", "emitted", "Checks in the code">,
    Statistic<"proven", "proven", "Checks that hold for certain">,
    Statistic<"hoisted", "hoisted", "Checks moved out of a loop">,
  ];
}

def LowerChecks : Pass<"lower-checks", "::mlir::ModuleOp"> {
  let summary = "Turn checks into conditions and calls of the runtime";
  let description = [{
    A check becomes an `scf.if`, and what ends the program a call of a function of
    the runtime that does not return: `ember_fail_index`, `ember_fail_segment` or
    `ember_fail_message`.

    ```mlir
    ember.check fails_if %bad {
      ember.fail "division by zero"
    }
    ```
    becomes
    ```mlir
    scf.if %bad {
      llvm.call @ember_fail_message(%text) : (!llvm.ptr) -> ()
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // EMBER_CHECKS_PASSES_TD
