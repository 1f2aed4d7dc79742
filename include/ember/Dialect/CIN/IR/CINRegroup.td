//===- CINRegroup.td - Copies of arrays by other levels ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINREGROUP_TD
#define EMBER_DIALECT_CIN_IR_CINREGROUP_TD

include "ember/Dialect/CIN/IR/CINOperands.td"

def CIN_Regrouped : AnyTypeOf<[1DTensorOf<[I64]>, MemRefRankOf<[I64], [1]>]>;

def CIN_RegroupOp : Op<CIN_Dialect, "regroup", [HasParent<"EvaluateOp">]> {
  let summary = "Names arrays that store a matrix by its other dimension";
  let description = [{
    A copy of what an array of two dimensions stores: the dimension of its last
    level is the outer one there, which is dense, and lists the coordinates of
    the other. `cin.assemble` makes an array of the positions, coordinates and
    values. Of a matrix by columns it is one by rows, and the other way round.

    It is made where it stands among statements, of what is stored then, by
    counting, in time for what is stored and for the size of that dimension.
    Coordinates of a segment come in the order of the outer level, which is
    ordered: the copy is, too, also where the last level is not. A coordinate of
    the last level that is out of bounds is an error of the run.

    ```mlir
    %positions, %coordinates, %values = cin.regroup %B
        : !cin.array<?x?xf32, #cin.format<dense, compressed order 1, 0 fill 0.0 : f32>>
       -> memref<?xi64>, memref<?xi64>, memref<?xf32>
    %rows = cin.assemble %values levels(%positions, %coordinates) sizes(%m, %n)
        : memref<?xf32>, memref<?xi64>, memref<?xi64>
       -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    ```
  }];
  let arguments = (ins CIN_ArrayType:$array);
  let results = (outs CIN_Regrouped:$positions, CIN_Regrouped:$coordinates,
                      CIN_Storage:$values);
  let assemblyFormat = [{
    $array attr-dict `:` qualified(type($array)) `->` type($positions) `,`
    type($coordinates) `,` type($values)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether an array can be regrouped: empty, or else why not.
    static ::llvm::StringRef findObstacle(::mlir::Value array);
    /// The format of the copy.
    static FormatAttr getFormatOf(FormatAttr format);
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINREGROUP_TD
