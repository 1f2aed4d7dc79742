//===- CaptureSyntax.h - How programs write what they capture ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is isolated from above names what it takes from there:
// "captures(%in = %out : type, ...)".
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_CAPTURESYNTAX_H
#define EMBER_DIALECT_SLC_IR_CAPTURESYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace ember::slc {
/// Prints the captures, if there are any, and calls the arguments of `region`,
/// one each, by the names of what they stand for where that is clear.
void printCaptures(mlir::OpAsmPrinter &printer, mlir::Region &region,
                   mlir::ValueRange captures);

/// Parses captures, if there are any: the arguments of the program's regions,
/// and what they stand for.
mlir::ParseResult
parseCaptures(mlir::OpAsmParser &parser,
              llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments,
              llvm::SmallVectorImpl<mlir::Value> &captures);
} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_CAPTURESYNTAX_H
