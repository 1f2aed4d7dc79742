//===- Passes.td - Passes on plain loops -------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_PASSES_TD
#define EMBER_LOOPS_TRANSFORMS_PASSES_TD

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

#endif // EMBER_LOOPS_TRANSFORMS_PASSES_TD
