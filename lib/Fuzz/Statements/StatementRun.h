//===- StatementRun.h - An evaluation of statements -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of every variable, every element of every array, whether it is
// stored or not. Written from docs/notation.md.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_STATEMENTS_STATEMENTRUN_H
#define EMBER_LIB_FUZZ_STATEMENTS_STATEMENTRUN_H

#include "Tangent.h"
#include "ember/Fuzz/Evaluation/Interpreter.h"
#include "ember/Fuzz/Statements/Statement.h"
#include <functional>
#include <set>
#include <utility>

namespace ember::fuzz {

/// A float, or an integer in its type's range; booleans are 0 or 1.
struct Number {
  bool isReal = false;
  Approximate real;
  int64_t integer = 0;
  bool isMissing = false;
  /// Of a run with a direction.
  Tangent tangent = {};

  static Number ofReal(Approximate value) { return {true, value}; }
  static Number ofInteger(int64_t value) { return {false, {}, value}; }
};

/// The elements of an array while statements are evaluated.
struct Elements {
  const StoredArray *array;
  std::vector<Number> numbers;
};

/// A number as it is stored in a type of integers.
int64_t wrap(Scalar type, int64_t value);

/// One evaluation of all statements.
class StatementRun {
public:
  StatementRun(const Program &program, int64_t stepLimit);

  /// Has tangents computed with the numbers: how they change with an element.
  /// The outcome is not specified where they are not.
  void setDirection(const std::string &array, size_t element);
  /// Evaluates the statements: how it ended, and the steps that it took.
  Outcome run();
  /// The elements of an array, now.
  const std::vector<Number> &elementsOf(const std::string &array) const {
    return arrays.at(array).numbers;
  }
  /// How much an array without gaps holds.
  size_t countOf(const std::string &array) const { return counts.at(array); }
  /// The same as an argument would have them.
  Input toInput(const std::string &array) const;

private:
  void runStatement(const Statement &statement, size_t range);
  void assign(const Statement &statement);
  /// Leaves out what is not assigned along the last index of the target.
  void closeGaps(const Statement &statement);
  Number evaluate(const Term &term);
  Number call(const Term &term);
  Number callReals(const std::string &name, const std::vector<Number> &given);
  Number callOwn(const UserFunction &function, std::vector<Number> operands);
  /// `a` and `b` by a function of an expression, a reduction or an assignment.
  Number join(const std::string &name, const Number &a, const Number &b);
  int64_t callIntegers(const std::string &name,
                       const std::vector<int64_t> &operands);
  Number compare(const std::string &name, const Number &a, const Number &b);
  Number reduce(const Term &term);
  /// The values of a reduction's terms, for the variables from `range` on.
  void collect(const Term &term, size_t range, std::vector<Number> &values);
  Number combine(const std::string &function,
                 const std::vector<Number> &values);
  /// Gives `result` its tangent, that of a function or of a reduction.
  void differentiate(const std::string &function, bool isReduction,
                     const std::vector<Number> &values, Number &result);
  /// Gives what a statement chose from several values its tangents.
  void shareTangents(const Statement &statement);
  Number identity(const std::string &function);
  /// Finds what gradients do not know of an array.
  void findGiven(const StoredArray &array);
  bool holds(const std::vector<Term> &condition);
  /// The values that a variable has, and whether its bounds decrease.
  std::vector<int64_t> valuesIn(const VariableRange &range, bool &isReversed);
  /// The positions of a list, `M[b]`, that hold or are stored.
  std::vector<int64_t> positionsIn(const Term &list);
  /// Calls `visit` for each value of the variable, which is bound then.
  void forEach(const VariableRange &range, const std::function<void()> &visit);
  /// The element at some indices; null after an error.
  Number *find(const Term &term);
  /// An index or a bound: what it is made of are integers of 64 bits.
  int64_t evaluateIndex(const Term &term) {
    bool wasIndex = std::exchange(isIndex, true);
    int64_t value = evaluate(term).integer;
    isIndex = wasIndex;
    return value;
  }
  Number number(const std::string &text);
  static Number missing() {
    Number value;
    value.isMissing = true;
    return value;
  }
  Approximate real(const Number &number) {
    return number.isReal ? number.real
                         : Approximate{static_cast<double>(number.integer), 0};
  }

  void stop(Outcome::Status status, std::string message) {
    if (outcome.status != Outcome::Fine)
      return;
    outcome.status = status;
    outcome.message = std::move(message);
  }
  bool isFine() const { return outcome.status == Outcome::Fine; }

  const Program &program;
  const Notation &notation;
  int64_t stepLimit;
  Scalar element;
  ApproximateArithmetic arithmetic;
  std::map<std::string, Elements> arrays;
  std::map<std::string, int64_t> variables;
  /// Of arrays without gaps, once statements have assigned to them.
  std::map<std::string, size_t> counts;
  /// Of the function of one's own that is evaluated.
  std::map<std::string, Number> parameters;
  bool isIndex = false;
  bool hasDirection = false;
  /// What the largest or least of was assigned to an element, what was there
  /// before first.
  std::map<Number *, std::vector<Number>> choices;
  /// Elements of results that statements multiply, and that hold something else
  /// than gradients take them to begin with.
  std::set<const Number *> given;
  /// What a statement that keeps the first value has assigned to.
  std::set<Number *> kept;
  Outcome outcome;
};

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_STATEMENTS_STATEMENTRUN_H
