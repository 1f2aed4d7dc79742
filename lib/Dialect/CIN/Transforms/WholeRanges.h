//===- WholeRanges.h - Ranges that are all of a dimension -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_WHOLERANGES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_WHOLERANGES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// Takes the ranges away of variables that have all positions of the dimensions
/// that they are the index of, and the initial values of temporaries that are
/// assigned to as a whole first.
void dropWholeRanges(EvaluateOp evaluate);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_WHOLERANGES_H
