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

/// `constant` and a multiple of the last position of some dimensions.
struct LinearSize {
  struct Term {
    ArrayDimension dimension;
    int64_t factor;
  };
  int64_t constant = 0;
  llvm::SmallVector<Term> terms;

  void add(const LinearSize &other, int64_t factor) {
    constant += factor * other.constant;
    for (const Term &term : other.terms)
      terms.push_back({term.dimension, factor * term.factor});
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
