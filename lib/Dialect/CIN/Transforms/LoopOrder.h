//===- LoopOrder.h - Which loops formats want outside -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_LOOPORDER_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_LOOPORDER_H

#include "StatementNest.h"

namespace ember::cin {

/// Which variables of a statement are bound outside of which: an array in a
/// format is walked, and appended to, from its outermost level on.
class LoopOrder {
public:
  LoopOrder(ForallOp statement, VariableUses &uses);

  /// Whether the loop over `outer` has to stand outside of that over `inner`.
  bool precedes(mlir::Value outer, mlir::Value inner) const {
    return holds(later, outer, inner);
  }
  /// The same by ranges alone: nothing else is computed otherwise.
  bool rangePrecedes(mlir::Value outer, mlir::Value inner) const {
    return holds(ranged, outer, inner);
  }
  /// The variables in such an order, and otherwise as they are given. Where
  /// formats contradict each other, those come first that are given first; a
  /// range always comes behind what it depends on.
  llvm::SmallVector<mlir::BlockArgument>
  sort(llvm::ArrayRef<mlir::BlockArgument> variables) const;

  /// Whether a variable is the coordinate of a level that is not dense.
  bool walks(mlir::Value variable) const { return walked.contains(variable); }
  /// Whether coordinates of such a level may be there several times.
  bool repeats(mlir::Value variable) const {
    return repeated.contains(variable);
  }

private:
  void add(ArrayType type, mlir::ValueRange indices, bool isTarget,
           VariableUses &uses);

  using Relation = llvm::DenseMap<mlir::Value, llvm::DenseSet<mlir::Value>>;
  static void close(Relation &relation);
  static bool holds(const Relation &relation, mlir::Value outer,
                    mlir::Value inner) {
    auto found = relation.find(outer);
    return found != relation.end() && found->second.contains(inner);
  }

  /// By formats and ranges, and by ranges alone.
  Relation later, ranged;
  llvm::DenseSet<mlir::Value> walked, repeated;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_LOOPORDER_H
