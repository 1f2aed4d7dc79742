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

/// Puts a loop under a condition that it runs at all, unless that is known.
void guardByTrips(mlir::scf::ForOp loop);

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_ACCUMULATORACCESS_H
