//===- KeptValues.h - The first or last of several values -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_KEPTVALUES_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_KEPTVALUES_H

#include "ExpressionEmitter.h"

namespace ember::cin {

/// Emits `target first= value` or `target last= value`: a statement that notes
/// for each element which values of variables are the first or last that assign
/// to it, and then assigns with these alone.
llvm::LogicalResult emitKept(mlir::OpBuilder &builder,
                             const Statement &statement,
                             const llvm::StringSet<> &variables,
                             ExpressionEmitter &expressions);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_KEPTVALUES_H
