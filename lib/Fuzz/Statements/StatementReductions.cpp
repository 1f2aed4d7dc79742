//===- StatementReductions.cpp - To smaller statements --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementReductions.h"
#include "ember/Fuzz/Statements/StatementGenerator.h"
#include <algorithm>

namespace ember::fuzz {

using Step = StatementSimplification;

static bool isOfTerms(Step step) {
  return step == Step::FirstOperand || step == Step::SecondOperand ||
         step == Step::LastOperand || step == Step::TermCondition;
}

/// The terms of all values and conditions.
static std::vector<Term *> allTerms(Notation &notation) {
  std::vector<Term *> terms;
  auto add = [&](const Term &term) {
    terms.push_back(const_cast<Term *>(&term));
  };
  for (Statement &statement : notation.statements) {
    visitTerms(statement.value, add);
    for (const Term &condition : statement.condition)
      visitTerms(condition, add);
  }
  return terms;
}

size_t countPlaces(const Program &program, Step step) {
  Notation notation = *program.notation;
  if (isOfTerms(step))
    return allTerms(notation).size();
  return step == Step::Statement || step == Step::Condition
             ? notation.statements.size()
             : notation.arrays.size();
}

static bool simplifyTerm(Term &term, Step step) {
  if (step == Step::TermCondition) {
    bool hadCondition = !term.condition.empty();
    term.condition.clear();
    return hadCondition;
  }
  size_t operand = step == Step::FirstOperand    ? 0
                   : step == Step::SecondOperand ? 1
                                                 : 2;
  // An array by itself, as `size` has it, is no term.
  if (term.kind != Term::Call || operand >= term.operands.size() ||
      term.name == "size")
    return false;
  Term kept = term.operands[operand];
  term = std::move(kept);
  return true;
}

static bool simplifyArray(StoredArray &array, Step step) {
  if (step == Step::Format) {
    bool hadLevels = array.hasLevels();
    array.levels.clear();
    array.isStoredFill.clear();
    array.isMissing = false;
    array.encoding.reset();
    return hadLevels;
  }
  // Indices and offsets stay what they are.
  bool isValues = array.name.front() == 'a' || array.name.front() == 'c';
  bool isFilled =
      std::all_of(array.bits.begin(), array.bits.end(),
                  [&](uint64_t bits) { return bits == array.fill; });
  if (!isValues || isFilled)
    return false;
  std::fill(array.bits.begin() + static_cast<int64_t>(array.bits.size() / 2),
            array.bits.end(), array.fill);
  return true;
}

bool simplifyStatements(Program &program, Step step, size_t place) {
  Notation notation = *program.notation;
  if (place >= countPlaces(program, step))
    return false;
  bool isSimpler = false;
  if (isOfTerms(step)) {
    isSimpler = simplifyTerm(*allTerms(notation)[place], step);
  } else if (step == Step::Statement) {
    // Without the statement, its array is one that is given.
    notation.array(notation.statements[place].target.name).isTemporary = false;
    notation.statements.erase(notation.statements.begin() +
                              static_cast<int64_t>(place));
    isSimpler = !notation.statements.empty();
  } else if (step == Step::Condition) {
    std::vector<Term> &condition = notation.statements[place].condition;
    isSimpler = !condition.empty();
    condition.clear();
  } else {
    isSimpler = simplifyArray(notation.arrays[place], step);
  }
  if (!isSimpler)
    return false;
  bool isFaulty = program.isFaulty;
  program = makeProgram(std::move(notation));
  program.isFaulty = isFaulty;
  return true;
}

} // namespace ember::fuzz
