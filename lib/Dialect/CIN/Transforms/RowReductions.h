//===- RowReductions.h - Sums that are added up row by row ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWREDUCTIONS_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWREDUCTIONS_H

#include "ScheduledStatement.h"
#include "StatementNest.h"

namespace ember::cin {

/// Whether elements of rows can begin with what a reduction is without terms:
/// if it begins with its first one, a single variable has to tell which that
/// is.
bool canBegin(ReduceOp reduce);

/// Whether it matters that a reduction combines anything.
bool isAskedFor(ReduceOp reduce);

/// Where the order of loops has what is reduced outside of variables that the
/// sum depends on, sums for all values of these, a row, are added up together.
class RowReductions {
public:
  /// `variables` are those of the statement's loops in their order.
  RowReductions(ForallOp statement,
                llvm::ArrayRef<mlir::BlockArgument> variables,
                const ScheduledOrder &order, VariableUses &uses);

  /// The variables of the loops around, and those of rows.
  llvm::ArrayRef<mlir::BlockArgument> outer() const { return outerVariables; }
  llvm::ArrayRef<mlir::BlockArgument> rows() const { return rowVariables; }

  bool dependsOnRows(mlir::Value value);
  /// Variables of a reduction that are bound outside of some row's; all where a
  /// row is one element.
  llvm::SmallVector<mlir::BlockArgument> getOuter(ReduceOp reduce) const;
  /// Those that are bound inside of all, by position.
  StatementNest::Steps getInner(ReduceOp reduce) const;
  /// Reductions that `values` are made of, outer ones alone, of which the terms
  /// are elements of rows.
  llvm::SmallVector<ReduceOp> find(mlir::ValueRange values);

private:
  const ScheduledOrder &order;
  VariableUses &uses;
  llvm::SmallVector<mlir::BlockArgument> outerVariables, rowVariables;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWREDUCTIONS_H
