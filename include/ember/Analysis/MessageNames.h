//===- MemRefNames.h - What messages call a memref --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_MESSAGENAMES_H
#define EMBER_ANALYSIS_MESSAGENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ember {

/// The attribute of an argument that says what messages call it, quotes
/// included. Functions that compilation makes out of parts of a function use it
/// for what they were handed from there.
constexpr llvm::StringLiteral messageNameAttr = "ember.message_name";

/// The name an argument has in messages and manifests: its `ember.name`
/// quoted, or "argument K".
std::string argumentName(mlir::func::FuncOp func, unsigned index);

/// The name of the memref in messages: its `ember.name` or the position of the
/// argument, "a view of" one, or where a local buffer is allocated.
std::string memrefName(mlir::Value memref);

/// The memref that `memref` is, through views, a part of.
mlir::Value rootMemRef(mlir::Value memref);

} // namespace ember

#endif // EMBER_ANALYSIS_MESSAGENAMES_H
