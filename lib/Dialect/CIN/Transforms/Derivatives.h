//===- Derivatives.h - What functions of values derive to -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H

#include "ExpressionBuilder.h"

namespace ember::cin {

/// A call as its derivative by one operand sees it. Values are computed when
/// they are asked for.
struct Derivation {
  ExpressionBuilder &make;
  llvm::function_ref<mlir::Value(unsigned)> operand;
  llvm::function_ref<mlir::Value()> result;
  /// Of what is wanted, by the result; or, of what is done forwards, that of
  /// the operand.
  mlir::Value gradient;
  unsigned position;

  mlir::Value x(unsigned number = 0) const { return operand(number); }
  mlir::Value y() const { return result(); }
  mlir::Type type() const { return gradient.getType(); }
  mlir::Value number(double value) const { return make.number(value, type()); }
  mlir::Value compare(llvm::StringRef function, mlir::Value value,
                      double with) const {
    return make.call(function, {value, number(with)});
  }
  /// The gradient times something.
  mlir::Value times(mlir::Value factor) const {
    return make.multiply(gradient, factor);
  }
  mlir::Value over(mlir::Value divisor) const {
    return make.call("div", {gradient, divisor});
  }
};

/// The gradient by an operand, of the type of `gradient`; null if it is 0
/// wherever it is defined.
using DerivativeRule = mlir::Value (*)(const Derivation &);

/// What a function of the table derives to; null if that is not known.
DerivativeRule getDerivativeRule(llvm::StringRef builtin);
/// The same of an operation of arith or math.
DerivativeRule getDerivativeRule(mlir::Operation *op);

/// What to do in place of combining by a function that has no derivative then.
llvm::StringRef getAlternative(Function function);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H
