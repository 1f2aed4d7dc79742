//===- Statement.h - Statements in index notation ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What docs/notation.md describes, as far as random programs use it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENT_H
#define EMBER_FUZZ_STATEMENTS_STATEMENT_H

#include "ember/Fuzz/Statements/StoredArray.h"
#include "ember/Fuzz/Statements/UserFunction.h"
#include <functional>
#include <map>
#include <optional>

namespace ember::fuzz {

/// `target = value for ranges if condition`.
struct Statement {
  Term target;
  /// What combines the value with what is there, also `first` and `last`; empty
  /// for an assignment.
  std::string function;
  Term value;
  /// All variables that are assigned by, outer ones first.
  std::vector<VariableRange> ranges;
  std::vector<Term> condition;
};

/// Gradients that are asked for in place of what statements compute.
struct Gradient {
  /// Of dense arrays that are assigned to: the gradients that are given.
  std::map<std::string, std::vector<uint64_t>> seeds;
  /// Arrays that gradients are by.
  std::vector<std::string> by;
  /// What arrays that are assigned to have in the end.
  std::map<std::string, std::vector<uint64_t>> results = {};
};

/// Statements with what they are evaluated on.
struct Notation {
  /// In the order in which statements name them.
  std::vector<StoredArray> arrays;
  std::vector<Statement> statements;
  std::vector<UserFunction> functions = {};
  /// Of variables without a range.
  std::map<std::string, int64_t> sizes;
  /// Numbers of few bits, whose sums and products are exact in every order.
  bool hasRoundNumbers = false;
  /// What the compiler is told of all arrays: their sizes, and how much of them
  /// is stored, which need not be so; 0 for nothing.
  double hintedDensity = 0;
  std::optional<Gradient> gradient = std::nullopt;
  /// The text calls variables of reductions side by side by the same names,
  /// though they are not the same.
  bool sharesNames = false;
  /// The array of places by which scatters are grouped; empty for none.
  std::string group = {};

  StoredArray &array(const std::string &name);
  const StoredArray &array(const std::string &name) const;
  bool isTarget(const std::string &name) const;
  /// Whether statements name elements of an array, and not its sizes alone.
  bool hasElementsOf(const StoredArray &array) const;
  /// Null if there is none of that name.
  const UserFunction *findFunction(const std::string &name) const;
  /// Whether a value may be missing: if one of its operands may, both of
  /// `coalesce`, or one of the values that a reduction is of.
  bool mayBeMissing(const Term &term) const;
  /// Drops arrays that no statement names, and puts the others in order.
  void orderArrays();
};

/// A parameter of the kernel of statements: an array or a part of one.
struct KernelParameter {
  ArrayPart part;
  /// Of the array that it belongs to.
  size_t array = 0;
  /// A part of an array in a format that the kernel fills.
  bool isRoom = false;
  /// What the kernel assigns to.
  bool isWritten = false;
  /// How much an array without gaps holds.
  bool isCount = false;
};

/// In their order: what statements read, then what they assign to. Of a
/// gradient: what they read, what they have assigned to, gradients that are
/// given, and those that are asked for.
std::vector<KernelParameter> parametersOf(const Notation &notation);

/// Calls `visit` for `term` and all its parts, in the order of the text.
void visitTerms(const Term &term,
                const std::function<void(const Term &)> &visit);
void visitTerms(const Statement &statement,
                const std::function<void(const Term &)> &visit);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENT_H
