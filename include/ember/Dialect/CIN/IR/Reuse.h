//===- Reuse.h - What statements pass to each other -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes that passes put on statements, and that the dialect verifies:
//
//   cin.reuse = {node = 0, dominance = "U", rank = "m", stage = 0, step = 0,
//                feeds = ["1 pipelineable"]}
//   cin.sweep = {number = 0, tile = "m_tile"}
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_REUSE_H
#define EMBER_DIALECT_CIN_IR_REUSE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace ember::cin {

/// Where a statement is in the graph of a function's operations.
constexpr llvm::StringLiteral reuseAttr = "cin.reuse";
/// The sweep that a statement is part of: statements one behind the other with
/// the same number go over the same tiles in their outermost loop.
constexpr llvm::StringLiteral sweepAttr = "cin.sweep";

struct Reuse {
  /// The number of the operation.
  int64_t node = 0;
  /// `U`, `C`, `bal` or `small`, as ember-dag says it.
  std::string dominance;
  /// The variable that dominates; empty if none does.
  std::string rank;
  /// How many operations have to end before it begins.
  int64_t stage = 0;
  /// Tiles pass from one operation of a step to the other.
  int64_t step = 0;
  /// Who reads the result in this iteration of the loop, and by which pattern.
  std::vector<std::pair<int64_t, std::string>> feeds;

  /// What is said of a statement; none if nothing is.
  static std::optional<Reuse> of(mlir::Operation *statement);
  void setOn(mlir::Operation *statement) const;
};

struct Sweep {
  int64_t number = 0;
  /// The variable over tiles.
  std::string tile;

  /// That of a statement; none if it is part of none.
  static std::optional<Sweep> of(mlir::Operation *statement);
  void setOn(mlir::Operation *statement) const;
};

/// What takes the place of a statement, between `before` and it, is part of its
/// sweep, too. Null: it stands from the beginning of the evaluation on.
void keepSweep(mlir::Operation *statement, mlir::Operation *before);

/// An error if one of these attributes is wrong, or on something else than a
/// statement of an evaluation.
llvm::LogicalResult verifyReuse(mlir::Operation *op,
                                mlir::NamedAttribute attribute);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_REUSE_H
