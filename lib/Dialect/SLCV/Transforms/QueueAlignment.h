//===- QueueAlignment.h - Scalars among vectors in the queue ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three strategies of section 7.3 of the paper; align-queues chooses
// between them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLCV_TRANSFORMS_QUEUEALIGNMENT_H
#define EMBER_LIB_DIALECT_SLCV_TRANSFORMS_QUEUEALIGNMENT_H

#include "ember/Dialect/SLCV/IR/SLCV.h"

namespace ember::slcv {

/// The bytes of an operand: of one element of a buffer, of a vector, or of a
/// scalar.
int64_t getOperandBytes(mlir::Type type);

/// True if the operand that `toVal` reads is a vector or a row of vectors.
bool readsVectors(slc::StrToValOp toVal);

/// The callbacks of a nest, in program order.
llvm::SmallVector<slc::CallbackOp> getCallbacks(slc::LoopOpInterface root);

/// The last callback in the body of `loop`; null if there is none.
slc::CallbackOp getLastCallback(slc::LoopOpInterface loop);

/// The scalars a callback reads of streams.
llvm::SmallVector<slc::StrToValOp> getScalarReads(slc::CallbackOp callback);

/// The loop that `toVal` reads a number of which the execute unit can count
/// itself: the induction variable of a loop with fixed lower bound, in lane 0
/// if it has lanes, or an iteration count. Null if it reads something else.
slc::LoopOpInterface getCountedLoop(slc::StrToValOp toVal);

/// Replaces every read of `stream`, an induction variable or iteration count
/// of which getCountedLoop() knows, by a counter that the loop carries. Returns
/// the number of reads replaced. The loop is a new one afterwards.
unsigned replaceByCounter(mlir::BlockArgument stream);

/// Replaces ids that only select rows for `callback` by the positions of the
/// rows. With `mustSave`, only if these are fewer than the ids. Returns the
/// number of positions.
unsigned replaceByPositions(slc::CallbackOp callback, bool mustSave);

/// Sends the scalars that `callback` reads as vectors of `bytes` bytes. Returns
/// the number of scalars; a remark names those that stay scalars.
unsigned padScalars(slc::CallbackOp callback, int64_t bytes);

} // namespace ember::slcv

#endif // EMBER_LIB_DIALECT_SLCV_TRANSFORMS_QUEUEALIGNMENT_H
