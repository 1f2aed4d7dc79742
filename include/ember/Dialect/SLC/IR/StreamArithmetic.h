//===- StreamArithmetic.h - Integer arithmetic as streams -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_STREAMARITHMETIC_H
#define EMBER_DIALECT_SLC_IR_STREAMARITHMETIC_H

#include "ember/Dialect/SLC/IR/SLC.h"

namespace ember::slc {

/// True if an access unit can compute what `op` does: one integer or index from
/// others.
bool isStreamArithmetic(mlir::Operation *op);

/// Creates the stream that applies `op`, for which `isStreamArithmetic` holds,
/// to `operands`: values fixed during the nest or streams of them.
mlir::Value createStreamArithmetic(mlir::OpBuilder &builder,
                                   mlir::Operation *op,
                                   mlir::ValueRange operands);

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_STREAMARITHMETIC_H
