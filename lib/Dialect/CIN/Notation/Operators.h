//===- Operators.h - Operators and the functions they are -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_OPERATORS_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_OPERATORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace ember::cin {

struct Operator {
  llvm::StringLiteral symbol;
  llvm::StringLiteral function;
};

/// Binary operators of one precedence, which group to the left.
using Operators = llvm::ArrayRef<Operator>;

/// From those that bind least.
inline const std::vector<std::vector<Operator>> binaryLevels = {
    {{"|", "or"}},
    {{"^", "xor"}},
    {{"&", "and"}},
    {{"<<", "shl"}, {">>", "shr"}},
    {{"+", "add"}, {"-", "sub"}},
    {{"*", "mul"}, {"/", "div"}, {"//", "floordiv"}, {"%", "mod"}},
};

inline constexpr Operator comparisons[] = {{"<", "lt"},  {"<=", "le"},
                                           {">", "gt"},  {">=", "ge"},
                                           {"==", "eq"}, {"!=", "ne"}};

inline constexpr Operator assignments[] = {
    {"+=", "add"}, {"*=", "mul"}, {"&=", "and"}, {"|=", "or"}, {"^=", "xor"}};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_OPERATORS_H
