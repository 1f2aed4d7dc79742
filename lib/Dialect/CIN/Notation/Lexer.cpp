//===- Lexer.cpp - Words of a statement -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "Number.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::isAlnum, llvm::isAlpha, llvm::isDigit, llvm::isSpace;
using llvm::StringRef;
using namespace ember::cin;

/// Longer ones first.
static constexpr llvm::StringLiteral symbols[] = {
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=",
    "&=", "|=", "^=", "[",  "]",  "(",  ")",  ",",  ":",  "=",  "+",
    "-",  "*",  "/",  "%",  "<",  ">",  "&",  "|",  "^",  "~",  "`"};

static bool isNameStart(char character) {
  return isAlpha(character) || character == '_';
}

static bool isNamePart(char character) {
  return isAlnum(character) || character == '_';
}

void Lexer::skip(size_t count) {
  for (char character : rest.take_front(count)) {
    bool isEnd = character == '\n';
    position.line += isEnd;
    position.column = isEnd ? 1 : position.column + 1;
  }
  rest = rest.drop_front(count);
}

Token Lexer::next() {
  while (!rest.empty()) {
    char character = rest.front();
    if (character == '#')
      skip(rest.take_until([](char c) { return c == '\n'; }).size());
    else if (isSpace(character) && (character != '\n' || depth))
      skip(1);
    else
      break;
  }
  Token token;
  token.position = position;
  if (rest.empty())
    return token;
  size_t length = 1;
  if (rest.front() == ';' || rest.front() == '\n') {
    token.kind = Token::Kind::separator;
  } else if (isNameStart(rest.front())) {
    token.kind = Token::Kind::name;
    length = rest.take_while(isNamePart).size();
  } else if (isDigit(rest.front()) ||
             (rest.front() == '.' && rest.size() > 1 && isDigit(rest[1]))) {
    token.kind = Token::Kind::number;
    length = findLengthOfNumber(rest);
  } else {
    token.kind = Token::Kind::wrong;
    const auto *symbol = llvm::find_if(
        symbols, [&](StringRef known) { return rest.starts_with(known); });
    if (symbol != std::end(symbols)) {
      token.kind = Token::Kind::symbol;
      length = symbol->size();
    }
    // All of a character of several bytes.
    while (token.kind == Token::Kind::wrong && length < rest.size() &&
           (rest[length] & 0xC0) == 0x80)
      ++length;
  }
  token.text = rest.take_front(length);
  if (token.is("(") || token.is("["))
    ++depth;
  else if ((token.is(")") || token.is("]")) && depth)
    --depth;
  skip(length);
  return token;
}
