//===- VerifyStreams.h - What verifiers of blocks ask -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SAM_IR_VERIFYSTREAMS_H
#define EMBER_LIB_DIALECT_SAM_IR_VERIFYSTREAMS_H

#include "ember/Dialect/SAM/IR/SAM.h"

namespace ember::sam {

/// 0 for what has no lists.
unsigned depthOf(mlir::Value stream);
/// The format of a tensor that a graph has verified.
TensorFormat formatOf(mlir::Value tensor);

/// An error that names two streams that cannot meet, and where they come from.
llvm::LogicalResult refuseDepths(mlir::Operation *op, llvm::StringRef what,
                                 mlir::Value first, mlir::Value second);
llvm::LogicalResult verifySameDepth(mlir::Operation *op,
                                    mlir::ValueRange streams);
/// `inner` is one level deeper.
llvm::LogicalResult verifyBelow(mlir::Operation *op, mlir::Value outer,
                                mlir::Value inner);
llvm::LogicalResult verifyLevel(mlir::Operation *op, mlir::Value tensor,
                                uint64_t level);
/// References are positions of the level above `level`, of the same tensor; as
/// far as is known.
llvm::LogicalResult verifyReferences(mlir::Operation *op,
                                     mlir::Value references, mlir::Value tensor,
                                     unsigned level);

} // namespace ember::sam

#endif // EMBER_LIB_DIALECT_SAM_IR_VERIFYSTREAMS_H
