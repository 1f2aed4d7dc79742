//===- Col.h - The columns dialect ------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COL_H
#define EMBER_DIALECT_COL_IR_COL_H

#include "ember/Dialect/CIN/IR/CIN.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Col/IR/ColDialect.h.inc"
#include "ember/Dialect/Col/IR/ColEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Col/IR/ColTypes.h.inc"

namespace ember::col {
/// Whether a type is that of a batch of texts.
inline bool isOfTexts(mlir::Type type) {
  auto jagged = llvm::dyn_cast<JaggedType>(type);
  return jagged && llvm::isa<TextType>(jagged.getElementType());
}
} // namespace ember::col

#define GET_OP_CLASSES
#include "ember/Dialect/Col/IR/ColOps.h.inc"

#endif // EMBER_DIALECT_COL_IR_COL_H
