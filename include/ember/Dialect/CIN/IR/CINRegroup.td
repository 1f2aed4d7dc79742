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
  let summary = "Names arrays that store another one by other levels";
  let description = [{
    A copy of what an array stores, whose levels are of the dimensions `order`:
    the first one is dense, and lists the coordinates of the others, which are
    sorted. `cin.assemble` makes an array of the positions, coordinates and
    values. Of a matrix by columns it is one by rows, and the other way round; of
    one whose rows are in any order, also one by sorted rows. Of levels that are
    dense or bitmaps, below a list or above one, the copy lists what they store.

    It is made where it stands among statements, of what is stored then, by
    counting: once for the first dimension, and for each further one by which
    elements are not sorted yet, in time for what is stored and for the size of
    that dimension. A coordinate that is counted and out of bounds is an error of
    the run.

    ```mlir
    %positions, %coordinates, %values = cin.regroup %B order [0, 1]
        : !cin.array<?x?xf32, #cin.format<dense, compressed order 1, 0 fill 0.0 : f32>>
       -> memref<?xi64>, memref<?xi64>, memref<?xf32>
    %rows = cin.assemble %values levels(%positions, %coordinates) sizes(%m, %n)
        : memref<?xf32>, memref<?xi64>, memref<?xi64>
       -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    ```
    Of an array of three dimensions there are two results of coordinates, and the
    copy is `dense, compressed(nonunique), singleton`; of one dimension, the copy is
    `compressed`, and has its coordinates in order. Of an array that is `locating`,
    the values are where what is stored is among the given values.
  }];
  let arguments = (ins CIN_ArrayType:$array, DenseI64ArrayAttr:$order);
  let results = (outs CIN_Regrouped:$positions,
                      Variadic<CIN_Regrouped>:$coordinates,
                      CIN_Storage:$values);
  let assemblyFormat = [{
    $array `order` $order attr-dict `:` qualified(type($array)) `->`
    type(results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether an array can be regrouped: empty, or else why not.
    static ::llvm::StringRef findObstacle(::mlir::Value array);
    /// The type of the values of a copy.
    static ::mlir::Type getElementTypeOf(AssembleOp array);
    /// How many arrays of coordinates a copy of `rank` dimensions has.
    static size_t countCoordinates(size_t rank);
    /// The format of a copy whose levels are of the dimensions `order`.
    static FormatAttr getFormatOf(FormatAttr format,
                                  ::llvm::ArrayRef<int64_t> order);
    /// The dimensions that what an array of `format` stores has to be sorted
    /// by, each keeping the order so far where coordinates are equal.
    static ::llvm::SmallVector<unsigned>
    getSortedDimensions(FormatAttr format, ::llvm::ArrayRef<int64_t> order);
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINREGROUP_TD
