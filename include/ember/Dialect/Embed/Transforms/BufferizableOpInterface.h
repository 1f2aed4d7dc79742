//===- BufferizableOpInterface.h - Embedding operations on memrefs  -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
#define EMBER_DIALECT_EMBED_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H

namespace mlir {
class DialectRegistry;
}

namespace ember::embed {
/// Lets one-shot bufferisation take embedding operations from tensors to
/// memrefs.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
} // namespace ember::embed

#endif // EMBER_DIALECT_EMBED_TRANSFORMS_BUFFERIZABLEOPINTERFACE_H
