//===- UserFunction.h - Functions of one's own ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `cin.function` as far as random statements have them: of `x` and `y`.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_USERFUNCTION_H
#define EMBER_FUZZ_STATEMENTS_USERFUNCTION_H

#include "ember/Fuzz/Program/Random.h"
#include "ember/Fuzz/Statements/Term.h"

namespace ember::fuzz {

struct UserFunction {
  std::string name;
  /// Of operands and result.
  Scalar type = Scalar::F32;
  /// Made of the variables `x` and `y`, numbers, `+`, `-`, `*`, `min`, `max`,
  /// `&`, `|`, `^`, and `if` of one comparison.
  Term body;
  /// What is declared of it, as a list of attributes.
  std::string properties;
  /// What reductions begin with; only what they may be of has one.
  std::string identity;
  /// A number that `y` has in an extra body, or nothing.
  std::string known;

  bool isReduction() const { return !identity.empty(); }
};

/// A function with properties that it has, perhaps one that reductions may be
/// of. If it is not real, `type` is one of integers or booleans.
UserFunction drawFunction(Random &random, Scalar type, std::string name);

/// The operation, as text.
std::string printFunction(const UserFunction &function);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_USERFUNCTION_H
