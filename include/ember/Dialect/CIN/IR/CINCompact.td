//===- CINCompact.td - Results without gaps ----------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINCOMPACT_TD
#define EMBER_DIALECT_CIN_IR_CINCOMPACT_TD

include "ember/Dialect/CIN/IR/CINOperands.td"

def CIN_CompactOp : Op<CIN_Dialect, "compact", [
    Pure, HasParent<"EvaluateOp">, AllTypesMatch<["memory", "result"]>]> {
  let summary = "Names an array that is stored without gaps";
  let description = [{
    Of the positions of its last dimension, those that a statement assigns at
    are stored one behind the other, in their order, from the first on. `count`
    gets how many they are. What the memory holds behind them may be anything:
    it is as large as if all were assigned at.

    One statement assigns to the array, and nothing reads it. Which positions
    there are does not depend on its other indices.

    ```mlir
    %kept = cin.compact %out counted %count : memref<2x?xi64>, memref<1xi64>
    cin.forall (%e, %r) {
      %is_kept = cin.access %mask[%e] : memref<?xi1>
      %x = cin.access %edges[%r, %e] : memref<2x?xi64>
      cin.assign %x to %kept[%r, %e] where %is_kept : memref<2x?xi64>
    }
    ```
  }];
  let arguments = (ins AnyNon0RankedMemRef:$memory,
                       MemRefRankOf<[I64], [1]>:$count);
  let results = (outs AnyNon0RankedMemRef:$result);
  let assemblyFormat = [{
    $memory `counted` $count attr-dict `:` type($memory) `,` type($count)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The assignment to the array; null if there is none.
    AssignOp getAssignment();
    /// The variable whose values are counted: the last index of the assignment.
    ::mlir::BlockArgument getVariable();
    /// What its assignment has to be like; once all of it is there.
    ::llvm::LogicalResult verifyAssignment();
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINCOMPACT_TD
