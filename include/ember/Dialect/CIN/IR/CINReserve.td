//===- CINReserve.td - Room for arrays of an evaluation ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINRESERVE_TD
#define EMBER_DIALECT_CIN_IR_CINRESERVE_TD

include "ember/Dialect/CIN/IR/CINOperands.td"

def CIN_ReserveOp : Op<CIN_Dialect, "reserve", [HasParent<"EvaluateOp">]> {
  let summary = "Names arrays that have room for what was counted";
  let description = [{
    The arrays that store the levels of an array in a format, as
    `cin.assemble` takes them, and its values last. They have as much room as a
    statement in front has counted for a `cin.assemble counting`. The room is
    made where the operation stands among statements, and given back behind the
    evaluation. Nothing is in it before a statement appends to the array.

    ```mlir
    %counts = cin.temporary : memref<2xi64>
    %counted = cin.assemble counting %counts sizes(%m, %n) : memref<2xi64>
       -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    cin.forall (%i, %j) { ... cin.assign %x to %counted[%i, %j] ... }
    %positions, %coordinates, %values = cin.reserve %counted
        : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
       -> memref<?xi64>, memref<?xi64>, memref<?xf32>
    ```
  }];
  let arguments = (ins CIN_ArrayType:$counted);
  let results = (outs Variadic<CIN_Storage>:$arrays);
  let assemblyFormat = [{
    $counted attr-dict `:` qualified(type($counted)) `->` type($arrays)
  }];
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_CIN_IR_CINRESERVE_TD
