//===- SameValue.h - Values that are certainly equal ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_SAMEVALUE_H
#define EMBER_ANALYSIS_SAMEVALUE_H

#include "ember/Analysis/IndexExpr.h"
#include "mlir/IR/ValueRange.h"

namespace ember {

/// True if `a` and `b` certainly hold the same value in one iteration of the
/// loops around them: equal sums, or equal computations on equal operands, of
/// indices, streams or anything else.
bool isSameValue(mlir::Value a, mlir::Value b, IndexExprs &exprs);

/// The same of each pair: indices of one element, where they are of one memref.
bool areSameValues(mlir::ValueRange a, mlir::ValueRange b, IndexExprs &exprs);

} // namespace ember

#endif // EMBER_ANALYSIS_SAMEVALUE_H
