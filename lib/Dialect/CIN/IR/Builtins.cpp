//===- Builtins.cpp - Functions that every statement may call -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/Builtins.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember::cin;

/// f(x, identity) = x, on both sides or on one.
static constexpr SpecialOperand
identity(Constant value, std::optional<unsigned> position = std::nullopt) {
  return {.value = value, .position = position};
}

/// f is `result` where one operand, or that at `position`, is `value`.
static constexpr SpecialOperand
annihilator(Constant value, Constant result,
            std::optional<unsigned> position = std::nullopt,
            TypeClass types = all) {
  return {
      .value = value, .position = position, .result = result, .types = types};
}

template <typename... Special>
static constexpr Builtin with(Builtin row, Special... special) {
  row.specialOperands = {special...};
  row.specialCount = sizeof...(special);
  return row;
}

static constexpr Builtin binary(llvm::StringLiteral name, TypeClass types) {
  return {
      .name = name, .arity = 2, .signature = Signature::same, .types = types};
}

static constexpr Builtin combining(llvm::StringLiteral name, TypeClass types,
                                   bool isIdempotent = false) {
  Builtin row = binary(name, types);
  row.isCommutative = true;
  row.isAssociative = true;
  row.isIdempotent = isIdempotent;
  return row;
}

/// The second operand where it is larger, the first one otherwise: of several
/// values in a row the first of the largest, and a NaN only if it comes first.
static constexpr Builtin larger() {
  Builtin row = binary("larger", all);
  row.isIdempotent = true;
  return row;
}

static constexpr Builtin unary(llvm::StringLiteral name, TypeClass types) {
  return {
      .name = name, .arity = 1, .signature = Signature::same, .types = types};
}

/// What changes no bits, or only the type that they are of.
static constexpr Builtin free(Builtin row) {
  row.cost = 0;
  return row;
}

/// What is one instruction of many cycles.
static constexpr Builtin slow(Builtin row) {
  row.cost = 8;
  return row;
}

/// What floats are computed of in several steps.
static constexpr Builtin series(Builtin row) {
  row.isRoundedOnce = false;
  return slow(row);
}

static constexpr Builtin comparison(llvm::StringLiteral name,
                                    bool isCommutative = false) {
  return {.name = name,
          .arity = 2,
          .signature = Signature::comparison,
          .types = all,
          .isCommutative = isCommutative};
}

using enum Constant;

/// 0 / x is 0 unless x is 0, too.
static constexpr SpecialOperand zeroDividend{
    .value = zero, .position = 0, .result = zero, .unless = zero};

static constexpr Builtin builtins[] = {
    with(combining("add", numbers), identity(zero),
         annihilator(highest, highest, std::nullopt, floats),
         annihilator(lowest, lowest, std::nullopt, floats)),
    with(combining("mul", numbers), identity(one), annihilator(zero, zero)),
    with(combining("min", all, /*isIdempotent=*/true), identity(highest),
         annihilator(lowest, lowest)),
    with(combining("max", all, /*isIdempotent=*/true), identity(lowest),
         annihilator(highest, highest)),
    with(combining("and", bits, /*isIdempotent=*/true), identity(allOnes),
         annihilator(zero, zero)),
    with(combining("or", bits, /*isIdempotent=*/true), identity(zero),
         annihilator(allOnes, allOnes)),
    with(combining("xor", bits), identity(zero)),
    larger(),
    with(binary("sub", numbers), identity(zero, 1)),
    with(slow(binary("div", numbers)), identity(one, 1), zeroDividend),
    // Rounded down, and what is left then, which has the sign of the divisor.
    with(series(binary("floordiv", numbers)), zeroDividend),
    with(series(binary("mod", numbers)), zeroDividend),
    // What is left of a quotient that is rounded to 0.
    with(series(binary("fmod", numbers)), zeroDividend),
    // x ** 0 is 1 whatever x is, and so is 1 ** x.
    with(series(binary("pow", floats)), identity(one, 1),
         annihilator(zero, one, 1), annihilator(one, one, 0)),
    // The first operand that is not missing.
    {.name = "coalesce",
     .arity = 2,
     .signature = Signature::same,
     .types = all,
     .isAssociative = true,
     .isIdempotent = true},
    // The first operand with the sign of the second one.
    binary("copysign", floats),
    with(binary("shl", integers), identity(zero, 1),
         annihilator(zero, zero, 0)),
    with(binary("shr", integers), identity(zero, 1),
         annihilator(zero, zero, 0)),
    unary("neg", numbers),
    unary("abs", numbers),
    unary("not", bits),
    slow(unary("sqrt", floats)),
    series(unary("exp", floats)),
    // exp(x) - 1, near 0, too.
    series(unary("expm1", floats)),
    series(unary("log", floats)),
    // log(1 + x), near 0, too.
    series(unary("log1p", floats)),
    series(unary("sin", floats)),
    series(unary("cos", floats)),
    series(unary("tanh", floats)),
    series(unary("erf", floats)),
    series(unary("sigmoid", floats)),
    unary("relu", numbers),
    unary("floor", floats),
    unary("ceil", floats),
    // Towards 0.
    unary("trunc", floats),
    // To the nearest whole number, of two to the even one.
    unary("round", floats),
    // The operand, without gradient.
    free(unary("detach", numbers)),
    comparison("lt"),
    comparison("le"),
    comparison("gt"),
    comparison("ge"),
    comparison("eq", /*isCommutative=*/true),
    comparison("ne", /*isCommutative=*/true),
    {.name = "select",
     .arity = 3,
     .signature = Signature::choice,
     .types = all},
    // x * y + z, rounded once.
    {.name = "fma", .arity = 3, .signature = Signature::same, .types = floats},
    free({.name = "convert",
          .arity = 1,
          .signature = Signature::conversion,
          .types = all}),
    // Of integers that have no sign.
    free({.name = "convert_unsigned",
          .arity = 1,
          .signature = Signature::conversion,
          .types = bits}),
    free({.name = "bitcast",
          .arity = 1,
          .signature = Signature::reinterpretation,
          .types = all}),
};

