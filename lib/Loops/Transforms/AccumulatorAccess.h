//===- AccumulatorAccess.h - Accumulators in front of loops and behind ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop carries in registers is loaded before it and stored behind it,
// if the loop runs at all.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_ACCUMULATORACCESS_H
#define EMBER_LIB_LOOPS_TRANSFORMS_ACCUMULATORACCESS_H

#include "ember/Analysis/MemoryAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace ember::loops {

/// A load of what `address` accesses.
mlir::Value loadAccumulator(mlir::OpBuilder &builder,
                            const MemoryAccess &address);

void storeAccumulator(mlir::OpBuilder &builder, const MemoryAccess &address,
                      mlir::Value value);

/// Whether the lanes of `value` that `mask` leaves out matter: only element by
/// element operations and stores under the same mask do not look at them.
bool inactiveLanesMatter(mlir::Value value, mlir::Value mask,
                         unsigned depth = 16);

/// Has the loop carry `initial`, too; what it yields is what it is given, until
/// operands of its yield are set. Returns the loop that takes its place.
mlir::scf::ForOp carryAlso(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                           mlir::ValueRange initial);

/// Replaces accesses of one address, in the order of a block, by a register
/// that holds `value` before the first one; returns what it holds behind the
/// last.
mlir::Value replaceAccesses(mlir::RewriterBase &rewriter,
                            llvm::ArrayRef<MemoryAccess> accesses,
                            mlir::Value value);

/// Puts a loop under a condition that it runs at all, unless that is known.
void guardByTrips(mlir::scf::ForOp loop);

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_ACCUMULATORACCESS_H
