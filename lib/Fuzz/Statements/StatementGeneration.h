//===- StatementGeneration.h - How statements are drawn ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables come first, with the sizes or segments that they have, then what is
// made of them; arrays are as large as their indices need them to be.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_STATEMENTS_STATEMENTGENERATION_H
#define EMBER_LIB_FUZZ_STATEMENTS_STATEMENTGENERATION_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Statements/StatementArrays.h"

namespace ember::fuzz {

/// A variable where something is drawn of it.
struct Variable {
  std::string name;
  /// Its values are below this.
  int64_t limit = 0;
  /// It has a range; otherwise what it is an index of says its values.
  bool hasRange = false;
};

using Variables = std::vector<Variable>;

class StatementGenerator {
public:
  explicit StatementGenerator(Random &random)
      : random(random), style(drawStatementStyle(random)),
        arrays(random, style, notation) {
    notation.hasRoundNumbers = style.hasRoundNumbers;
    // Halves are computed in f32.
    Scalar type = isHalf(style.element) ? Scalar::F32 : style.element;
    for (size_t number = 0; style.functions > 0 && number < 2; ++number)
      notation.functions.push_back(
          drawFunction(random, type, "f" + std::to_string(number)));
  }

  Program run();

private:
  Statement drawStatement(bool isLast);
  void drawTarget(Statement &statement, Variables &variables);
  void drawScatter(Statement &statement, Variables &variables);
  /// Another statement on a dense array that one before assigns to; false if
  /// none is suitable.
  bool drawUpdate(Statement &statement, Variables &variables, bool isLast);
  /// A function of one's own, one of reductions if it has to be; null if there
  /// is none or another one is to be drawn.
  const UserFunction *drawOwn(bool isReduction);
  std::string drawCombination();
  void completeValue(Term &value);
  Term drawValue(const Variables &variables, const std::string &function);
  Term drawImplicit(const Variables &variables);
  Term drawTerm(const Variables &variables, int depth);
  Term drawCall(const Variables &variables, int depth);
  Term drawReduction(const Variables &variables, int depth);
  Term drawCondition(const Variables &variables);
  /// Has one of the lookups by `variables` lead outside, perhaps, where the
  /// condition, a part of which is new, does not hold.
  void drawGuard(const std::vector<Term> &terms, const Variables &variables,
                 std::vector<Term> &condition);
  Term drawElement(const Variables &variables, bool hasLast = false);
  /// An element of an array that a statement before assigns to.
  Term drawComputed(const StoredArray &array, const Variables &variables);
  Term drawIndex(const Variable &variable, const Variables &variables,
                 int64_t &size);
  /// A number that indices are digits of: perhaps the size of an array.
  Term drawRadix(int64_t radix);
  /// `3 * i + j` of new variables, of which no two give one index; `size` is
  /// what it stays below.
  Term drawDigits(Statement &statement, Variables &variables, int64_t &size);
  /// Has what is assigned along the last index stored without gaps, perhaps,
  /// under a condition on that.
  void drawCompact(Statement &statement);
  /// Groups elements by places, if there are any that it matters for.
  void drawGroup();
  Term drawNumber();
  /// `a < b <= c`
  Term drawChain(const Variables &variables);
  /// A value where there may be none.
  Term complete(Term value);
  /// What a mask has, or an array in a format stores, of a row of so many.
  Term drawList(const Variables &sized, int64_t size, bool isStored);
  /// The end of a range, perhaps the size of an array, which `size` becomes.
  Term drawSize(int64_t &size);
  /// `i(1:7:2)`; `size` is how long a dimension it is of.
  Term drawSlice(const Variable &chosen, int64_t &size);
  /// A variable that is new, with a size, a segment or a list.
  Variable bind(const Variables &variables, std::vector<VariableRange> &ranges);
  void drawBeginnings();
  void drawGradient();
  void drawFault(Program &program);

  Random &random;
  StatementStyle style;
  Notation notation;
  StatementArrays arrays;
  size_t names = 0;
  /// What a statement has to read, as it says how many values the digits of its
  /// target have.
  std::optional<Term> inDigits;
  /// Elements that terms of one statement look up, all together.
  int64_t work = 1;
};

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_STATEMENTS_STATEMENTGENERATION_H
