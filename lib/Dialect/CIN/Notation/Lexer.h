//===- Lexer.h - Words of a statement ---------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_NOTATION_LEXER_H
#define EMBER_LIB_DIALECT_CIN_NOTATION_LEXER_H

#include "Ast.h"

#include "llvm/ADT/StringRef.h"

namespace ember::cin {

struct Token {
  enum class Kind : uint8_t { name, number, symbol, separator, end, wrong };
  Kind kind = Kind::end;
  llvm::StringRef text;
  Position position;

  bool is(llvm::StringRef symbol) const {
    return kind == Kind::symbol && text == symbol;
  }
  bool isWord(llvm::StringRef word) const {
    return kind == Kind::name && text == word;
  }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : rest(text) {}

  /// The next word. Statements are separated by `;`, or by the end of a line
  /// that is in no parentheses.
  Token next();

private:
  void skip(size_t count);

  llvm::StringRef rest;
  Position position;
  unsigned depth = 0;
};

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_NOTATION_LEXER_H
