//===- BuiltinCode.h - What functions of statements compute -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_BUILTINCODE_H
#define EMBER_DIALECT_CIN_TRANSFORMS_BUILTINCODE_H

#include "ember/Dialect/CIN/IR/Builtins.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// The value of `function` of `operands`, which it takes, as a `result`.
mlir::Value emitCall(mlir::ImplicitLocOpBuilder &builder,
                     const Builtin &function, mlir::ValueRange operands,
                     mlir::Type result);

/// The number that `function` of numbers is, as its code computes it; null if
/// that is not known before it runs, as a division of an integer by zero.
mlir::TypedAttr foldCall(const Builtin &function,
                         llvm::ArrayRef<mlir::TypedAttr> operands,
                         mlir::Type result);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_BUILTINCODE_H
