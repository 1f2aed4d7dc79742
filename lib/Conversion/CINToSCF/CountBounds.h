//===- CountBounds.h - How much an array stores at most ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_COUNTBOUNDS_H
#define EMBER_LIB_CONVERSION_CINTOSCF_COUNTBOUNDS_H

#include "LevelCode.h"

namespace ember::cin {

/// How many positions each level of `array`, which is counted for, needs at
/// most: of a statement that visits nothing but what its operands store, each
/// of it once, that follows from how much these store. By level, 0 for those
/// that are not listed; empty where only the loops know.
llvm::SmallVector<mlir::Value>
emitCountBounds(mlir::ImplicitLocOpBuilder &builder, LevelCode &levels,
                ForallOp statement, AssembleOp array);

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_COUNTBOUNDS_H
