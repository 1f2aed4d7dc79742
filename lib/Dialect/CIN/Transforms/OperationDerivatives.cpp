//===- OperationDerivatives.cpp - What arith and math derive to -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that are functions of the table have their rules.
//
//===----------------------------------------------------------------------===//

#include "Derivatives.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::cin;

static Value square(const Derivation &d, Value value) {
  return d.make.multiply(value, value);
}

static Value plus(const Derivation &d, Value value, double number) {
  return d.make.add(value, d.number(number));
}

/// sqrt(1 - x ** 2)
static Value getCosineOfArcSine(const Derivation &d) {
  Value rest = d.make.call("sub", {d.number(1), square(d, d.x())});
  return d.make.call("sqrt", rest);
}

static Value deriveAngle(const Derivation &d) {
  Value length = d.make.add(square(d, d.x(0)), square(d, d.x(1)));
  Value factor = d.make.call("div", {d.x(1 - d.position), length});
  return d.times(d.position == 0 ? factor : d.make.negate(factor));
}

static const llvm::StringMap<DerivativeRule> &getOperationRules() {
  using D = const Derivation &;
  static const llvm::StringMap<DerivativeRule> rules = {
      {"math.exp2",
       [](D d) { return d.times(d.make.multiply(d.number(M_LN2), d.y())); }},
      {"math.log2",
       [](D d) { return d.over(d.make.multiply(d.number(M_LN2), d.x())); }},
      {"math.log10",
       [](D d) { return d.over(d.make.multiply(d.number(M_LN10), d.x())); }},
      {"math.rsqrt",
       [](D d) {
         Value half = d.make.call("div", {d.y(), d.x()});
         return d.times(d.make.multiply(d.number(-0.5), half));
       }},
      {"math.cbrt",
       [](D d) {
         return d.over(d.make.multiply(d.number(3), square(d, d.y())));
       }},
      {"math.tan", [](D d) { return d.times(plus(d, square(d, d.y()), 1)); }},
      {"math.asin", [](D d) { return d.over(getCosineOfArcSine(d)); }},
      {"math.acos",
       [](D d) { return d.make.negate(d.over(getCosineOfArcSine(d))); }},
      {"math.atan", [](D d) { return d.over(plus(d, square(d, d.x()), 1)); }},
      {"math.atan2", deriveAngle},
      // By cosh ** 2 = 1 + sinh ** 2, and sinh = tanh * cosh.
      {"math.sinh",
       [](D d) {
         return d.times(d.make.call("sqrt", plus(d, square(d, d.y()), 1)));
       }},
      {"math.cosh",
       [](D d) {
         return d.times(d.make.multiply(d.make.call("tanh", d.x()), d.y()));
       }},
      {"math.asinh",
       [](D d) {
         return d.over(d.make.call("sqrt", plus(d, square(d, d.x()), 1)));
       }},
      {"math.acosh",
       [](D d) {
         return d.over(d.make.call("sqrt", plus(d, square(d, d.x()), -1)));
       }},
      {"math.atanh",
       [](D d) {
         return d.over(d.make.call("sub", {d.number(1), square(d, d.x())}));
       }},
      {"math.erfc",
       [](D d) { return d.make.negate(getDerivativeRule("erf")(d)); }},
      {"math.round", [](D) { return Value(); }},
  };
  return rules;
}

/// The function of the table that an operation of floats computes.
static StringRef getBuiltinName(StringRef op) {
  static const llvm::StringMap<StringRef> names = {
      {"arith.addf", "add"},       {"arith.subf", "sub"},
      {"arith.mulf", "mul"},       {"arith.divf", "div"},
      {"arith.remf", "fmod"},      {"arith.negf", "neg"},
      {"arith.minimumf", "min"},   {"arith.maximumf", "max"},
      {"arith.minnumf", "min"},    {"arith.maxnumf", "max"},
      {"arith.select", "select"},  {"math.absf", "abs"},
      {"math.sqrt", "sqrt"},       {"math.exp", "exp"},
      {"math.log", "log"},         {"math.sin", "sin"},
      {"math.cos", "cos"},         {"math.tanh", "tanh"},
      {"math.powf", "pow"},        {"math.floor", "floor"},
      {"math.ceil", "ceil"},       {"math.fma", "fma"},
      {"math.expm1", "expm1"},     {"math.log1p", "log1p"},
      {"math.erf", "erf"},         {"math.trunc", "trunc"},
      {"math.roundeven", "round"}, {"math.copysign", "copysign"},
  };
  return names.lookup(op);
}

DerivativeRule ember::cin::getDerivativeRule(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (StringRef builtin = getBuiltinName(name); !builtin.empty())
    return getDerivativeRule(builtin);
  return getOperationRules().lookup(name);
}
