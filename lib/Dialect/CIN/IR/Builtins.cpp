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

/// Commutative and associative, with an identity.
static constexpr Builtin
combining(llvm::StringLiteral name, TypeClass types, Constant identity,
          bool isIdempotent = false,
          std::optional<SpecialValue> annihilator = std::nullopt) {
  return {.name = name,
          .arity = 2,
          .signature = Signature::same,
          .types = types,
          .isCommutative = true,
          .isAssociative = true,
          .isIdempotent = isIdempotent,
          .annihilator = annihilator,
          .identity = SpecialValue{identity}};
}

static constexpr Builtin unary(llvm::StringLiteral name, TypeClass types) {
  return {
      .name = name, .arity = 1, .signature = Signature::same, .types = types};
}

static constexpr Builtin comparison(llvm::StringLiteral name,
                                    bool isCommutative = false) {
  return {.name = name,
          .arity = 2,
          .signature = Signature::comparison,
          .types = all,
          .isCommutative = isCommutative};
}

/// Two operands that do not commute.
static constexpr Builtin
ordered(llvm::StringLiteral name, TypeClass types,
        std::optional<SpecialValue> annihilator = std::nullopt,
        std::optional<SpecialValue> identity = std::nullopt) {
  return {.name = name,
          .arity = 2,
          .signature = Signature::same,
          .types = types,
          .annihilator = annihilator,
          .identity = identity};
}

static constexpr SpecialValue zero{Constant::zero};

static constexpr Builtin builtins[] = {
    combining("add", numbers, Constant::zero),
    combining("mul", numbers, Constant::one, /*isIdempotent=*/false, zero),
    combining("min", numbers, Constant::highest, /*isIdempotent=*/true,
              SpecialValue{Constant::lowest}),
    combining("max", numbers, Constant::lowest, /*isIdempotent=*/true,
              SpecialValue{Constant::highest}),
    combining("and", bits, Constant::allOnes, /*isIdempotent=*/true, zero),
    combining("or", bits, Constant::zero, /*isIdempotent=*/true,
              SpecialValue{Constant::allOnes}),
    combining("xor", bits, Constant::zero),
    ordered("sub", numbers, std::nullopt, SpecialValue{Constant::zero, 1}),
    ordered("div", numbers, SpecialValue{Constant::zero, 0},
            SpecialValue{Constant::one, 1}),
    ordered("mod", numbers, SpecialValue{Constant::zero, 0}),
    ordered("pow", floats, std::nullopt, SpecialValue{Constant::one, 1}),
    ordered("shl", integers, SpecialValue{Constant::zero, 0},
            SpecialValue{Constant::zero, 1}),
    ordered("shr", integers, SpecialValue{Constant::zero, 0},
            SpecialValue{Constant::zero, 1}),
    unary("neg", numbers),
    unary("abs", numbers),
    unary("not", bits),
    unary("sqrt", floats),
    unary("exp", floats),
    unary("log", floats),
    unary("sin", floats),
    unary("cos", floats),
    unary("tanh", floats),
    unary("sigmoid", floats),
    unary("relu", numbers),
    unary("floor", floats),
    unary("ceil", floats),
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
    {.name = "convert",
     .arity = 1,
     .signature = Signature::conversion,
     .types = all},
};

ArrayRef<Builtin> ember::cin::getBuiltins() { return builtins; }

const Builtin *ember::cin::findBuiltin(StringRef name) {
  const Builtin *found = llvm::find_if(
      builtins, [&](const Builtin &row) { return row.name == name; });
  return found == std::end(builtins) ? nullptr : found;
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
  case Constant::lowest:
    return make(llvm::APInt::getSignedMinValue(width));
  case Constant::highest:
    return make(llvm::APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("covered switch");
}
