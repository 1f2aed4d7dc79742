//===- ScalarTypes.h - MLIR's types in the table of element types *- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ABI_SCALARTYPES_H
#define EMBER_ABI_SCALARTYPES_H

#include "ember/Runtime/ScalarTypes.h"
#include "mlir/IR/Types.h"

namespace ember {

/// What the table says of `type`, of integers whatever their signedness; null
/// for a type that kernels do not know.
const ScalarType *findScalarType(mlir::Type type);

/// MLIR's type of a row.
mlir::Type getType(mlir::MLIRContext *context, const ScalarType &scalar);

/// Whether `type` is a float that code keeps in integers and computes with in
/// f32, because LLVM or hardware lacks it.
bool isNarrowFloat(mlir::Type type);

} // namespace ember

#endif // EMBER_ABI_SCALARTYPES_H
