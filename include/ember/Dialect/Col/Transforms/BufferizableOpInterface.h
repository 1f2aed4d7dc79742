//===- BufferizableOpInterface.h - Columns on memrefs -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
#define EMBER_DIALECT_COL_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H

#include "mlir/IR/DialectRegistry.h"

namespace ember::col {

void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace ember::col

#endif // EMBER_DIALECT_COL_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
