//===- RowLookups.h - Rows that are looked up, not merged -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merging lists takes a step for each coordinate, and three branches a step
// that nobody can predict. Where one list leads, as that of D does in
// (A ^ B) & D, the others may be put in workspaces, row by row, in which the
// loop over D looks their elements up.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWLOOKUPS_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWLOOKUPS_H

#include "OrderCost.h"

namespace ember::cin {

/// Whether what an access reads of one row may be put in a workspace over
/// `variable`, which is its last coordinate.
bool canLookUp(AccessOp access, mlir::BlockArgument variable);

/// How many of `loops`, outer ones first, have to be around a row that an
/// access reads.
size_t countLoopsOf(AccessOp access, llvm::ArrayRef<mlir::BlockArgument> loops);

/// The accesses of the innermost loop of an order, of the statement or of a
/// reduction, that are faster looked up than merged, as far as sizes and
/// densities are known; none without. `loops` are those of the statement.
llvm::SmallVector<AccessOp>
findLookups(AssignOp assign, llvm::ArrayRef<mlir::BlockArgument> loops,
            mlir::BlockArgument innermost, OrderCost &cost);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_ROWLOOKUPS_H
