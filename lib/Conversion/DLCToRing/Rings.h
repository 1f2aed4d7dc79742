//===- Rings.h - What joins the programs of a pair --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTORING_RINGS_H
#define EMBER_LIB_CONVERSION_DLCTORING_RINGS_H

#include "ember/Dialect/Ring/IR/Ring.h"

namespace ember {

/// The rings of a program, in one of its halves.
struct Rings {
  mlir::TypedValue<ring::DataType> data;
  mlir::TypedValue<ring::TokensType> tokens;

  ring::TokensType getTokensType() const { return tokens.getType(); }
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTORING_RINGS_H
