//===- ShortRows.h - Rows that fit a register -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_SHORTROWS_H
#define EMBER_DIALECT_CIN_TRANSFORMS_SHORTROWS_H

#include "ember/Dialect/Ember/IR/Ember.h"

namespace ember::cin {

/// How many coordinates one is compared with at once, by what is wide enough
/// for that in the target of an operation's module: those of 64 bits in two
/// vectors of 256 bits, or one of 512. Of more, merging takes as long. None
/// where vectors are short.
inline int64_t countScanned(mlir::Operation *op) {
  constexpr int64_t leastBits = 256, coordinates = 8;
  return TargetAttr::of(op).getVectorBits() < leastBits ? 0 : coordinates;
}

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_SHORTROWS_H
