//===- WriteAttributes.h - Attributes of nodes in graphs --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_WRITEATTRIBUTES_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_WRITEATTRIBUTES_H

#include "Attributes.h"

namespace ember::graphdef {

/// What `makeAttribute` makes `setting` of. `emit` begins the error for one
/// that nothing in a graph is read as.
mlir::FailureOr<AttrValue> writeAttribute(mlir::Attribute setting,
                                          EmitError emit);

/// The shape of a tensor of the function.
TensorShape writeShape(mlir::TensorType type);

/// The number of the type of elements. `emit` begins the error for one that
/// TensorFlow does not have, or that is not known.
mlir::FailureOr<int32_t> writeElementType(mlir::Type type, EmitError emit);

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_WRITEATTRIBUTES_H
