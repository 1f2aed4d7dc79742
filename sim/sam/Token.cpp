//===- Token.cpp - What streams of a Sparse Abstract Machine carry --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/Token.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <charconv>

using namespace llvm;

namespace ember::sim::sam {

/// Deeper than any tensor, and small enough to be added to.
static constexpr uint64_t deepestStop = 255;

/// The shortest text that is read as the same number.
static std::string printNumber(double number) {
  char text[32];
  return std::string(
      text, std::to_chars(std::begin(text), std::end(text), number).ptr);
}

StringRef nameOf(StreamType type) {
  switch (type) {
  case StreamType::any:
    return "any";
  case StreamType::coordinate:
    return "crd";
  case StreamType::reference:
    return "ref";
  case StreamType::value:
    return "val";
  case StreamType::signal:
    return "sig";
  case StreamType::bits:
    return "bv";
  case StreamType::skip:
    return "skip";
  }
  return "any";
}

std::string printToken(Token token, StreamType type) {
  switch (token.kind) {
  case TokenKind::data:
    if (type == StreamType::signal)
      return "R";
    if (type == StreamType::value)
      return printNumber(token.number());
    if (type == StreamType::bits)
      return utostr(token.payload);
    return itostr(token.integer());
  case TokenKind::stop:
    return type == StreamType::signal ? "S" : "S" + utostr(token.payload);
  case TokenKind::empty:
    return "N";
  case TokenKind::done:
    return "D";
  }
  return "";
}

std::string printTokens(ArrayRef<Token> tokens, StreamType type) {
  return join(
      map_range(tokens, [&](Token token) { return printToken(token, type); }),
      " ");
}

Expected<Token> parseToken(StringRef text, StreamType type) {
  auto wrong = [&](const Twine &expected) {
    return createStringError("'" + text + "': expected " + expected +
                             " in a stream of type '" + nameOf(type) + "'");
  };
  if (text == "D")
    return Token::done();
  if (type == StreamType::signal) {
    if (text == "R")
      return Token::integer(0);
    return text == "S" ? Expected<Token>(Token::stop(0)) : wrong("R, S or D");
  }
  if (text == "N")
    return Token::empty();
  if (StringRef level = text; level.consume_front("S")) {
    uint64_t number = 0;
    if (level.getAsInteger(10, number) || number > deepestStop)
      return wrong("the level of a stop, S0 to S" + Twine(deepestStop) + ",");
    return Token::stop(number);
  }
  if (type == StreamType::value) {
    double number = 0;
    if (text.getAsDouble(number))
      return wrong("a number, S0, N or D");
    return Token::number(number);
  }
  uint64_t bits = 0;
  int64_t number = 0;
  if (type == StreamType::bits ? text.getAsInteger(10, bits)
                               : text.getAsInteger(10, number) || number < 0)
    return wrong("an integer from 0, S0, N or D");
  return type == StreamType::bits ? Token{bits, TokenKind::data}
                                  : Token::integer(number);
}

Expected<std::vector<Token>> parseTokens(StringRef text, StreamType type) {
  SmallVector<StringRef, 16> words;
  SplitString(text, words);
  std::vector<Token> tokens;
  for (auto [position, word] : enumerate(words)) {
    if (!tokens.empty() && tokens.back().isDone())
      return createStringError(formatv(
          "token {0}: '{1}' follows D, which ends a stream", position, word));
    Expected<Token> token = parseToken(word, type);
    if (!token)
      return createStringError(
          formatv("token {0}: {1}", position, toString(token.takeError())));
    tokens.push_back(*token);
  }
  return tokens;
}

} // namespace ember::sim::sam
