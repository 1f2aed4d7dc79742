//===- BuiltinCode.h - What functions of statements compute -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_BUILTINCODE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_BUILTINCODE_H

#include "ember/Dialect/CIN/IR/Builtins.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// The value of `function` of `operands`, which it takes, as a `result`.
mlir::Value emitCall(mlir::ImplicitLocOpBuilder &builder,
                     const Builtin &function, mlir::ValueRange operands,
                     mlir::Type result);

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_BUILTINCODE_H
