//===- DataTypes.h - Types of elements in graphs ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_DATATYPES_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_DATATYPES_H

#include "mlir/IR/Types.h"

namespace ember::graphdef {

/// The number of a type in files; 0 is one that is not said.
using DataType = int32_t;

/// The number of the type that TensorFlow calls `name`; 0 for none.
DataType findDataType(llvm::StringRef name);

/// The elements of a tensor, null for a number that is no type. A reference to
/// a value is that value: which operators take references, TensorFlow knows.
mlir::Type getElementType(mlir::MLIRContext *context, DataType type);

/// The type of what nobody says a type of.
mlir::Type getUnknownType(mlir::MLIRContext *context);

/// The number of a type of elements; 0 for one that TensorFlow lacks.
DataType getDataType(mlir::Type type);

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_DATATYPES_H
