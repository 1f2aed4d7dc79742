//===- RowStorage.h - How long encoded rows are -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_CINTOSCF_ROWSTORAGE_H
#define EMBER_LIB_CONVERSION_CINTOSCF_ROWSTORAGE_H

#include "ember/Dialect/Embed/IR/RowEncodings.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::cin {

/// The bytes of a row of `length` elements.
mlir::Value emitRowBytes(mlir::ImplicitLocOpBuilder &builder,
                         const embed::RowLayout &layout, mlir::Value length);

} // namespace ember::cin

#endif // EMBER_LIB_CONVERSION_CINTOSCF_ROWSTORAGE_H
