//===- SweepTiles.h - Statements over the tiles of a sweep ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_SWEEPTILES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_SWEEPTILES_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "llvm/Support/Error.h"

namespace ember::cin {

/// A statement that has one variable which far more values are of than of
/// others, and that can be computed a tile of these after the other.
struct SweepStatement {
  ForallOp statement;
  AssignOp assign;
  /// Its dominant variable, as `reuse` has it.
  mlir::BlockArgument variable;
  /// What sums over it; null where it is an index of the result.
  ReduceOp sum;

  /// The statement, if it is one; why not otherwise.
  static llvm::Expected<SweepStatement> of(ForallOp statement);

  bool isContracted() { return !!sum; }
};

/// Has a statement go over tiles of `factor` values of its dominant variable in
/// its outermost loop, as a part of sweep `number`. One that sums over it
/// leaves a sum for each tile, which what becomes of `statement`, behind
/// `last`, adds up: this is the new `last` then.
void tileForSweep(SweepStatement &part, int64_t factor, unsigned number,
                  mlir::Operation *&last);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_SWEEPTILES_H
