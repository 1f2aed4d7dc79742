//===- BuiltinCode.cpp - What functions of the table compute --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are signed, booleans are not: false is less than true. Integer
// division is towards zero.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/BuiltinCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ember::cin;

using Emitter = Value (*)(ImplicitLocOpBuilder &, ValueRange);

namespace {
/// How a function is computed of floats and of integers, which booleans are if
/// there is nothing else.
struct Code {
  Emitter floats = nullptr;
  Emitter integers = nullptr;
  Emitter booleans = nullptr;
};
} // namespace

/// What detach is, and coalesce of operands none of which is missing:
/// `--cin-expand-missing` has seen to that.
static Value takeFirst(ImplicitLocOpBuilder &, ValueRange operands) {
  return operands.front();
}

template <typename OpT>
static Value emitUnary(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return OpT::create(builder, operands[0]);
}

template <typename OpT>
static Value emitBinary(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return OpT::create(builder, operands[0], operands[1]);
}

static Value emitFma(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return math::FmaOp::create(builder, operands[0], operands[1], operands[2]);
}

template <arith::CmpFPredicate predicate>
static Value compareFloats(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return arith::CmpFOp::create(builder, predicate, operands[0], operands[1]);
}

template <arith::CmpIPredicate predicate>
static Value compareIntegers(ImplicitLocOpBuilder &builder,
                             ValueRange operands) {
  return arith::CmpIOp::create(builder, predicate, operands[0], operands[1]);
}

template <arith::CmpFPredicate ofFloats, arith::CmpIPredicate ofIntegers,
          arith::CmpIPredicate ofBooleans = ofIntegers>
static constexpr Code comparing() {
  return {compareFloats<ofFloats>, compareIntegers<ofIntegers>,
          compareIntegers<ofBooleans>};
}

static Value constant(ImplicitLocOpBuilder &builder, Constant value,
                      Type type) {
  return arith::ConstantOp::create(builder, getConstant(value, type));
}

static Value negateInteger(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value zero = constant(builder, Constant::zero, operands[0].getType());
  return arith::SubIOp::create(builder, zero, operands[0]);
}

static Value invert(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value ones = constant(builder, Constant::allOnes, operands[0].getType());
  return arith::XOrIOp::create(builder, operands[0], ones);
}

static Value emitSigmoid(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value one = constant(builder, Constant::one, operands[0].getType());
  Value negated = arith::NegFOp::create(builder, operands[0]);
  Value power = math::ExpOp::create(builder, negated);
  return arith::DivFOp::create(builder, one,
                               arith::AddFOp::create(builder, one, power));
}

/// NaN stays NaN.
static Value rectifyFloat(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value zero = constant(builder, Constant::zero, operands[0].getType());
  return arith::MaximumFOp::create(builder, operands[0], zero);
}

static Value rectifyInteger(ImplicitLocOpBuilder &builder,
                            ValueRange operands) {
  Value zero = constant(builder, Constant::zero, operands[0].getType());
  return arith::MaxSIOp::create(builder, operands[0], zero);
}

namespace {
/// What is left of a division that rounds to 0.
struct Remainder {
  Value value;
  /// Whether it is not 0, and has another sign than the divisor.
  Value isOpposite;
};
} // namespace

/// By -1 nothing is left, though the quotient of the least integer is too
/// large.
static Value emitRemainder(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value dividend = operands[0], divisor = operands[1];
  Type type = dividend.getType();
  Value one = constant(builder, Constant::one, type);
  Value minusOne = constant(builder, Constant::allOnes, type);
  Value isMinusOne = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                           divisor, minusOne);
  Value safe = arith::SelectOp::create(builder, isMinusOne, one, divisor);
  return arith::RemSIOp::create(builder, dividend, safe);
}

static Remainder emitRemainderOfFloats(ImplicitLocOpBuilder &builder,
                                       Value dividend, Value divisor) {
  Value zero = constant(builder, Constant::zero, dividend.getType());
  Value left = arith::RemFOp::create(builder, dividend, divisor);
  auto compare = [&](arith::CmpFPredicate predicate, Value value) -> Value {
    return arith::CmpFOp::create(builder, predicate, value, zero);
  };
  using enum arith::CmpFPredicate;
  Value hasOtherSign =
      arith::XOrIOp::create(builder, compare(OLT, left), compare(OLT, divisor));
  return {left,
          arith::AndIOp::create(builder, compare(ONE, left), hasOtherSign)};
}

