//===- StatementReductions.h - To smaller statements ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_STATEMENTS_STATEMENTREDUCTIONS_H
#define EMBER_FUZZ_STATEMENTS_STATEMENTREDUCTIONS_H

#include "ember/Fuzz/Program/Ast.h"

namespace ember::fuzz {

/// What statements may do without.
enum class StatementSimplification : uint8_t {
  /// A statement.
  Statement,
  /// A function, in favour of one of its operands.
  FirstOperand,
  SecondOperand,
  LastOperand,
  /// A condition of a statement, or of a reduction.
  Condition,
  TermCondition,
  /// An array's format.
  Format,
  /// What an array has at some places.
  Elements
};

/// Simplifies the place of that number. Returns false where there is none or
/// nothing to simplify; true also where the program is not legal any more.
bool simplifyStatements(Program &program, StatementSimplification step,
                        size_t place);

/// How many places there may be.
size_t countPlaces(const Program &program, StatementSimplification step);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_STATEMENTS_STATEMENTREDUCTIONS_H
