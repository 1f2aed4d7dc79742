//===- ConditionOrder.h - Where conditions of a nest stand ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_CONDITIONORDER_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_CONDITIONORDER_H

#include "VariableUses.h"

namespace ember::cin {

/// The conditions that `condition` is the `and` of, in order; none if it is
/// null.
llvm::SmallVector<mlir::Value> getConjuncts(mlir::Value condition);

/// Whether computing a value may end in an error, which a condition may
/// exclude: an index that is out of bounds, a division by 0.
bool mayFail(mlir::Value value);

/// Takes those out of `conditions` that may stand outside of loops over
/// `variables`, where they exclude what these walk: each depends on none of
/// them, and either none is left before it, which it may rely on, or it cannot
/// fail.
llvm::SmallVector<mlir::Value>
takeOutside(llvm::SmallVectorImpl<mlir::Value> &conditions,
            llvm::ArrayRef<mlir::BlockArgument> variables, VariableUses &uses);

/// How many of the loops in `order` each of `conditions` is inside of, as far
/// outside as it can be taken.
llvm::SmallVector<size_t> getDepths(llvm::ArrayRef<mlir::Value> conditions,
                                    llvm::ArrayRef<mlir::BlockArgument> order,
                                    VariableUses &uses);

/// Whether a value is computed by one that reads the same element as `lookup`:
/// the same indices of the same array.
bool looksUp(mlir::Value value, mlir::Value lookup);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_CONDITIONORDER_H