ArrayRef<Builtin> ember::cin::getBuiltins() { return builtins; }

const Builtin *ember::cin::findBuiltin(StringRef name) {
  const Builtin *found = llvm::find_if(
      builtins, [&](const Builtin &row) { return row.name == name; });
  return found == std::end(builtins) ? nullptr : found;
}

static constexpr Synonym synonyms[] = {{"sum", "add"},
                                       {"prod", "mul"},
                                       {"all", "and"},
                                       {"any", "or"},
                                       {"where", "select"}};

ArrayRef<Synonym> ember::cin::getSynonyms() { return synonyms; }

const Builtin *ember::cin::findBuiltinOfStatements(StringRef name) {
  for (const Synonym &synonym : synonyms)
    if (synonym.name == name)
      return findBuiltin(synonym.function);
  return findBuiltin(name);
}

bool ember::cin::contains(TypeClass types, Type type) {
  if (isa<FloatType>(type))
    return types & floats;
  return types & (type.isInteger(1) ? booleans : integers);
}

TypedAttr ember::cin::getConstant(Constant constant, Type type) {
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = number.getFloatSemantics();
    auto make = [&](const llvm::APFloat &value) {
      return FloatAttr::get(number, value);
    };
    switch (constant) {
    case Constant::zero:
      return make(llvm::APFloat::getZero(semantics));
    case Constant::one:
      return make(llvm::APFloat::getOne(semantics));
    case Constant::allOnes:
      return make(llvm::APFloat::getAllOnesValue(semantics));
    case Constant::lowest:
      return make(llvm::APFloat::getInf(semantics, /*Negative=*/true));
    case Constant::highest:
      return make(llvm::APFloat::getInf(semantics));
    }
  }
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  auto make = [&](const llvm::APInt &value) {
    return IntegerAttr::get(type, value);
  };
  switch (constant) {
  case Constant::zero:
    return make(llvm::APInt::getZero(width));
  case Constant::one:
    return make(llvm::APInt(width, 1));
  case Constant::allOnes:
    return make(llvm::APInt::getAllOnes(width));
  // Booleans are not signed: true is more than false.
  case Constant::lowest:
    return make(width == 1 ? llvm::APInt::getZero(width)
                           : llvm::APInt::getSignedMinValue(width));
  case Constant::highest:
    return make(width == 1 ? llvm::APInt::getAllOnes(width)
                           : llvm::APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("covered switch");
}

bool ember::cin::areSame(TypedAttr a, TypedAttr b) {
  if (!a || !b || a.getType() != b.getType())
    return false;
  auto left = dyn_cast<FloatAttr>(a), right = dyn_cast<FloatAttr>(b);
  if (!left || !right)
    return a == b;
  const llvm::APFloat &x = left.getValue(), &y = right.getValue();
  return (x.isNaN() && y.isNaN()) || x.compare(y) == llvm::APFloat::cmpEqual;
}