static Remainder emitRemainderOfIntegers(ImplicitLocOpBuilder &builder,
                                         Value dividend, Value divisor) {
  Value zero = constant(builder, Constant::zero, dividend.getType());
  Value left = emitRemainder(builder, {dividend, divisor});
  auto compare = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return arith::CmpIOp::create(builder, predicate, value, zero);
  };
  using enum arith::CmpIPredicate;
  Value hasOtherSign =
      arith::XOrIOp::create(builder, compare(slt, left), compare(slt, divisor));
  return {left,
          arith::AndIOp::create(builder, compare(ne, left), hasOtherSign)};
}

/// A zero, too, has the sign of the divisor.
static Value emitModuloOfFloats(ImplicitLocOpBuilder &builder,
                                ValueRange operands) {
  Value divisor = operands[1];
  auto [left, isOpposite] =
      emitRemainderOfFloats(builder, operands[0], divisor);
  Value raised = arith::AddFOp::create(builder, left, divisor);
  Value value = arith::SelectOp::create(builder, isOpposite, raised, left);
  Value zero = constant(builder, Constant::zero, divisor.getType());
  Value negative = arith::NegFOp::create(builder, zero);
  using enum arith::CmpFPredicate;
  Value isNegative = arith::CmpFOp::create(builder, OLT, divisor, zero);
  Value isZero = arith::CmpFOp::create(builder, OEQ, left, zero);
  Value nothing = arith::SelectOp::create(builder, isNegative, negative, zero);
  return arith::SelectOp::create(builder, isZero, nothing, value);
}

static Value emitModuloOfIntegers(ImplicitLocOpBuilder &builder,
                                  ValueRange operands) {
  auto [left, isOpposite] =
      emitRemainderOfIntegers(builder, operands[0], operands[1]);
  Value raised = arith::AddIOp::create(builder, left, operands[1]);
  return arith::SelectOp::create(builder, isOpposite, raised, left);
}

/// The integer below the quotient, of what the divisor goes into: the quotient
/// itself may be rounded to one above, as 1 / 0.1 is.
static Value divideFloatsDown(ImplicitLocOpBuilder &builder,
                              ValueRange operands) {
  Value dividend = operands[0], divisor = operands[1];
  Type type = dividend.getType();
  Value one = constant(builder, Constant::one, type);
  Value zero = constant(builder, Constant::zero, type);
  Value half =
      arith::ConstantOp::create(builder, builder.getFloatAttr(type, 0.5));
  auto [left, isOpposite] = emitRemainderOfFloats(builder, dividend, divisor);
  Value whole = arith::DivFOp::create(
      builder, arith::SubFOp::create(builder, dividend, left), divisor);
  Value lowered = arith::SubFOp::create(builder, whole, one);
  whole = arith::SelectOp::create(builder, isOpposite, lowered, whole);
  Value below = math::FloorOp::create(builder, whole);
  using enum arith::CmpFPredicate;
  Value isBelow = arith::CmpFOp::create(
      builder, OGT, arith::SubFOp::create(builder, whole, below), half);
  Value above = arith::AddFOp::create(builder, below, one);
  Value rounded = arith::SelectOp::create(builder, isBelow, above, below);
  // Of 0, an infinity or NaN.
  Value isZero = arith::CmpFOp::create(builder, OEQ, divisor, zero);
  Value quotient = arith::DivFOp::create(builder, dividend, divisor);
  // That of 0, too, as Python and NumPy have it.
  Value withSign = math::CopySignOp::create(builder, rounded, quotient);
  return arith::SelectOp::create(builder, isZero, quotient, withSign);
}

static Value divideIntegersDown(ImplicitLocOpBuilder &builder,
                                ValueRange operands) {
  auto [left, isOpposite] =
      emitRemainderOfIntegers(builder, operands[0], operands[1]);
  Value quotient = arith::DivSIOp::create(builder, operands[0], operands[1]);
  Value one = constant(builder, Constant::one, quotient.getType());
  Value lowered = arith::SubIOp::create(builder, quotient, one);
  return arith::SelectOp::create(builder, isOpposite, lowered, quotient);
}

