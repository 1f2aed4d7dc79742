//===- ComputeLoopEditing.h - More registers and cases ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_COMPUTELOOPEDITING_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_COMPUTELOOPEDITING_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember::dlc {

/// Replaces `loop` by one with a further register for each of `types`, last,
/// which begins as zero and which all cases hand on.
void addRegisters(ComputeLoopOp &loop, mlir::TypeRange types);

/// Replaces `loop` by one without case `id`, which no callback has.
void eraseCase(ComputeLoopOp &loop, int64_t id);

/// Replaces `loop` by one with registers as above and with a further case, last
/// and empty but for the registers. Returns the new case's id; its block has no
/// terminator yet. What the registers' types are must have a zero.
int64_t addRegistersAndCase(ComputeLoopOp &loop, mlir::TypeRange types);

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_COMPUTELOOPEDITING_H
