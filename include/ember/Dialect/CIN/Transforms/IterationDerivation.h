//===- IterationDerivation.h - What a loop visits, and why ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_ITERATIONDERIVATION_H
#define EMBER_DIALECT_CIN_TRANSFORMS_ITERATIONDERIVATION_H

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"
#include "ember/Dialect/CIN/IR/LevelOperands.h"

namespace ember::cin {

/// The coordinates at which a loop does anything.
struct IterationDerivation {
  /// What is walked by the loop's variable; empty for a loop that visits
  /// everything.
  llvm::SmallVector<Fiber> operands;
  /// For each region, by the operands that store its coordinates: whether it is
  /// visited.
  llvm::BitVector visited;
  CoordinateSet set = CoordinateSet::all();
  /// What a reduction counts where nothing is stored, without looking; null for
  /// nothing.
  mlir::TypedAttr rest = {};
};

/// Derives what `loop`, a `cin.forall` or `cin.reduce` of one variable, visits.
/// There are at most `CoordinateSet::mostOperands` operands.
IterationDerivation deriveIteration(mlir::Operation *loop);

/// Why coordinates of a region are visited or not: what the statement computes
/// there, such as `0 * B = 0, the identity of add`.
std::string explainRegion(mlir::Operation *loop,
                          const IterationDerivation &derivation,
                          OperandMask region);

/// What the array of an operand is called.
std::string nameOperand(const Fiber &operand);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_ITERATIONDERIVATION_H
