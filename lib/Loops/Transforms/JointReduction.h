//===- JointReduction.h - Reduce several vectors at once --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_LOOPS_TRANSFORMS_JOINTREDUCTION_H
#define EMBER_LIB_LOOPS_TRANSFORMS_JOINTREDUCTION_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::loops {

/// How the lanes of vectors are combined.
struct Combination {
  mlir::vector::CombiningKind kind;
  mlir::arith::FastMathFlagsAttr flags;
};

/// Reduces each of `vectors` over its lanes, and returns the results as the
/// lanes of one vector. How many vectors there are, and how many lanes they
/// have, are powers of two, the first not more than the second. Lanes are
/// combined in an order of its own.
mlir::Value reduceTogether(mlir::OpBuilder &builder, mlir::Location loc,
                           Combination combination,
                           llvm::SmallVector<mlir::Value> vectors);

} // namespace ember::loops

#endif // EMBER_LIB_LOOPS_TRANSFORMS_JOINTREDUCTION_H
