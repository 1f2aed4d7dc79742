//===- RowStorage.h - How long encoded rows are -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_ROWSTORAGE_H
#define EMBER_DIALECT_CIN_TRANSFORMS_ROWSTORAGE_H

#include "ember/Dialect/CIN/IR/RowEncodings.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// The bytes of a row of `length` elements.
mlir::Value emitRowBytes(mlir::ImplicitLocOpBuilder &builder,
                         const RowLayout &layout, mlir::Value length);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_ROWSTORAGE_H
