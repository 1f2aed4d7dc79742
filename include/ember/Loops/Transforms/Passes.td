//===- Passes.td - Passes on plain loops -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_PASSES_TD
#define EMBER_LOOPS_TRANSFORMS_PASSES_TD

include "ember/Loops/Transforms/LanePasses.td"
include "ember/Loops/Transforms/LookupPasses.td"
include "ember/Loops/Transforms/ReductionPasses.td"
include "ember/Loops/Transforms/RowPasses.td"
include "ember/Loops/Transforms/SegmentPasses.td"
include "mlir/Pass/PassBase.td"

def OrderParallelLoops : InterfacePass<"order-parallel-loops",
                                       "::mlir::FunctionOpInterface"> {
  let summary = "Run the iterations of scf.parallel one after the other";
  let description = [{
    Each `scf.parallel` becomes a nest of `scf.for`, which hands the values of
    its reductions from iteration to iteration.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def SplitIndexCasts : Pass<"split-index-casts"> {
  let summary = "Cast indices to narrower integers by way of i64";
  let description = [{
    Upstream's canonicalization takes an index that is cast to a narrower integer and
    back for the same index, though its upper bits are lost between. With the truncation
    an operation of its own they are not forgotten:

    ```mlir
    %0 = arith.index_cast %i : index to i32
    ```
    becomes
    ```mlir
    %0 = arith.index_cast %i : index to i64
    %1 = arith.trunci %0 : i64 to i32
    ```

    Every pipeline begins with it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // EMBER_LOOPS_TRANSFORMS_PASSES_TD
