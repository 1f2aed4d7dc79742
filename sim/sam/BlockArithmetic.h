//===- BlockArithmetic.h - What blocks compute of tokens --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of blocks that have no timing, for both engines. Those that may
// fail return what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_BLOCKARITHMETIC_H
#define EMBER_LIB_SIM_SAM_BLOCKARITHMETIC_H

#include "ember/Sim/SAM/Graph.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace ember::sim::sam {

/// A reference becomes the value that it stands for.
inline std::string loadValue(llvm::ArrayRef<double> values, Token &token) {
  if (token.isEmpty()) {
    token = Token::number(0);
  } else if (token.isData()) {
    if (token.payload >= values.size())
      return llvm::formatv(
          "reference {0} on 'ref' is past its array, which has {1} values",
          token.integer(), values.size());
    token = Token::number(values[token.payload]);
  }
  return {};
}

/// What add, multiply, maximum or minimum makes of two numbers.
inline double combineNumbers(BlockKind kind, double left, double right) {
  switch (kind) {
  case BlockKind::multiply:
    return left * right;
  case BlockKind::maximum:
    return std::max(left, right);
  case BlockKind::minimum:
    return std::min(left, right);
  default:
    return left + right;
  }
}

/// What a list without values is combined to.
inline double identityOf(BlockKind combiner) {
  switch (combiner) {
  case BlockKind::multiply:
    return 1;
  case BlockKind::maximum:
    return -std::numeric_limits<double>::infinity();
  case BlockKind::minimum:
    return std::numeric_limits<double>::infinity();
  default:
    return 0;
  }
}

/// Two operands become their result, in the place of the first. What is missing
/// counts as zero.
inline std::string combine(const Block &block, Token &first,
                           const Token &second) {
  bool areNumbers = (first.isData() || first.isEmpty()) &&
                    (second.isData() || second.isEmpty());
  if (areNumbers) {
    double left = first.isData() ? first.number() : 0;
    double right = second.isData() ? second.number() : 0;
    first = Token::number(
        combineNumbers(block.kind, left, block.negatesSecond ? -right : right));
    return {};
  }
  if (first.kind != second.kind || first.payload != second.payload)
    return llvm::formatv("'in1' has {0} where 'in2' has {1}",
                         printToken(first, StreamType::value),
                         printToken(second, StreamType::value));
  return {};
}

/// Whether the end of a list of values is one of the coordinates around too.
inline std::string endSums(const Token &value, const Token &outer,
                           bool sawData) {
  bool areStops = value.isStop() && outer.isStop() && !sawData &&
                  value.payload == outer.payload + 1;
  if (areStops || (value.isDone() && outer.isDone() && !sawData))
    return {};
  return llvm::formatv("'val' has {0} where 'outer' has {1}",
                       printToken(value, StreamType::value),
                       printToken(outer, StreamType::coordinate));
}

/// A coordinate becomes the reference of its place in a dense level.
inline std::string locate(const Block &block, const Level &level,
                          const Token &reference, Token &coordinate) {
  bool areData = reference.isData() && coordinate.isData();
  if (areData) {
    if (coordinate.payload >= uint64_t(level.size) ||
        reference.payload >
            uint64_t(mostPositions / std::max<int64_t>(level.size, 1)))
      return llvm::formatv("reference {2} has no place for coordinate {0} in a "
                           "level of size {1}",
                           coordinate.integer(), level.size,
                           reference.integer());
    coordinate = Token::integer(
        block.stride ? reference.integer() + coordinate.integer() * block.stride
                     : reference.integer() * level.size + coordinate.integer());
    return {};
  }
  bool isMissing =
      (reference.isEmpty() && !coordinate.isStop() && !coordinate.isDone()) ||
      (coordinate.isEmpty() && reference.isData());
  if (isMissing)
    coordinate = Token::empty();
  else if (reference.kind != coordinate.kind ||
           reference.payload != coordinate.payload)
    return llvm::formatv("'ref' has {0} where 'crd' has {1}",
                         printToken(reference, StreamType::reference),
                         printToken(coordinate, StreamType::coordinate));
  return {};
}

/// Whether a token may follow another one in a fiber of coordinates.
inline bool ascend(const Token &before, const Token &after) {
  return !before.isData() || !after.isData() ||
         after.integer() > before.integer();
}

/// Why they do not, on a side of a joiner.
inline std::string describeOrder(unsigned side, const Token &before,
                                 const Token &after) {
  return llvm::formatv("'crd{0}' has coordinate {1} behind {2}; fibers ascend",
                       side + 1, after.integer(), before.integer());
}

inline uint64_t bitsOf(uint64_t word, uint64_t from, unsigned width) {
  return (word >> from) &
         (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

/// How many bits are set in the words before one.
inline int64_t bitsBefore(llvm::ArrayRef<uint64_t> words, uint64_t number) {
  int64_t count = 0;
  for (uint64_t word : words.take_front(number))
    count += std::popcount(word);
  return count;
}

} // namespace ember::sim::sam

#endif
