//===- ScheduledStatement.h - A statement and its loops' order --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCHEDULEDSTATEMENT_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCHEDULEDSTATEMENT_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// Whether an operation is part of an expression, and no statement.
bool isPartOfExpression(mlir::Operation *op);

/// Whether a variable has a range.
bool hasRange(mlir::BlockArgument variable);

/// Gives the variables of a statement names, and different ones: schedules
/// speak of them by name.
void nameVariables(ForallOp statement);

/// Loops that stand inside of each other with nothing but expressions between.
struct LoopChain {
  explicit LoopChain(ForallOp outermost);

  llvm::SmallVector<ForallOp> loops;
  llvm::SmallVector<mlir::BlockArgument> variables;

  ForallOp outermost() const { return loops.front(); }
  mlir::Block &body() { return *loops.back().getBody(); }
  /// The only assignment inside; null if there are other statements.
  AssignOp getAssignment();
};

/// The variables that a statement binds, in loops and reductions, in the order
/// of its schedule, and those that it does not name behind them, as they stand.
class ScheduledOrder {
public:
  explicit ScheduledOrder(ForallOp statement);
  explicit ScheduledOrder(llvm::ArrayRef<mlir::BlockArgument> order);

  /// Some of them in that order.
  llvm::SmallVector<mlir::BlockArgument>
  sort(llvm::ArrayRef<mlir::BlockArgument> variables) const;
  bool isBefore(mlir::BlockArgument a, mlir::BlockArgument b) const {
    return positions.at(a) < positions.at(b);
  }
  llvm::ArrayRef<mlir::BlockArgument> all() const { return variables; }

private:
  void number();

  llvm::SmallVector<mlir::BlockArgument> variables;
  llvm::DenseMap<mlir::Value, unsigned> positions;
};

/// An error if what is assigned to in a format is not appended to in the order
/// of its levels: the variables of loops are `order`.
llvm::LogicalResult verifyAppends(AssignOp assign,
                                  llvm::ArrayRef<mlir::BlockArgument> order);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_SCHEDULEDSTATEMENT_H
