//===- Attributes.h - Attributes of nodes -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_ATTRIBUTES_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_ATTRIBUTES_H

#include "GraphDef.pb.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace ember::graphdef {

/// Begins an error about a node.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The type of a tensor of `element`s, unranked where the rank is not known.
mlir::FailureOr<mlir::TensorType>
makeTensorType(const TensorShape &shape, mlir::Type element, EmitError emit);

/// A value as `col.node` has it, null for a tensor of more than `mostElements`,
/// which stays where it is.
mlir::FailureOr<mlir::Attribute> makeAttribute(mlir::MLIRContext *context,
                                               const AttrValue &value,
                                               int64_t mostElements,
                                               EmitError emit);

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_ATTRIBUTES_H
