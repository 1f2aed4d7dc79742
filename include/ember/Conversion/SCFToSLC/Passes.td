//===- Passes.td - Conversion of decoupled scf nests to slc -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SCFTOSLC_PASSES_TD
#define EMBER_CONVERSION_SCFTOSLC_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSCFToSLC : Pass<"convert-scf-to-slc", "::mlir::func::FuncOp"> {
  let summary = "Turn marked scf loops and the accesses beside them into slc";
  let description = [{
    Converts the nests that `choose-decoupling` has marked: loops become
    `slc.for`, loads and index arithmetic outside of callbacks become streams.
    Where a callback reads one of them, a `slc.str_to_val` is put beside it,
    which `move-to-val-ops` then moves into the callback.

    ```mlir
    scf.for %e = %c0 to %n step %c1 {
      %v = memref.load %table[%i, %e] : memref<?x?xf32>
      slc.callback ite {
        memref.store %v, %out[%e] : memref<?xf32>
      }
    } {slc.decouple}
    ```
    becomes
    ```mlir
    slc.for %e = %c0 to %n step %c1 {
      %s = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      %p = slc.str_to_val %e : !slc.stream<index> -> index
      %v = slc.str_to_val %s : !slc.stream<f32> -> f32
      slc.callback ite {
        memref.store %v, %out[%p] : memref<?xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::ember::slc::SLCDialect"];
}

#endif // EMBER_CONVERSION_SCFTOSLC_PASSES_TD
