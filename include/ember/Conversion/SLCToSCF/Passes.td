//===- Passes.td - Recoupling: slc and slcv to scf ---------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTOSCF_PASSES_TD
#define EMBER_CONVERSION_SLCTOSCF_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSLCToSCF : Pass<"convert-slc-to-scf", "::mlir::ModuleOp"> {
  let summary = "Recouple: turn access and compute back into one scf program";
  let description = [{
    Replaces every `slc` and `slcv` nest by scf loops in which streams are
    ordinary loads and arithmetic and callbacks are inlined where they stand.
    Vector streams become `vector` operations under masks. A buffer's elements
    are read from where its streams read them instead of being copied.

    ```mlir
    slc.for %e = %c0 to %n step %c1 {
      %v = slc.mem_str %table[%i, %e] : ...
      slc.callback ite {
        %val = slc.str_to_val %v : !slc.stream<f32> -> f32
        ...
      }
    }
    ```
    becomes
    ```mlir
    scf.for %e = %c0 to %n step %c1 {
      %val = memref.load %table[%i, %e] : memref<?x?xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"instrument", "instrument", "bool", "false",
           "Count the loads of every stream in the run-time statistics">
  ];
  let dependentDialects = [
    "::ember::EmberDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // EMBER_CONVERSION_SLCTOSCF_PASSES_TD
