//===- RowMask.h - Which elements of a row a statement needs ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWMASK_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWMASK_H

#include "StatementNest.h"

#include "llvm/ADT/BitVector.h"

namespace ember::cin {

/// Elements of a row that what consumes it looks at: whatever else is added up
/// is not seen.
struct RowMask {
  /// An expression of the statement: which elements are marked, those of lists
  /// that are short beside the row.
  mlir::Value marked;
  /// Whether what is marked is looked at, or all the rest.
  bool isLookedAt;
};

/// What `assign` needs of a row over `row` that `reductions` add up; none if it
/// needs all, or if that is not known. Its expression is built in front of the
/// assignment.
std::optional<RowMask> findRowMask(AssignOp assign, mlir::BlockArgument row,
                                   llvm::ArrayRef<ReduceOp> reductions,
                                   VariableUses &uses);

/// For which of the elements that a loop over a row walks outside of what is
/// added up the statement needs the sum: by combination of those that are
/// stored.
struct RowNeed {
  llvm::SmallVector<AccessOp> walked;
  llvm::BitVector needed;
};

/// None if there are none, or too many to look at.
std::optional<RowNeed> findRowNeed(AssignOp assign, mlir::BlockArgument row,
                                   llvm::ArrayRef<ReduceOp> reductions,
                                   VariableUses &uses);

/// Elements of arrays in a format, outside of `reductions`, which a loop over
/// `row` walks.
llvm::SmallVector<AccessOp>
findWalkedBeside(AssignOp assign, mlir::BlockArgument row,
                 llvm::ArrayRef<ReduceOp> reductions, VariableUses &uses);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWMASK_H
