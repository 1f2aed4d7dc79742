//===- Derivatives.h - What functions of the table derive to ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H

#include "ExpressionBuilder.h"

namespace ember::cin {

/// A call as its derivative sees it. Values are computed when they are asked
/// for.
struct DerivedCall {
  Function function;
  llvm::function_ref<mlir::Value(unsigned)> operand;
  llvm::function_ref<mlir::Value()> result;
  /// Of what is wanted, by the result.
  mlir::Value gradient;
};

/// Whether a derivative is known.
bool isDifferentiable(Function function);

/// The gradient by an operand of a call, of the type of `call.gradient`; null
/// if it is 0 wherever it is defined.
mlir::Value derive(ExpressionBuilder &builder, DerivedCall call,
                   unsigned operand);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_DERIVATIVES_H
