//===- Embed.h - The embedding operations dialect ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBED_H
#define EMBER_DIALECT_EMBED_IR_EMBED_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::embed {
/// On memrefs, inputs are read and the init is written.
void getDestinationStyleEffects(
    mlir::DestinationStyleOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// A result has the shape of the init it is tied to.
llvm::LogicalResult reifyInitShapes(mlir::DestinationStyleOpInterface op,
                                    mlir::OpBuilder &builder,
                                    mlir::ReifiedRankedShapedTypeDims &shapes);

/// The type that values are computed in: f64 if any of `types` is or holds
/// f64, otherwise f32.
mlir::FloatType getComputeType(mlir::TypeRange types);
} // namespace ember::embed

namespace ember::embed {
/// True for the floats of the table of element types that rows are computed
/// with: those of at least 16 bits.
bool isValueType(mlir::Type type);
} // namespace ember::embed

#include "ember/Dialect/Embed/IR/EmbedDialect.h.inc"
#include "ember/Dialect/Embed/IR/EmbedEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Embed/IR/EmbedAttributes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Embed/IR/EmbedOps.h.inc"

#endif // EMBER_DIALECT_EMBED_IR_EMBED_H
