//===- Derivatives.cpp - What functions of the table derive to ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there is no derivative, it is what PyTorch has there: of equal operands
// max and min give each its half, and abs and relu at 0 have 0.
//
//===----------------------------------------------------------------------===//

#include "Derivatives.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::cin;

static Value deriveSum(const Derivation &d) { return d.gradient; }

static Value deriveDifference(const Derivation &d) {
  return d.position == 0 ? d.gradient : d.make.negate(d.gradient);
}

static Value deriveProduct(const Derivation &d) {
  return d.times(d.x(1 - d.position));
}

static Value deriveQuotient(const Derivation &d) {
  Value divided = d.over(d.x(1));
  if (d.position == 0)
    return divided;
  return d.make.negate(d.make.multiply(divided, d.y()));
}

/// x - y * floor(x / y)
static Value deriveModulus(const Derivation &d) {
  if (d.position == 0)
    return d.gradient;
  return d.make.negate(d.times(d.make.call("floordiv", {d.x(0), d.x(1)})));
}

/// x - y * trunc(x / y)
static Value deriveRemainder(const Derivation &d) {
  if (d.position == 0)
    return d.gradient;
  Value quotient = d.make.call("div", {d.x(0), d.x(1)});
  return d.make.negate(d.times(d.make.call("trunc", quotient)));
}

static Value derivePower(const Derivation &d) {
  Value base = d.x(0), exponent = d.x(1);
  if (d.position == 1) {
    // x ** y stays 0 where x is.
    Value isZero =
        d.make.both(d.compare("eq", base, 0), d.compare("ge", exponent, 0));
    Value factor = d.make.multiply(d.y(), d.make.call("log", base));
    return d.times(d.make.select(isZero, d.number(0), factor));
  }
  if (FloatAttr literal = getFloat(exponent)) {
    double known = literal.getValueAsDouble();
    if (known == 0)
      return {};
    if (known == 1)
      return d.gradient;
    if (known == 2)
      return d.times(d.make.multiply(d.number(2), base));
  }
  Value less = d.make.call("sub", {exponent, d.number(1)});
  Value factor = d.make.multiply(exponent, d.make.call("pow", {base, less}));
  return d.make.select(d.compare("eq", exponent, 0), d.number(0),
                       d.times(factor));
}

/// Of the operand that is not the one left out, or half of it: beside NaN, both
/// have all of it.
static Value deriveChosen(const Derivation &d, StringRef isLeftOut) {
  Value mine = d.x(d.position), other = d.x(1 - d.position);
  Value whole = d.make.select(d.make.call(isLeftOut, {mine, other}),
                              d.number(0), d.gradient);
  return d.make.select(d.make.call("eq", {mine, other}), d.times(d.number(0.5)),
                       whole);
}

/// Of the second operand if it is larger: equal ones are the first.
static Value deriveLarger(const Derivation &d) {
  Value isSecond = d.make.call("gt", {d.x(1), d.x(0)}), zero = d.number(0);
  return d.position == 1 ? d.make.select(isSecond, d.gradient, zero)
                         : d.make.select(isSecond, zero, d.gradient);
}

static Value deriveSelection(const Derivation &d) {
  Value zero = d.number(0);
  return d.position == 1 ? d.make.select(d.x(0), d.gradient, zero)
                         : d.make.select(d.x(0), zero, d.gradient);
}

static Value deriveMagnitude(const Derivation &d) {
  // Times the sign, so that NaN stays where x is 0.
  Value negative =
      d.make.select(d.compare("lt", d.x(), 0), d.number(-1), d.number(0));
  return d.times(
      d.make.select(d.compare("gt", d.x(), 0), d.number(1), negative));
}

/// (1 - y ** 2) and the like: of functions that derive to some of themselves.
static Value deriveSigmoid(const Derivation &d) {
  Value rest = d.make.call("sub", {d.number(1), d.y()});
  return d.times(d.make.multiply(d.y(), rest));
}

static Value deriveTangent(const Derivation &d) {
  Value square = d.make.multiply(d.y(), d.y());
  return d.times(d.make.call("sub", {d.number(1), square}));
}

static Value deriveErrorFunction(const Derivation &d) {
  Value power =
      d.make.call("exp", d.make.negate(d.make.multiply(d.x(), d.x())));
  return d.times(
      d.make.multiply(d.number(2 * llvm::numbers::inv_sqrtpi), power));
}

/// Of a size with the sign of something else, which has no derivative.
static Value deriveSigned(const Derivation &d) {
  if (d.position == 1)
    return {};
  Value signedly = d.make.select(d.make.call("eq", {d.x(), d.y()}), d.gradient,
                                 d.make.negate(d.gradient));
  return d.make.select(d.compare("eq", d.x(), 0), d.number(0), signedly);
}

static Value deriveFusedProduct(const Derivation &d) {
  return d.position == 2 ? d.gradient : deriveProduct(d);
}

static Value deriveNothing(const Derivation &) { return {}; }

static const llvm::StringMap<DerivativeRule> &getRules() {
  static const llvm::StringMap<DerivativeRule> rules = {
      {"add", deriveSum},
      {"sub", deriveDifference},
      {"mul", deriveProduct},
      {"div", deriveQuotient},
      {"mod", deriveModulus},
      {"fmod", deriveRemainder},
      {"pow", derivePower},
      {"max", [](const Derivation &d) { return deriveChosen(d, "lt"); }},
      {"min", [](const Derivation &d) { return deriveChosen(d, "gt"); }},
      {"larger", deriveLarger},
      {"select", deriveSelection},
      {"neg", [](const Derivation &d) { return d.make.negate(d.gradient); }},
      {"abs", deriveMagnitude},
      {"sqrt",
       [](const Derivation &d) {
         return d.over(d.make.multiply(d.number(2), d.y()));
       }},
      {"exp", [](const Derivation &d) { return d.times(d.y()); }},
      // Not the result and 1, which lose what is small far below 0.
      {"expm1",
       [](const Derivation &d) { return d.times(d.make.call("exp", d.x())); }},
      {"log", [](const Derivation &d) { return d.over(d.x()); }},
      {"log1p",
       [](const Derivation &d) {
         return d.over(d.make.add(d.x(), d.number(1)));
       }},
      {"sin",
       [](const Derivation &d) { return d.times(d.make.call("cos", d.x())); }},
      {"cos",
       [](const Derivation &d) {
         return d.make.negate(d.times(d.make.call("sin", d.x())));
       }},
      {"tanh", deriveTangent},
      {"sigmoid", deriveSigmoid},
      {"erf", deriveErrorFunction},
      {"copysign", deriveSigned},
      {"relu",
       [](const Derivation &d) {
         return d.make.select(d.compare("gt", d.x(), 0), d.gradient,
                              d.number(0));
       }},
      {"fma", deriveFusedProduct},
      {"floordiv", deriveNothing},
      {"floor", deriveNothing},
      {"ceil", deriveNothing},
      {"trunc", deriveNothing},
      {"round", deriveNothing},
      {"detach", deriveNothing},
  };
  return rules;
}

DerivativeRule ember::cin::getDerivativeRule(StringRef builtin) {
  return getRules().lookup(builtin);
}

StringRef ember::cin::getAlternative(Function function) {
  if (function.is("larger"))
    return "reduce by max, whose gradient goes to all that are the largest";
  if (function.getDefinition())
    return "reduce by sum, prod, max or min, or detach() the terms";
  return "assign a reduction";
}
