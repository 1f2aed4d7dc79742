//===- LevelOperands.h - Levels that a loop walks ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_LEVELOPERANDS_H
#define EMBER_DIALECT_CIN_IR_LEVELOPERANDS_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// A fiber of an array: what is below the coordinates of its outer levels.
struct Fiber {
  /// Of an ArrayType: a `cin.assemble`, or the name of a workspace.
  mlir::Value array;
  /// Coordinates of levels, outermost first.
  llvm::SmallVector<mlir::Value> coordinates;

  unsigned depth() const { return coordinates.size(); }
  FormatAttr getFormat() const {
    return llvm::cast<ArrayType>(array.getType()).getFormat();
  }
  /// The level of the last coordinate.
  const Level &getLevel() const { return getFormat().getLevels()[depth() - 1]; }
  /// Whether `access` is an element of it.
  bool contains(AccessOp access) const;
  bool operator==(const Fiber &) const = default;
};

/// The indices of an element of `array` in the order of levels.
llvm::SmallVector<mlir::Value> getCoordinates(ArrayType array,
                                              mlir::ValueRange indices);

/// The fibers that the values of a loop's variable, which is bound alone and
/// has no range, lead to: those of which it is the last coordinate, of a level
/// that is not dense, while the coordinates above are known outside of the
/// loop. They are the operands of the loop's iteration, and are numbered as
/// accesses to them stand in the loop.
llvm::SmallVector<Fiber> getLevelOperands(mlir::Operation *loop);

/// Whether the array of a fiber that a variable leads to is also read at the
/// variable and a number more, as `x` in `x[i + 1] - x[i]`: then its size is
/// not how many values the variable takes, and it may store coordinates past
/// those.
bool isShifted(const Fiber &fiber);

/// What a loop visits; null for all, and for what is no loop.
IterationAttr getIteration(mlir::Operation *op);

/// The fiber of which a loop visits what it stores, and nothing else; none for
/// other loops, and for what is no loop.
std::optional<Fiber> getLoneWalk(mlir::Operation *op);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_LEVELOPERANDS_H
