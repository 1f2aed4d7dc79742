//===- Types.h - The types of expressions -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types meet as in NumPy, except that a number takes the type of what it meets.
// The quotient of integers is f64.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_TYPES_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_TYPES_H

#include "Names.h"

namespace ember::cin {

/// The type of an operand; of a number, which has none yet, whether it is an
/// integer.
struct OperandType {
  mlir::Type type;
  bool isInteger = false;
};

/// The type that operands of `function` are converted to. `isLogical`: it is
/// called by an operator of booleans.
mlir::Type chooseType(const Builtin &function,
                      llvm::ArrayRef<OperandType> operands, bool isLogical,
                      mlir::MLIRContext *context);

/// Whether a call is of `and`, `or` or `not`.
bool isLogicalCall(const Expression &call);

/// The type of the terms of a reduction, which is that of what it makes of
/// them.
mlir::Type chooseReducedType(const Builtin &function, OperandType term,
                             mlir::MLIRContext *context);

/// The type of what a statement assigns, as it is stored: of types that the
/// arrays it reads have.
mlir::Type findAssignedType(const Statement &statement,
                            const NamedArrays &arrays,
                            mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_TYPES_H