/// The number of bits by which a value may be shifted, as the limit of counts.
static Value bitsOf(ImplicitLocOpBuilder &builder, Type type,
                    unsigned lessThan) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      builder, builder.getIntegerAttr(type, width - lessThan));
}

/// Of all bits or more, and of a negative number of them, 0 is left.
static Value shiftLeft(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Type type = operands[0].getType();
  Value zero = constant(builder, Constant::zero, type);
  Value isInside =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, operands[1],
                            bitsOf(builder, type, /*lessThan=*/0));
  Value count = arith::SelectOp::create(builder, isInside, operands[1], zero);
  Value shifted = arith::ShLIOp::create(builder, operands[0], count);
  return arith::SelectOp::create(builder, isInside, shifted, zero);
}

/// Of as many bits, the sign is left.
static Value shiftRight(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value most = bitsOf(builder, operands[0].getType(), /*lessThan=*/1);
  Value count = arith::MinUIOp::create(builder, operands[1], most);
  return arith::ShRSIOp::create(builder, operands[0], count);
}

/// The second operand if it is larger.
static Value emitLarger(ImplicitLocOpBuilder &builder, ValueRange operands) {
  Value before = operands[0], next = operands[1];
  bool isFloat = isa<FloatType>(next.getType());
  Value swapped[] = {next, before};
  Value isLarger =
      isFloat ? compareFloats<arith::CmpFPredicate::OGT>(builder, swapped)
              : compareIntegers<arith::CmpIPredicate::sgt>(builder, swapped);
  return arith::SelectOp::create(builder, isLarger, next, before);
}

static const llvm::StringMap<Code> &getCode() {
  using FP = arith::CmpFPredicate;
  using IP = arith::CmpIPredicate;
  static const llvm::StringMap<Code> code = {
      {"add", {emitBinary<arith::AddFOp>, emitBinary<arith::AddIOp>}},
      {"mul", {emitBinary<arith::MulFOp>, emitBinary<arith::MulIOp>}},
      {"min",
       {emitBinary<arith::MinimumFOp>, emitBinary<arith::MinSIOp>,
        emitBinary<arith::AndIOp>}},
      {"max",
       {emitBinary<arith::MaximumFOp>, emitBinary<arith::MaxSIOp>,
        emitBinary<arith::OrIOp>}},
      {"larger", {emitLarger, emitLarger, emitBinary<arith::OrIOp>}},
      {"and", {nullptr, emitBinary<arith::AndIOp>}},
      {"or", {nullptr, emitBinary<arith::OrIOp>}},
      {"xor", {nullptr, emitBinary<arith::XOrIOp>}},
      {"sub", {emitBinary<arith::SubFOp>, emitBinary<arith::SubIOp>}},
      {"div", {emitBinary<arith::DivFOp>, emitBinary<arith::DivSIOp>}},
      {"floordiv", {divideFloatsDown, divideIntegersDown}},
      {"mod", {emitModuloOfFloats, emitModuloOfIntegers}},
      {"fmod", {emitBinary<arith::RemFOp>, emitRemainder}},
      {"pow", {emitBinary<math::PowFOp>}},
      {"coalesce", {takeFirst, takeFirst}},
      {"detach", {takeFirst, takeFirst}},
      {"shl", {nullptr, shiftLeft}},
      {"shr", {nullptr, shiftRight}},
      {"neg", {emitUnary<arith::NegFOp>, negateInteger}},
      {"abs", {emitUnary<math::AbsFOp>, emitUnary<math::AbsIOp>}},
      {"not", {nullptr, invert}},
      {"sqrt", {emitUnary<math::SqrtOp>}},
      {"exp", {emitUnary<math::ExpOp>}},
      {"expm1", {emitUnary<math::ExpM1Op>}},
      {"log", {emitUnary<math::LogOp>}},
      {"log1p", {emitUnary<math::Log1pOp>}},
      {"sin", {emitUnary<math::SinOp>}},
      {"cos", {emitUnary<math::CosOp>}},
      {"tanh", {emitUnary<math::TanhOp>}},
      {"erf", {emitUnary<math::ErfOp>}},
      {"sigmoid", {emitSigmoid}},
      {"fma", {emitFma}},
      {"relu", {rectifyFloat, rectifyInteger}},
      {"floor", {emitUnary<math::FloorOp>}},
      {"ceil", {emitUnary<math::CeilOp>}},
      {"trunc", {emitUnary<math::TruncOp>}},
      {"round", {emitUnary<math::RoundEvenOp>}},
      {"copysign", {emitBinary<math::CopySignOp>}},
      {"lt", comparing<FP::OLT, IP::slt, IP::ult>()},
      {"le", comparing<FP::OLE, IP::sle, IP::ule>()},
      {"gt", comparing<FP::OGT, IP::sgt, IP::ugt>()},
      {"ge", comparing<FP::OGE, IP::sge, IP::uge>()},
      {"eq", comparing<FP::OEQ, IP::eq>()},
      {"ne", comparing<FP::UNE, IP::ne>()},
  };
  return code;
}

