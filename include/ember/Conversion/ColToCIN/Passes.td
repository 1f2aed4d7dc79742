//===- Passes.td - Columns of features as statements -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_COLTOCIN_PASSES_TD
#define EMBER_CONVERSION_COLTOCIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertColToCIN : Pass<"convert-col-to-cin", "::mlir::ModuleOp"> {
  let summary = "Write columns out as statements";
  let description = [{
    A `col.lookup` becomes a statement in index notation, with all that its ids are
    made by: no batch of values is in memory. What drops values is a condition of
    the terms that are added up, and what computes them an expression.

    ```mlir
    %values = col.from_dense %price : tensor<?x?xf32> -> !col.jagged<f32>
    %known = col.keep_if ge(%values, 0.0 : f32) : !col.jagged<f32>
    %ids = col.bucketize %known by %list
        : !col.jagged<f32>, tensor<2xf32> -> !col.jagged<i64>
    %rows = col.lookup sum %ids in %table
        : !col.jagged<i64>, tensor<3x8xf32> -> tensor<?x8xf32>
    ```
    becomes
    ```mlir
    %init = tensor.empty(%batch) : tensor<?x8xf32>
    %rows = cin.evaluate ins(%table = %table, %values = %price, %boundaries = %list : ...)
        outs(%out = %init : tensor<?x8xf32>) {
      cin.forall (%b, %e) {
        %sum = cin.reduce add (%p) -> f32 {
          %value = cin.access %values[%b, %p] : tensor<?x?xf32>
          %id = cin.reduce add (%k) -> i64 {
            %boundary = cin.access %boundaries[%k] : tensor<2xf32>
            %isLess = cin.call lt(%value, %boundary) : (f32, f32) -> i1
            %reached = cin.call select(%isLess, %zero, %one) : (i1, i64, i64) -> i64
            cin.yield %reached : i64
          }
          %row = cin.access %table[%id, %e] : tensor<3x8xf32> (i64, index)
          %isKnown = cin.call ge(%value, %least) : (f32, f32) -> i1
          cin.yield %row where %isKnown : f32
        }
        cin.assign %sum to %out[%b, %e] : tensor<?x8xf32>
      }
    }
    ```

    The bucket of an integer is a `cin.function` of the module, which all hashes
    call.

    A lookup whose result is only inserted in a tensor is computed there.

    Nodes of TensorFlow have no statements, and neither have batches that come from
    outside or that something else reads: these are errors.
  }];
  let dependentDialects = ["::ember::cin::CINDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // EMBER_CONVERSION_COLTOCIN_PASSES_TD
