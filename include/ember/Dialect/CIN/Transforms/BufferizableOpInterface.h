//===- BufferizableOpInterface.h - Statements on memrefs --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
#define EMBER_DIALECT_CIN_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H

namespace mlir {
class DialectRegistry;
}

namespace ember::cin {
/// Lets one-shot bufferisation take statements from tensors to memrefs.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
