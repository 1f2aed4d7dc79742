//===- SplitVariable.h - Tiles of a variable --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_SPLITVARIABLE_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_SPLITVARIABLE_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// Puts a variable `outer` around one of a loop or of a reduction, which has
/// the values of a tile then, `factor` or, in the last one, fewer, and is
/// called `inner`. `statement` is what the statement is afterwards.
void splitVariable(ForallOp &statement, mlir::BlockArgument variable,
                   mlir::StringAttr outer, mlir::StringAttr inner,
                   int64_t factor);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_SPLITVARIABLE_H
