//===- CombinedValues.cpp - What ranges and reductions of statements are --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementRun.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ember::fuzz {

std::vector<int64_t> StatementRun::positionsIn(const Term &list) {
  const Elements &elements = arrays.at(list.name);
  const StoredArray &array = *elements.array;
  int64_t row = 0;
  for (size_t dimension = 0; dimension < list.operands.size(); ++dimension)
    row =
        row * array.shape[dimension] + evaluateIndex(list.operands[dimension]);
  int64_t size = array.shape.back();
  std::vector<bool> isIn(elements.numbers.size());
  for (size_t i = 0; i < isIn.size() && !array.hasLevels(); ++i)
    isIn[i] = elements.numbers[i].integer != 0;
  if (array.hasLevels())
    for (StoredValue value : valuesOf(array))
      isIn[value.element] = value.isStored;
  std::vector<int64_t> positions;
  for (int64_t at = 0; at < size && isFine(); ++at)
    if (isIn[static_cast<size_t>(row * size + at)])
      positions.push_back(at);
  return positions;
}

std::vector<int64_t> StatementRun::valuesIn(const VariableRange &range,
                                            bool &isReversed) {
  int64_t lower = 0, upper = 0;
  if (range.bounds.empty()) {
    upper = notation.sizes.at(range.variable);
  } else if (range.bounds.size() == 2) {
    lower = evaluateIndex(range.bounds[0]);
    upper = evaluateIndex(range.bounds[1]);
  } else if (range.bounds[0].kind == Term::Element) {
    return positionsIn(range.bounds[0]);
  } else {
    // Lengths of the segments before it are added up.
    const Term &length = range.bounds[0].operands[0];
    int64_t at = evaluateIndex(length.operands[0]);
    const std::vector<Number> &lengths = arrays.at(length.name).numbers;
    for (int64_t i = 0; i < at; ++i)
      lower += lengths[static_cast<size_t>(i)].integer;
    upper = lower + evaluateIndex(length);
  }
  isReversed = lower > upper;
  std::vector<int64_t> values;
  for (int64_t value = lower; value < upper && isFine(); ++value)
    values.push_back(value);
  return values;
}

void StatementRun::forEach(const VariableRange &range,
                           const std::function<void()> &visit) {
  bool isReversed = false;
  std::vector<int64_t> values = valuesIn(range, isReversed);
  if (isReversed && isFine()) {
    outcome.isReported = true;
    outcome.fault = Fault::Segment;
    outcome.mayGoUnnoticed = true;
    stop(Outcome::Trap, "offsets decrease");
  }
  for (int64_t value : values) {
    if (!isFine())
      break;
    variables[range.variable] = value;
    visit();
  }
  variables.erase(range.variable);
}

bool StatementRun::holds(const std::vector<Term> &condition) {
  if (condition.empty())
    return true;
  Number value = evaluate(condition.front());
  return !value.isMissing && value.integer != 0;
}

void StatementRun::collect(const Term &term, size_t range,
                           std::vector<Number> &values) {
  const std::vector<VariableRange> &ranges = term.ranges;
  if (range == ranges.size()) {
    if (!holds(term.condition))
      return;
    Number value = evaluate(term.operands.front());
    if (!value.isMissing)
      values.push_back(value);
    return;
  }
  forEach(ranges[range], [&] { collect(term, range + 1, values); });
}

Number StatementRun::reduce(const Term &term) {
  std::vector<Number> values;
  collect(term, 0, values);
  if (values.empty() && notation.mayBeMissing(term.operands.front()))
    return missing();
  return isFine() ? combine(term.name, values) : Number();
}

Number StatementRun::identity(const std::string &function) {
  if (const UserFunction *own = notation.findFunction(function))
    return number(own->identity);
  bool isProduct = function == "prod" || function == "*";
  bool isMost = function == "max", isLeast = function == "min";
  if (isFloat(element)) {
    double infinity = std::numeric_limits<double>::infinity();
    return Number::ofReal({isProduct ? 1.0
                           : isMost  ? -infinity
                           : isLeast ? infinity
                                     : 0.0,
                           0});
  }
  if (function == "all" || function == "&")
    return Number::ofInteger(wrap(element, -1));
  bool isBoolean = bitWidth(element) == 1;
  unsigned shift = isBoolean ? 63 : 64 - bitWidth(element);
  int64_t largest = std::numeric_limits<int64_t>::max() >> shift;
  if (isLeast)
    return Number::ofInteger(isBoolean ? 1 : largest);
  if (isMost)
    return Number::ofInteger(isBoolean ? 0 : -largest - 1);
  return Number::ofInteger(isProduct);
}

Number StatementRun::combine(const std::string &function,
                             const std::vector<Number> &values) {
  Number result = identity(function);
  if (function == "sum" || function == "+") {
    if (isFloat(element)) {
      std::vector<Approximate> terms;
      for (const Number &value : values)
        terms.push_back(real(value));
      result.real = arithmetic.sum(terms);
      if (std::isnan(result.real.value))
        stop(Outcome::Unspecified, "computes a value that is no number");
      differentiate("+", /*isReduction=*/true, values, result);
      return result;
    }
  }
  static const std::map<std::string, std::string> calls = {
      {"sum", "+"}, {"prod", "*"}, {"all", "&"}, {"any", "|"}, {"xor", "^"}};
  auto found = calls.find(function);
  std::string name = found == calls.end() ? function : found->second;
  double magnitude = 0;
  for (const Number &value : values) {
    result = join(name, result, value);
    if (isFloat(element))
      magnitude = std::max(magnitude, std::fabs(result.real.value));
  }
  // Products of others first round otherwise.
  bool isInexact = result.isReal && name == "*" && values.size() > 2 &&
                   result.real.error > 0;
  if (isInexact)
    result.real = arithmetic.loosen(result.real, magnitude,
                                    static_cast<int>(4 * values.size()));
  differentiate(name, /*isReduction=*/true, values, result);
  return result;
}

} // namespace ember::fuzz