/// From any type to any: booleans are 0 or 1, and a number is true if it is not
/// 0.
static Value convert(ImplicitLocOpBuilder &builder, Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (to.isInteger(1)) {
    Value zero = constant(builder, Constant::zero, from);
    Value operands[] = {value, zero};
    return isa<FloatType>(from)
               ? compareFloats<arith::CmpFPredicate::UNE>(builder, operands)
               : compareIntegers<arith::CmpIPredicate::ne>(builder, operands);
  }
  bool isBoolean = from.isInteger(1);
  if (from.isIndex() || to.isIndex()) {
    // By way of 64 bits, as floats are not cast to and from indices.
    Type wide = builder.getI64Type();
    if (from.isIndex())
      return convert(builder, arith::IndexCastOp::create(builder, wide, value),
                     to);
    if (!isa<FloatType>(from) && !isBoolean)
      return arith::IndexCastOp::create(builder, to, value);
    return arith::IndexCastOp::create(builder, to,
                                      convert(builder, value, wide));
  }
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat) {
    if (fromFloat.getWidth() < toFloat.getWidth())
      return arith::ExtFOp::create(builder, to, value);
    if (fromFloat.getWidth() > toFloat.getWidth())
      return arith::TruncFOp::create(builder, to, value);
    // Neither of the half types holds the other.
    Value wide = arith::ExtFOp::create(builder, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, to, wide);
  }
  if (fromFloat)
    return arith::FPToSIOp::create(builder, to, value);
  if (toFloat)
    return isBoolean ? Value(arith::UIToFPOp::create(builder, to, value))
                     : Value(arith::SIToFPOp::create(builder, to, value));
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(builder, to, value);
  return isBoolean ? Value(arith::ExtUIOp::create(builder, to, value))
                   : Value(arith::ExtSIOp::create(builder, to, value));
}

/// The same of an integer without a sign.
static Value convertUnsigned(ImplicitLocOpBuilder &builder, Value value,
                             Type to) {
  Type from = value.getType();
  if (from == to || to.isInteger(1) || from.isInteger(1))
    return convert(builder, value, to);
  if (from.isIndex() && to.isIndex())
    return value;
  if (isa<FloatType>(to)) {
    if (from.isIndex())
      value =
          arith::IndexCastUIOp::create(builder, builder.getI64Type(), value);
    return arith::UIToFPOp::create(builder, to, value);
  }
  if (from.isIndex() || to.isIndex())
    return arith::IndexCastUIOp::create(builder, to, value);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, to, value);
  return arith::ExtUIOp::create(builder, to, value);
}

Value ember::cin::emitBuiltin(ImplicitLocOpBuilder &builder,
                              const Builtin &function, ValueRange operands,
                              Type result) {
  if (function.signature == Signature::reinterpretation) {
    if (operands.front().getType() == result)
      return operands.front();
    return arith::BitcastOp::create(builder, result, operands.front());
  }
  if (function.signature == Signature::conversion)
    return function.name == "convert"
               ? convert(builder, operands.front(), result)
               : convertUnsigned(builder, operands.front(), result);
  if (function.signature == Signature::choice)
    return arith::SelectOp::create(builder, operands[0], operands[1],
                                   operands[2]);
  const Code &code = getCode().at(function.name);
  Type type = operands.front().getType();
  if (isa<FloatType>(type))
    return code.floats(builder, operands);
  if (type.isInteger(1) && code.booleans)
    return code.booleans(builder, operands);
  return code.integers(builder, operands);
}
