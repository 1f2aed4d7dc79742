//===- ComparedTerms.h - Terms that a gradient compares ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_COMPAREDTERMS_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_COMPAREDTERMS_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The reductions that `reduce` continues, itself first: together they are one.
llvm::SmallVector<ReduceOp> findNest(ReduceOp reduce);

/// Whether `value` is an element of a temporary that is computed once: what
/// compares such elements finds those equal that are.
bool isKept(mlir::Value value);

/// Of what max and min choose from, puts in temporaries that are kept what may
/// be rounded otherwise where it is evaluated again. What no array says the
/// size of stays where it is.
void keepComparedTerms(EvaluateOp evaluate);

/// An error if `function` chooses from terms that may be rounded otherwise
/// where they are evaluated again, and are not kept.
llvm::LogicalResult verifyCompared(mlir::Location location, Function function,
                                   mlir::Value term);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_COMPAREDTERMS_H
