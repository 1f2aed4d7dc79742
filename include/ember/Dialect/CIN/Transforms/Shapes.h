//===- Shapes.h - What callers make room for --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_SHAPES_H
#define EMBER_DIALECT_CIN_TRANSFORMS_SHAPES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// `constant` and a multiple of the last position of some dimensions, divided
/// by a positive number and rounded down.
struct LinearSize {
  struct Term {
    ArrayDimension dimension;
    int64_t factor;
  };
  int64_t constant = 0;
  llvm::SmallVector<Term> terms;
  int64_t divisor = 1;

  /// None if either is divided: a multiple of what is rounded is no such size.
  std::optional<LinearSize> plus(const LinearSize &other, int64_t factor) const;
  /// What is larger by a number.
  LinearSize plus(int64_t number) const {
    LinearSize sum = *this;
    sum.constant += number * divisor;
    return sum;
  }
};

/// The largest value of a variable, as what it is an index of says it.
std::optional<LinearSize> findLargestValue(mlir::BlockArgument variable);

/// A size as a value: one more than the largest position.
mlir::Value makeSize(mlir::OpBuilder &builder, mlir::Location location,
                     const LinearSize &largest);

/// What a caller has to know to make room for an array that is assigned to.
struct Room {
  /// The largest position of each dimension, by those of arrays that are no
  /// temporaries, and of scalars; none where nothing says it.
  llvm::SmallVector<std::optional<LinearSize>> largest;
  /// By dimension: an array of how many positions it has at the least, as
  /// `ember.sizes` holds it, or a unit where only the caller knows.
  llvm::SmallVector<mlir::Attribute> sizes;
  /// What it holds before; null if all of it is assigned to, or if it is given.
  mlir::TypedAttr initial;
  /// The caller has to say what it holds: it is read before it is assigned to.
  bool isGiven = false;
};

/// The room for `array`, a name, an assembly or a temporary, which some
/// statement assigns to.
Room findRoom(EvaluateOp evaluate, mlir::Value array);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_SHAPES_H
