//===- Term.h - Expressions in index notation -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_TERM_H
#define EMBER_FUZZ_STATEMENTS_TERM_H

#include <cstdint>
#include <string>
#include <vector>

namespace ember::fuzz {

struct Term;

/// `p in lower:upper`, `p in segment(L[b])`, `p in M[b]`, where booleans hold,
/// `p in A[b]`, what an array in a format stores, or a variable that takes all
/// positions of what it is an index of.
struct VariableRange {
  std::string variable;
  /// Lower and upper bound, what is behind `in`, or nothing.
  std::vector<Term> bounds;
};

/// An expression, or an index.
struct Term {
  enum Kind : uint8_t {
    /// Of which `name` is the text.
    Number,
    Variable,
    /// An element of an array at `operands`, or a scalar.
    Element,
    /// A function or operator of `operands`; `< <=` compares three of them.
    /// `size` is of an array by itself and the number of a dimension. As an
    /// index also `slice`, of a variable, where it begins and ends, and its
    /// step.
    Call,
    /// A function of all values of an expression, `operands.front()`.
    Reduction
  };
  Kind kind = Number;
  std::string name;
  std::vector<Term> operands;
  std::vector<VariableRange> ranges;
  /// Of a reduction: what has to hold for a value to count, or nothing.
  std::vector<Term> condition;
  /// A sum that the text does not write, since its variables say it.
  bool isImplicit = false;
  /// A reduction that is all of a value: the text writes ranges and condition
  /// behind the statement.
  bool isBoundBehind = false;
};

/// What expressions are made of.
Term callOf(std::string name, std::vector<Term> operands);
Term variableOf(const std::string &name);
Term integerOf(int64_t value);
Term elementOf(std::string array, std::vector<Term> indices);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_TERM_H
