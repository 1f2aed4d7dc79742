//===- BuiltinCode.h - What functions of the table compute ------*- C++ -*-===//
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
/// `emitCall` is for any function.
mlir::Value emitBuiltin(mlir::ImplicitLocOpBuilder &builder,
                        const Builtin &function, mlir::ValueRange operands,
                        mlir::Type result);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_BUILTINCODE_H
