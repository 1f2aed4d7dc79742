//===- Parser.h - Statements out of words -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_PARSER_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_PARSER_H

#include "Ast.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace ember::cin {

/// Emits an error at a place of the notation.
mlir::InFlightDiagnostic emitErrorAt(mlir::MLIRContext *context,
                                     Position position);
mlir::Location locationOf(mlir::MLIRContext *context, Position position);

/// The statements in `text`, which may call what is in `functions`, null for
/// nothing; failure after an error.
llvm::FailureOr<std::vector<Statement>>
parseStatements(llvm::StringRef text, mlir::ModuleOp functions,
                mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_PARSER_H
