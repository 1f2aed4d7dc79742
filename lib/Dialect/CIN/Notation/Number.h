//===- Number.h - Numbers as they are written -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_NUMBER_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_NUMBER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace ember::cin {

/// A number of a statement.
struct Number {
  /// Whether it is written as an integer, which is `integer` unless it is too
  /// large.
  bool isInteger = false;
  bool fits = true;
  int64_t integer = 0;
  /// Its value, of integers too.
  double value = 0;
};

/// The number that `text` is, in any spelling that Python knows: `1_000`,
/// `0x1f`, `0b101`, `0o17`, `.5`, `1e-3`; also `inf` and `nan`. None if it is
/// no number.
std::optional<Number> parseNumber(llvm::StringRef text);

/// What an operator makes of numbers alone, as Python computes it: of integers
/// an integer, if it fits in 64 bits, but for quotients. None for other
/// functions, and for what has no value, as a division by 0.
std::optional<Number> compute(llvm::StringRef function,
                              llvm::ArrayRef<Number> operands);

/// How much of the beginning of `text`, a digit or a point, is a number, or
/// what was meant for one.
size_t findLengthOfNumber(llvm::StringRef text);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_NUMBER_H
