//===- StatementArrays.h - Arrays of random statements ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENTARRAYS_H
#define EMBER_FUZZ_STATEMENTS_STATEMENTARRAYS_H

#include "ember/Fuzz/Program/Random.h"
#include "ember/Fuzz/Statements/Statement.h"

namespace ember::fuzz {

/// What one program is made of.
struct StatementStyle {
  Scalar element = Scalar::F32;
  bool hasRoundNumbers = true;
  /// Probabilities.
  double formats = 0;
  double fills = 0;
  double missing = 0;
  double unordered = 0;
  double encodings = 0;
  double functions = 0;
  double reuse = 0;
  double indirection = 0;
  double conditions = 0;
  double temporaries = 0;

  bool isReal() const { return isFloat(element); }
  bool isBoolean() const { return element == Scalar::I1; }
};

StatementStyle drawStatementStyle(Random &random);

/// Draws arrays, and adds them to what statements are evaluated on.
class StatementArrays {
public:
  StatementArrays(Random &random, const StatementStyle &style,
                  Notation &notation)
      : random(random), style(style), notation(notation) {}

  /// An array of values; one there is already, perhaps, if it may be.
  std::string values(const std::vector<int64_t> &shape, bool canBeOld);
  /// Of numbers below `limit`.
  std::string indices(int64_t count, int64_t limit);
  /// Offsets of `count` segments, which end at `total`.
  std::string offsets(int64_t count, int64_t &total);
  /// Lengths of `count` segments, which are `total` together.
  std::string lengths(int64_t count, int64_t &total);
  /// Booleans.
  std::string mask(const std::vector<int64_t> &shape);
  /// An array of values whose last level lists what it stores.
  std::string list(const std::vector<int64_t> &shape);
  std::string scalar();
  /// What levels an array may have: none, those that list no coordinates, so
  /// that places follow from these, or any.
  enum class Levels : uint8_t { None, Located, Any };
  /// What a statement assigns to.
  std::string target(const std::vector<int64_t> &shape, Levels levels);

  /// Whether what arrays from now on do not store may be missing.
  bool canBeMissing = true;

private:
  std::string add(StoredArray array, const char *prefix);
  uint64_t number();
  void drawFill(StoredArray &array);
  void drawLevels(StoredArray &array, bool isTarget, Levels levels);
  void drawEncoding(StoredArray &array);

  Random &random;
  const StatementStyle &style;
  Notation &notation;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENTARRAYS_H
