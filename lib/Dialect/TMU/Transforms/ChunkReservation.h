//===- ChunkReservation.h - Operands that stay in a chunk -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_TMU_TRANSFORMS_CHUNKRESERVATION_H
#define EMBER_LIB_DIALECT_TMU_TRANSFORMS_CHUNKRESERVATION_H

#include "ember/Dialect/TMU/IR/TMU.h"

namespace ember::tmu {

/// The number of steps in a fiber of `unit`, if constants say it.
std::optional<int64_t> getConstantSteps(TUOpInterface unit);

/// Gives each token of `program` whose operands are of a known number the bytes
/// that they take in a chunk, wherever in it they begin. Fails, with a
/// diagnostic, for operands of one event that fit no chunk of `machine`.
llvm::LogicalResult reserveChunks(ProgramOp program, MachineAttr machine);

} // namespace ember::tmu

#endif // EMBER_LIB_DIALECT_TMU_TRANSFORMS_CHUNKRESERVATION_H
