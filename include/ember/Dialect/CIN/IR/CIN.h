//===- CIN.h - Concrete index notation --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CIN_H
#define EMBER_DIALECT_CIN_IR_CIN_H

#include "ember/Dialect/CIN/IR/Builtins.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::cin {
/// What messages call a variable: its name or, if it has none, its position.
std::string getVariableName(std::optional<mlir::ArrayAttr> names,
                            unsigned variable);
/// Names the variables of a region for assembly.
void nameVariables(std::optional<mlir::ArrayAttr> names, mlir::Region &region,
                   mlir::OpAsmSetValueNameFn setName);
} // namespace ember::cin

#include "ember/Dialect/CIN/IR/CINDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/CIN/IR/CINAttributes.h.inc"

namespace ember::cin {
/// The name of a function, or an error that there is none of that name.
mlir::ParseResult parseFunctionName(mlir::AsmParser &parser,
                                    BuiltinAttr &function);
} // namespace ember::cin

#define GET_OP_CLASSES
#include "ember/Dialect/CIN/IR/CINOps.h.inc"

#endif // EMBER_DIALECT_CIN_IR_CIN_H
