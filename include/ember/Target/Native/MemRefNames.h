//===- MemRefNames.h - What messages call a memref --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_MEMREFNAMES_H
#define EMBER_TARGET_NATIVE_MEMREFNAMES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ember::native {

/// The attribute of an argument that says what messages call it, quotes
/// included. Functions that compilation makes out of parts of a function use it
/// for what they were handed from there.
constexpr llvm::StringLiteral messageNameAttr = "ember.message_name";

/// The name of the memref in messages: its `ember.name` or the position of the
/// argument, "a view of" one, or where a local buffer is allocated.
std::string memrefName(mlir::Value memref);

/// The memref that `memref` is, through views, a part of.
mlir::Value rootMemRef(mlir::Value memref);

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_MEMREFNAMES_H
