//===- StatementEvaluator.cpp - What statements compute -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include "StatementRun.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ember::fuzz {

/// Terms that are added to an element one after the other, at most.
static constexpr int mostTerms = 200;

/// The type that statements compute in: halves in f32.
static Scalar computeType(const Notation &notation) {
  Scalar element =
      notation.array(notation.statements.front().target.name).element;
  return isHalf(element) ? Scalar::F32 : element;
}

StatementRun::StatementRun(const Program &program, int64_t stepLimit)
    : program(program), notation(*program.notation), stepLimit(stepLimit),
      element(computeType(notation)), arithmetic(element) {
  for (const StoredArray &array : notation.arrays) {
    Elements elements{&array, {}};
    for (uint64_t bits : array.bits) {
      bool isBoolean = bitWidth(array.element) == 1;
      if (isFloat(array.element))
        elements.numbers.push_back(
            Number::ofReal({decodeFloat(array.element, bits), 0}));
      else
        elements.numbers.push_back(
            Number::ofInteger(isBoolean ? static_cast<int64_t>(bits & 1)
                                        : signedValue(array.element, bits)));
    }
    if (array.isMissing) {
      for (Number &number : elements.numbers)
        number.isMissing = true;
      for (StoredValue value : valuesOf(array))
        elements.numbers[value.element].isMissing &= !value.isStored;
    }
    arrays[array.name] = std::move(elements);
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Number StatementRun::number(const std::string &text) {
  if (text == "True" || text == "False")
    return Number::ofInteger(text == "True");
  if (isIndex || !isFloat(element))
    return Number::ofInteger(std::stoll(text));
  double value = std::stod(text);
  if (element == Scalar::F32)
    value = static_cast<float>(value);
  return Number::ofReal({value, 0});
}

Number *StatementRun::find(const Term &term) {
  Elements &elements = arrays.at(term.name);
  const std::vector<int64_t> &shape = elements.array->shape;
  int64_t position = 0;
  for (size_t dimension = 0; dimension < term.operands.size(); ++dimension) {
    int64_t index = evaluateIndex(term.operands[dimension]);
    if (!isFine())
      return nullptr;
    if (index < 0 || index >= shape[dimension]) {
      outcome.isReported = true;
      outcome.fault = Fault::Index;
      stop(Outcome::Trap, "index " + std::to_string(index) +
                              " is out of range for dimension " +
                              std::to_string(dimension) + " of " + term.name);
      return nullptr;
    }
    position = position * shape[dimension] + index;
  }
  return &elements.numbers[static_cast<size_t>(position)];
}

static bool isComparison(const std::string &name) {
  return name == "<" || name == "<=" || name == ">" || name == ">=" ||
         name == "==" || name == "!=";
}

Number StatementRun::compare(const std::string &name, const Number &a,
                             const Number &b) {
  double difference =
      static_cast<double>(a.integer) - static_cast<double>(b.integer);
  if (a.isReal || b.isReal) {
    Approximate x = real(a), y = real(b);
    difference = x.value < y.value ? -1 : x.value > y.value ? 1 : 0;
    double apart = std::fabs(x.value - y.value);
    if (x.error + y.error > 0 && !(apart > x.error + y.error))
      stop(Outcome::Unspecified, "compares numbers that are not exact");
  }
  bool isTrue = name == "<"    ? difference < 0
                : name == "<=" ? difference <= 0
                : name == ">"  ? difference > 0
                : name == ">=" ? difference >= 0
                : name == "==" ? difference == 0
                               : difference != 0;
  return Number::ofInteger(isTrue);
}

/// The smaller or larger one, without regard to the signs of zeros.
static Approximate choose(Approximate a, Approximate b, bool isLarger) {
  bool isFirst = isLarger ? a.value > b.value : a.value < b.value;
  return {isFirst ? a.value : b.value, std::max(a.error, b.error)};
}

/// A whole number; none where the error leaves open which it is.
static Approximate roundWhole(Approximate a, double (*round)(double)) {
  bool isClear = round(a.value - a.error) == round(a.value + a.error);
  return {isClear ? round(a.value) : std::nan(""), 0};
}

Number StatementRun::callReals(const std::string &name,
                               const std::vector<Number> &given) {
  Approximate a = real(given[0]);
  Approximate b = given.size() > 1 ? real(given[1]) : Approximate();
  Approximate result;
  if (name == "+")
    result = arithmetic.add(a, b);
  else if (name == "-" && given.size() == 2)
    result = arithmetic.subtract(a, b);
  else if (name == "*")
    result = arithmetic.multiplyInSum(a, b);
  else if (name == "-")
    result = arithmetic.negate(a);
  else if (name == "abs")
    result = arithmetic.absolute(a);
  else if (name == "sqrt")
    result = arithmetic.squareRoot(a);
  else if (name == "exp")
    result = arithmetic.exponential(a);
  else if (name == "sigmoid")
    result = arithmetic.sigmoid(a);
  else if (name == "cos")
    result = arithmetic.cosine(a);
  else if (name == "sin")
    result = arithmetic.sine(a);
  else if (name == "expm1")
    result = arithmetic.exponentialLess1(a);
  else if (name == "log1p")
    result = arithmetic.logarithmOf1Plus(a);
  else if (name == "erf")
    result = arithmetic.errorFunction(a);
  else if (name == "floor")
    result = roundWhole(a, std::floor);
  else if (name == "ceil")
    result = roundWhole(a, std::ceil);
  else if (name == "trunc")
    result = roundWhole(a, std::trunc);
  else if (name == "round")
    result = roundWhole(a, std::nearbyint);
  else if (name == "detach")
    result = a;
  else if (name == "relu")
    result = choose(a, {}, /*isLarger=*/true);
  else
    result = choose(a, b, /*isLarger=*/name == "max");
  // What 0 times infinity is, formats leave open.
  if (std::isnan(result.value))
    stop(Outcome::Unspecified, "computes a value that is no number");
  return Number::ofReal(result);
}

/// Rounded down, or what is left then.
static int64_t divide(int64_t a, int64_t b, bool isRest) {
  int64_t quotient = a / b, rest = a % b;
  bool isAbove = rest != 0 && (rest < 0) != (b < 0);
  return isRest ? rest + (isAbove ? b : 0) : quotient - (isAbove ? 1 : 0);
}

int64_t StatementRun::callIntegers(const std::string &name,
                                   const std::vector<int64_t> &operands) {
  auto a = static_cast<uint64_t>(operands[0]);
  auto b = static_cast<uint64_t>(operands.size() > 1 ? operands[1] : 0);
  uint64_t result = 0;
  if (name == "+")
    result = a + b;
  else if (name == "-" && operands.size() == 2)
    result = a - b;
  else if (name == "-")
    result = -a;
  else if (name == "*")
    result = a * b;
  else if (name == "&" || name == "and")
    result = a & b;
  else if (name == "|" || name == "or")
    result = a | b;
  else if (name == "^")
    result = a ^ b;
  else if (name == "~" || name == "not")
    result = ~a;
  else if (name == "abs")
    result = operands[0] < 0 ? -a : a;
  else if (name == "slice")
    return operands[1] + operands[3] * operands[0];
  else if (name == "<<")
    result = b < bitWidth(element) ? a << b : 0;
  else if (name == ">>")
    return operands[0] >> std::min<uint64_t>(b, bitWidth(element) - 1);
  else if (name == "//" || name == "%")
    return divide(operands[0], operands[1], /*isRest=*/name == "%");
  else if (name == "min")
    return std::min(operands[0], operands[1]);
  else if (name == "max")
    return std::max(operands[0], operands[1]);
  return static_cast<int64_t>(result);
}

int64_t wrap(Scalar type, int64_t value) {
  uint64_t bits = truncateBits(type, static_cast<uint64_t>(value));
  return bitWidth(type) == 1 ? static_cast<int64_t>(bits)
                             : signedValue(type, bits);
}

Number StatementRun::callOwn(const UserFunction &function,
                             std::vector<Number> operands) {
  for (Number &operand : operands)
    if (isFloat(element) && !operand.isReal)
      operand = Number::ofReal(real(operand));
  std::map<std::string, Number> outer =
      std::exchange(parameters, {{"x", std::move(operands[0])},
                                 {"y", std::move(operands[1])}});
  Number result = evaluate(function.body);
  parameters = std::move(outer);
  return result;
}

Number StatementRun::join(const std::string &name, const Number &a,
                          const Number &b) {
  if (const UserFunction *own = notation.findFunction(name))
    return callOwn(*own, {a, b});
  if (isFloat(element))
    return callReals(name, {a, Number::ofReal(real(b))});
  return Number::ofInteger(
      wrap(element, callIntegers(name, {a.integer, b.integer})));
}

Number StatementRun::call(const Term &term) {
  if (term.name == "size") {
    const StoredArray &array = notation.array(term.operands[0].name);
    auto place = static_cast<size_t>(std::stoll(term.operands[1].name));
    return Number::ofInteger(array.shape[place]);
  }
  std::vector<Number> operands;
  for (const Term &operand : term.operands)
    operands.push_back(evaluate(operand));
  if (!isFine())
    return {};
  if (term.name == "coalesce")
    return operands[operands[0].isMissing ? 1 : 0];
  if (std::any_of(operands.begin(), operands.end(),
                  [](const Number &operand) { return operand.isMissing; }))
    return missing();
  if (const UserFunction *own = notation.findFunction(term.name))
    return callOwn(*own, operands);
  if (operands.size() == 3 && term.name.find(' ') != std::string::npos) {
    size_t space = term.name.find(' ');
    bool isFirst =
        compare(term.name.substr(0, space), operands[0], operands[1]).integer !=
        0;
    Number second =
        compare(term.name.substr(space + 1), operands[1], operands[2]);
    return Number::ofInteger(isFirst && second.integer);
  }
  if (term.name == "if" || term.name == "where")
    return operands[operands[0].integer ? 1 : 2];
  if (isComparison(term.name))
    return compare(term.name, operands[0], operands[1]);
  bool isLogical =
      term.name == "and" || term.name == "or" || term.name == "not";
  bool areReal = std::any_of(operands.begin(), operands.end(),
                             [](const Number &a) { return a.isReal; });
  if (areReal) {
    Number result = callReals(term.name, operands);
    differentiate(term.name, /*isReduction=*/false, operands, result);
    return result;
  }
  std::vector<int64_t> integers;
  for (const Number &operand : operands)
    integers.push_back(operand.integer);
  // Indices are of 64 bits, and so are theirs.
  bool isWide = isIndex || isFloat(element);
  Scalar type = isLogical ? Scalar::I1 : isWide ? Scalar::I64 : element;
  return Number::ofInteger(wrap(type, callIntegers(term.name, integers)));
}

Number StatementRun::evaluate(const Term &term) {
  if (++outcome.steps > stepLimit)
    stop(Outcome::TooLong, "takes too long");
  if (!isFine())
    return {};
  switch (term.kind) {
  case Term::Number:
    return number(term.name);
  case Term::Variable:
    if (!parameters.empty())
      return parameters.at(term.name);
    return Number::ofInteger(variables.at(term.name));
  case Term::Element: {
    Number *found = find(term);
    if (given.contains(found))
      stop(Outcome::Unspecified, "has a gradient of what it was not given");
    return found ? *found : Number();
  }
  case Term::Call:
    return call(term);
  case Term::Reduction:
    return reduce(term);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void StatementRun::assign(const Statement &statement) {
  if (!holds(statement.condition))
    return;
  Number value = evaluate(statement.value);
  bool isDense = !notation.array(statement.target.name).hasLevels();
  if (value.isMissing && isDense && statement.function.empty())
    value = identity(statement.value.name);
  if (value.isMissing)
    return;
  Number *target = find(statement.target);
  if (!target || !isFine())
    return;
  Scalar type = notation.array(statement.target.name).element;
  if (isFloat(type) && !value.isReal)
    value = Number::ofReal(real(value));
  bool isKept = statement.function == "first" || statement.function == "last";
  if (statement.function == "first" && !kept.insert(target).second)
    return;
  if (statement.function.empty() || isKept)
    given.erase(target);
  if (given.contains(target) && statement.function == "*" &&
      !value.tangent.isNothing())
    stop(Outcome::Unspecified, "has a gradient of what it was not given");
  if (!statement.function.empty() && !isKept) {
    bool isChoice = statement.function == "max" || statement.function == "min";
    if (hasDirection && isChoice) {
      std::vector<Number> &all = choices[target];
      if (all.empty())
        all.push_back(*target);
      Number term = value;
      uint64_t bits = arithmetic.store(type, value.real, term.real.error);
      term.real.value = decodeFloat(type, bits);
      all.push_back(term);
    }
    double magnitude =
        std::fabs(target->real.value) + std::fabs(value.real.value);
    value = combine(statement.function, {*target, value});
    // Terms may be added in any order, each to what is there.
    if (value.isReal && !notation.hasRoundNumbers && !isChoice)
      value.real = arithmetic.loosen(value.real, magnitude, mostTerms);
  }
  if (isFloat(type)) {
    // Rounded to what is stored.
    double error = 0;
    uint64_t bits = arithmetic.store(type, value.real, error);
    Tangent tangent = value.tangent;
    *target = Number::ofReal({decodeFloat(type, bits), error});
    target->tangent = tangent;
  } else {
    bool isBoolean = bitWidth(type) == 1;
    *target = Number::ofInteger(isBoolean ? value.integer != 0
                                          : wrap(type, value.integer));
  }
}

void StatementRun::runStatement(const Statement &statement, size_t range) {
  if (range == statement.ranges.size())
    assign(statement);
  else
    forEach(statement.ranges[range],
            [&] { runStatement(statement, range + 1); });
}

void StatementRun::closeGaps(const Statement &statement) {
  const std::string &name = statement.target.name;
  auto length = static_cast<size_t>(notation.array(name).shape.back());
  const std::string &variable = statement.target.operands.back().name;
  std::vector<size_t> kept;
  for (size_t position = 0; position < length; ++position) {
    variables[variable] = static_cast<int64_t>(position);
    if (holds(statement.condition))
      kept.push_back(position);
  }
  variables.erase(variable);
  std::vector<Number> &numbers = arrays.at(name).numbers;
  for (size_t row = 0; row < numbers.size(); row += length)
    for (size_t place = 0; place < kept.size(); ++place)
      numbers[row + place] = numbers[row + kept[place]];
  counts[name] = kept.size();
}

Input StatementRun::toInput(const std::string &name) const {
  const Elements &elements = arrays.at(name);
  const StoredArray &array = *elements.array;
  Input input;
  input.element = array.element;
  input.isMemRef = !array.isScalar;
  input.shape = array.shape;
  if (auto count = counts.find(name); count != counts.end())
    for (size_t k = 0; k < elements.numbers.size(); ++k)
      input.isOpen.push_back(k % static_cast<size_t>(array.shape.back()) >=
                             count->second);
  for (const Number &number : elements.numbers) {
    if (!number.isReal) {
      input.bits.push_back(
          truncateBits(array.element, static_cast<uint64_t>(number.integer)));
      input.errors.push_back(0);
      continue;
    }
    input.bits.push_back(encodeFloat(array.element, number.real.value));
    // Nobody asks for the sign of a zero.
    bool isZero = number.real.value == 0;
    input.errors.push_back(
        std::max(number.real.error, isZero ? 0x1p-1074 : 0.0));
  }
  return input;
}

Outcome StatementRun::run() {
  for (const Statement &statement : notation.statements) {
    // An array in a format begins with nothing.
    Elements &target = arrays.at(statement.target.name);
    const StoredArray &array = *target.array;
    if (array.hasLevels()) {
      Number fill =
          isFloat(array.element)
              ? Number::ofReal({decodeFloat(array.element, array.fill), 0})
              : Number::ofInteger(
                    wrap(array.element, static_cast<int64_t>(array.fill)));
      fill.isMissing = array.isMissing;
      std::fill(target.numbers.begin(), target.numbers.end(), fill);
    }
    kept.clear();
    runStatement(statement, 0);
    shareTangents(statement);
    if (array.isCompact && isFine())
      closeGaps(statement);
    if (!isFine())
      break;
  }
  // What is wrong may be looked at outside of the loop or the condition that
  // would not come to it.
  if (program.isFaulty)
    outcome.mayGoUnnoticed = true;
  if (program.isFaulty && isFine())
    stop(Outcome::Unspecified, "does not look at what is wrong");
  return std::move(outcome);
}

Outcome evaluateStatements(const Program &program, int64_t stepLimit) {
  const Notation &notation = *program.notation;
  if (notation.gradient)
    return evaluateGradient(program, stepLimit);
  StatementRun run(program, stepLimit);
  Outcome outcome = run.run();
  outcome.inputs = program.inputs;
  for (const StoredArray &array : notation.arrays)
    outcome.arrays.push_back(run.toInput(array.name));
  std::vector<KernelParameter> parameters = parametersOf(notation);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].isCount && outcome.status == Outcome::Fine)
      outcome.inputs[i].bits = {
          run.countOf(notation.arrays[parameters[i].array].name)};
    else if (parameters[i].isWritten && !parameters[i].isRoom)
      outcome.inputs[i] = outcome.arrays[parameters[i].array];
  return outcome;
}

} // namespace ember::fuzz
