//===- Token.h - What streams of a Sparse Abstract Machine carry -*- C++
//-*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a nested list, sent one token a cycle: data, a stop S_n where n+1
// lists end at once, N where a list or an element is missing, and D at the end.
//
//   0 2 S0 N S0 1 S1 D      [[0, 2], [missing], [1]]
//
// What a data token holds follows from the stream: an integer (coordinates,
// references, bits) or a number. A stream of repeat signals holds R as its
// data, and S for every stop.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_TOKEN_H
#define EMBER_SIM_SAM_TOKEN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace ember::sim::sam {

/// What the data of a stream is; `any` follows what is connected.
enum class StreamType : uint8_t {
  any,
  coordinate,
  reference,
  value,
  signal,
  bits,
  skip
};

llvm::StringRef nameOf(StreamType type);

/// Integers of streams of coordinates may stand for references, as where a
/// dense level is located.
inline bool holdsIntegers(StreamType type) {
  return type == StreamType::coordinate || type == StreamType::reference ||
         type == StreamType::bits || type == StreamType::skip;
}

enum class TokenKind : uint8_t { data, stop, empty, done };

struct Token {
  /// The bits of an integer or of a number, or the level of a stop.
  uint64_t payload = 0;
  TokenKind kind = TokenKind::data;

  static Token integer(int64_t value) {
    return {static_cast<uint64_t>(value), TokenKind::data};
  }
  static Token number(double value) {
    return {std::bit_cast<uint64_t>(value), TokenKind::data};
  }
  static Token stop(uint64_t level) { return {level, TokenKind::stop}; }
  static Token empty() { return {0, TokenKind::empty}; }
  static Token done() { return {0, TokenKind::done}; }

  bool isData() const { return kind == TokenKind::data; }
  bool isStop() const { return kind == TokenKind::stop; }
  bool isEmpty() const { return kind == TokenKind::empty; }
  bool isDone() const { return kind == TokenKind::done; }
  int64_t integer() const { return static_cast<int64_t>(payload); }
  double number() const { return std::bit_cast<double>(payload); }

  bool operator==(const Token &) const = default;
};

/// A token with the cycle in which it may first be used.
struct TimedToken {
  Token token;
  uint64_t cycle = 0;

  bool operator==(const TimedToken &) const = default;
};

/// `5`, `2.5`, `S0`, `N`, `D`, and `R` and `S` in streams of signals.
std::string printToken(Token token, StreamType type);
std::string printTokens(llvm::ArrayRef<Token> tokens, StreamType type);

/// Reads tokens that spaces separate. An error says which token is wrong.
llvm::Expected<Token> parseToken(llvm::StringRef text, StreamType type);
llvm::Expected<std::vector<Token>> parseTokens(llvm::StringRef text,
                                               StreamType type);

} // namespace ember::sim::sam

#endif
