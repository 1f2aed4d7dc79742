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
#include "Number.h"

namespace ember::cin {

/// The type of an operand, or the number that it is, which has none yet.
struct OperandType {
  mlir::Type type;
  Number number = {};

  bool isNumber() const { return !type; }
  /// Of a number: whether it is 0 or 1, as booleans are.
  bool isBit() const { return number.value == 0 || number.value == 1; }
};

/// What `function` makes of operands that are all numbers: one that is left to
/// what it meets.
std::optional<Number> findNumber(Function function,
                                 llvm::ArrayRef<OperandType> operands);

/// A function with the types that operands are converted to.
struct TypedFunction {
  Function function;
  llvm::SmallVector<mlir::Type> operands;
  mlir::Type result;
};

/// How `function`, or that of its name which suits them, is called with
/// operands. `isLogical`: it is called by an operator of booleans.
TypedFunction chooseTypes(Function function,
                          llvm::ArrayRef<OperandType> operands, bool isLogical,
                          mlir::MLIRContext *context);

/// Whether a call is of `and`, `or` or `not`.
bool isLogicalCall(const Expression &call);

/// Whether a reduction begins with the first of its values, combines the others
/// with it in the order of its variables, and is 0 without any.
bool isOrdered(Function function);

/// The function that combines terms, which are of the type of what it makes of
/// them.
TypedFunction chooseReduction(Function function, OperandType term,
                              mlir::MLIRContext *context);

/// The type of a number that meets nothing that has one.
mlir::Type chooseLiteralType(OperandType number, mlir::MLIRContext *context);

/// The type of what a statement assigns, as it is stored: of types that the
/// arrays it reads have.
mlir::Type findAssignedType(const Statement &statement,
                            const NamedArrays &arrays,
                            mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_TYPES_H
