//===- Passes.h - Passes on separated programs ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H

#include "ember/Dialect/Ember/Transforms/Choice.h"
#include "mlir/Pass/Pass.h"

namespace ember::dlc {

/// Which operands tokens carry.
enum class TokenValueChoice {
  /// None.
  none,
  /// Those that fit nearly always.
  automatic,
  /// Also floats of 64 bits, most of which do not fit.
  any,
};

/// Which operands are sent only when they change.
enum class ToggleChoice {
  /// None.
  none,
  /// Coordinates at which a case accumulates.
  automatic,
  /// All streams of integers that a loop does not count itself.
  all,
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"

} // namespace ember::dlc

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H
