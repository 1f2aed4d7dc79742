//===- SLCV.h - The vector dual of the slc dialect --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_IR_SLCV_H
#define EMBER_DIALECT_SLCV_IR_SLCV_H

#include "ember/Dialect/SLC/IR/SLC.h"

namespace ember::slcv {
/// The largest number of lanes a loop may have, and of elements a vector may
/// have in any program: of such vectors LLVM makes code in half a minute where
/// processors have no masks, and of much longer ones in hours, or dies.
constexpr int64_t maxVectorLength = 1024;
} // namespace ember::slcv

#include "ember/Dialect/SLCV/IR/SLCVDialect.h.inc"
#include "ember/Dialect/SLCV/IR/SLCVEnums.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/SLCV/IR/SLCVOps.h.inc"

namespace ember::slcv {
/// Fails where `op` holds an `as_scalar`: lanes shown as a scalar mean nothing
/// to what comes after the vectorisation of callbacks.
llvm::LogicalResult refuseScalarViews(mlir::Operation *op);

/// Verifies that a load of `lanes` may hold each element in `repeat` of them.
llvm::LogicalResult verifyRepeat(mlir::Operation *op, int64_t repeat,
                                 bool contiguous, int64_t lanes);
} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_SLCV_H
