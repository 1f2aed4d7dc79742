//===- ExpressionBuilder.h - Calls in statements ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_EXPRESSIONBUILDER_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_EXPRESSIONBUILDER_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/IR/Builders.h"

namespace ember::cin {

/// Builds calls of functions of the table, in a statement or in the body of a
/// cin.function. A null value is a zero that nobody computes.
class ExpressionBuilder {
public:
  ExpressionBuilder(mlir::OpBuilder &builder, mlir::Location location,
                    bool isOfFunction = false)
      : builder(builder), location(location), isOfFunction(isOfFunction) {}

  /// A call of values of one type; of a comparison, of an i1.
  mlir::Value call(llvm::StringRef function, mlir::ValueRange operands);
  mlir::Value convert(mlir::Value value, mlir::Type type);
  mlir::Value number(double value, mlir::Type type);
  mlir::Value select(mlir::Value condition, mlir::Value value,
                     mlir::Value otherwise) {
    return call("select", {condition, value, otherwise});
  }

  /// A sum in which a null value is 0.
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return !a ? b : !b ? a : call("add", {a, b});
  }
  /// `a and b`, in which a null value holds.
  mlir::Value both(mlir::Value a, mlir::Value b) {
    return !a ? b : !b ? a : call("and", {a, b});
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return call("mul", {a, b});
  }
  mlir::Value negate(mlir::Value value) { return call("neg", value); }

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  bool isOfFunction;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_EXPRESSIONBUILDER_H
