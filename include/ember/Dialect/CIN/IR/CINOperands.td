//===- CINOperands.td - Arrays, scalars and indices --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINOPERANDS_TD
#define EMBER_DIALECT_CIN_IR_CINOPERANDS_TD

include "ember/Dialect/CIN/IR/CINFunctions.td"
include "mlir/IR/BuiltinAttributes.td"

def CIN_Scalar : AnyTypeOf<[AnySignlessInteger, Index, AnyFloat]>;
/// An array in memory, or as a value.
def CIN_Dense : AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef,
                           MemRefRankOf<[CIN_Scalar], [0]>]>;
def CIN_Storage : AnyTypeOf<[1DTensorOf<[CIN_Scalar]>, MemRefRankOf<[CIN_Scalar], [1]>]>;
/// Rows of bytes.
def CIN_Rows : AnyTypeOf<[2DTensorOf<[I8]>, MemRefRankOf<[I8], [2]>]>;
def CIN_Array : AnyTypeOf<[CIN_Dense, CIN_ArrayType]>;
// A boolean is no position.
def CIN_Index : AnyTypeOf<[I8, I16, I32, I64, Index]>;

#endif // EMBER_DIALECT_CIN_IR_CINOPERANDS_TD
