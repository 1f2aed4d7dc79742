//===- FunctionDerivatives.h - Derivatives of cin.functions -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUNCTIONDERIVATIVES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUNCTIONDERIVATIVES_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The type that gradients of values of a type have: floats below 32 bits are
/// added up in f32.
mlir::Type getGradientType(mlir::Type type);

/// Defines derivatives of functions beside these, each once.
class FunctionDerivatives {
public:
  /// The gradient by an operand: a function of the operands, and of the
  /// gradient by the result in the type of the one by the operand. Null if it
  /// is 0 everywhere; failure after an error at `caller`.
  llvm::FailureOr<FunctionOp> get(FunctionOp function, unsigned operand,
                                  mlir::Location caller);

private:
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, FunctionOp> known;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUNCTIONDERIVATIVES_H
