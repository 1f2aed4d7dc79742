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

/// Verifies that `op` computes vectors of integers from others.
llvm::LogicalResult verifyVectorArithmetic(slc::StreamOpInterface op);
} // namespace ember::slcv

#include "ember/Dialect/SLCV/IR/SLCVDialect.h.inc"
#include "ember/Dialect/SLCV/IR/SLCVEnums.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/SLCV/IR/SLCVOps.h.inc"

namespace ember::slcv {
/// Verifies how many lanes a loop or traversal unit has, and that they visit
/// its elements in a way that goes with a range a lane, if it is in lockstep.
llvm::LogicalResult verifyConfig(mlir::Operation *op, int64_t lanes,
                                 bool isLockstep, LoopConfig config);

/// Fails where `op` holds an `as_scalar`: lanes shown as a scalar mean nothing
/// to what comes after the vectorisation of callbacks.
llvm::LogicalResult refuseScalarViews(mlir::Operation *op);

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_IR_SLCV_H
