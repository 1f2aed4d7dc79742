//===- GradientEvaluator.cpp - Gradients of statements --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements are evaluated once for each element that a gradient is by, with
// the tangents of that direction.
//
//===----------------------------------------------------------------------===//

#include "StatementRun.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

/// Rounding errors that a gradient may be made of, in units of what is added up
/// in it.
static constexpr double kRoundings = 400;

//===----------------------------------------------------------------------===//
// Tangents of a run
//===----------------------------------------------------------------------===//

void StatementRun::setDirection(const std::string &array, size_t element) {
  hasDirection = true;
  arrays.at(array).numbers[element].tangent = {1, 0, 1};
  for (const StoredArray &target : notation.arrays)
    if (notation.isTarget(target.name) && !target.isTemporary &&
        !target.hasLevels())
      findGiven(target);
}

void StatementRun::findGiven(const StoredArray &array) {
  const Statement *first = nullptr;
  bool isMultiplied = false;
  for (const Statement &statement : notation.statements) {
    if (statement.target.name != array.name)
      continue;
    first = first ? first : &statement;
    isMultiplied |= statement.function == "*";
  }
  if (!isMultiplied)
    return;
  bool combines = !first->function.empty() && first->function != "first" &&
                  first->function != "last";
  double initial = combines ? real(identity(first->function)).value : 0;
  for (const Number &number : arrays.at(array.name).numbers)
    if (number.real.value != initial)
      given.insert(&number);
}

void StatementRun::differentiate(const std::string &function, bool isReduction,
                                 const std::vector<Number> &values,
                                 Number &result) {
  if (!hasDirection || !result.isReal)
    return;
  result.tangent = {};
  std::vector<Approximate> operands;
  // What is infinite is multiplied by what may be nothing, backwards.
  bool isFinite = values.empty() || std::isfinite(result.real.value);
  for (const Number &value : values) {
    operands.push_back(real(value));
    isFinite &= std::isfinite(operands.back().value);
  }
  if (!isFinite)
    return stop(Outcome::Unspecified, "has a gradient of what is not finite");
  if (operands.empty())
    return;
  auto partials = isReduction
                      ? partialsOfReduction(function, operands, result.real)
                      : partialsOf(arithmetic, function, operands, result.real);
  if (!partials)
    return stop(Outcome::Unspecified, "has more than one gradient");
  for (size_t i = 0; i < values.size(); ++i)
    result.tangent = result.tangent + values[i].tangent.times((*partials)[i]);
}

void StatementRun::shareTangents(const Statement &statement) {
  // What may be rounded is chosen again, without what was there.
  bool isPlain = statement.value.kind == Term::Element &&
                 !notation.array(statement.value.name).isTemporary;
  for (auto &[target, all] : choices) {
    std::vector<Number> terms(all.begin() + 1, all.end());
    Number result = *target;
    double before = all.front().real.value;
    double error = all.front().real.error + result.real.error;
    bool isBefore = std::fabs(before - result.real.value) <= error;
    bool isTied =
        isBefore &&
        std::any_of(terms.begin(), terms.end(), [&](const Number &term) {
          return !(std::fabs(term.real.value - before) >
                   term.real.error + error);
        });
    // What was there has no share that anybody could ask for.
    if (isTied || (isBefore && !isPlain))
      stop(Outcome::Unspecified, "chooses among numbers that may be equal");
    if (isBefore)
      result.tangent = {};
    else
      differentiate("max", /*isReduction=*/true, terms, result);
    target->tangent = result.tangent;
  }
  choices.clear();
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// How much what is differentiated changes with an element: the sum over all
/// that it is, weighted with the gradients that are given.
static Tangent sumChanges(const StatementRun &run, const Notation &notation) {
  Tangent sum;
  for (const auto &[name, seeds] : notation.gradient->seeds) {
    const std::vector<Number> &elements = run.elementsOf(name);
    for (size_t i = 0; i < elements.size(); ++i) {
      double seed = decodeFloat(notation.array(name).element, seeds[i]);
      sum = sum + elements[i].tangent.times({seed, 0});
    }
  }
  return sum;
}

Outcome evaluateGradient(const Program &program, int64_t stepLimit) {
  const Notation &notation = *program.notation;
  Outcome outcome;
  outcome.inputs = program.inputs;
  std::vector<KernelParameter> parameters = parametersOf(notation);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].isWritten)
      continue;
    const StoredArray &array = notation.arrays[parameters[i].array];
    Input &gradient = outcome.inputs[i];
    gradient.errors.assign(gradient.bits.size(), 0);
    std::vector<StoredValue> values = valuesOf(array);
    for (size_t position = 0; position < values.size(); ++position) {
      // What a bitmap leaves out has none.
      if (!values[position].isStored)
        continue;
      StatementRun run(program, stepLimit);
      run.setDirection(array.name, values[position].element);
      Outcome mine = run.run();
      outcome.steps += mine.steps;
      if (mine.status != Outcome::Fine) {
        mine.inputs = std::move(outcome.inputs);
        return mine;
      }
      Tangent change = sumChanges(run, notation);
      double unit = array.element == Scalar::F64 ? 0x1p-53 : 0x1p-24;
      gradient.bits[position] = encodeFloat(array.element, change.value);
      gradient.errors[position] =
          change.error + kRoundings * unit * change.magnitude + 0x1p-120;
    }
  }
  return outcome;
}

} // namespace ember::fuzz
