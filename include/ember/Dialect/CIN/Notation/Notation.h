//===- Notation.h - Statements as text --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e] * w[p])`. The page
// docs/notation.md describes the language.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_NOTATION_NOTATION_H
#define EMBER_DIALECT_CIN_NOTATION_NOTATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace ember::cin {

struct NotationOptions {
  /// Element types by array; those that are not named here are of f32, or of
  /// i64 if they are the index of something.
  llvm::StringMap<mlir::Type> types;
  /// Of the function.
  std::string name = "kernel";
};

/// A module with a function of memrefs that evaluates the statements in `text`:
/// first what they read, in the order in which it is named, then what they
/// assign to. Null after an error, of which the location is a column of
/// "notation".
mlir::OwningOpRef<mlir::ModuleOp>
buildFromNotation(llvm::StringRef text, const NotationOptions &options,
                  mlir::MLIRContext *context);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_NOTATION_NOTATION_H
