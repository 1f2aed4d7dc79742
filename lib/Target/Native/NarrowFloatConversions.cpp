//===- NarrowFloatConversions.cpp - From small floats to f32 and back -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of it follows a float's layout in the table of element types. The bits of
// 8-bit floats are handled in i32, a lane each.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloatConversions.h"
#include "ember/ABI/ScalarTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

namespace ember::native {
using namespace mlir;

static constexpr int64_t singleFractionBits = 23, singleBias = 127;
static constexpr int64_t singleInfinity = 0x7f800000;
static constexpr int64_t halfFractionBits = 10, halfBias = 15;

namespace {
/// Operations on numbers, or vectors of them, of one shape.
class LaneBuilder {
public:
  LaneBuilder(PatternRewriter &builder, Location loc, Type shape)
      : builder(builder), loc(loc), shape(shape),
        i32(withElement(builder.getI32Type())),
        f32(withElement(builder.getF32Type())) {}

  Type withElement(Type element) const {
    auto shaped = dyn_cast<ShapedType>(shape);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  Value constant(int64_t value) {
    return splat(builder.getI32IntegerAttr(static_cast<int32_t>(value)), i32);
  }
  Value number(double value) {
    return splat(builder.getF32FloatAttr(static_cast<float>(value)), f32);
  }
  template <typename OpT> Value apply(Value lhs, Value rhs) {
    return OpT::create(builder, loc, lhs, rhs);
  }
  template <typename OpT> Value apply(Value lhs, int64_t rhs) {
    return apply<OpT>(lhs, constant(rhs));
  }
  template <typename OpT> Value to(Type type, Value value) {
    return type == value.getType() ? value
                                   : OpT::create(builder, loc, type, value);
  }
  Value choose(arith::CmpIPredicate predicate, Value lhs, int64_t rhs,
               Value yes, Value no) {
    Value holds =
        arith::CmpIOp::create(builder, loc, predicate, lhs, constant(rhs));
    return arith::SelectOp::create(builder, loc, holds, yes, no);
  }

private:
  Value splat(TypedAttr value, Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, value);
    return arith::ConstantOp::create(builder, loc, value);
  }

  PatternRewriter &builder;
  Location loc;
  Type shape;

public:
  Type i32, f32;
};

/// The patterns of a layout, without the sign.
struct Patterns {
  explicit Patterns(const ScalarType &type)
      : layout(*type.layout), sign(int64_t(1) << (type.bits - 1)),
        oneExponent(int64_t(1) << layout.fractionBits) {
    switch (layout.specials) {
    case FloatSpecials::Infinities:
      overflow = sign - oneExponent;
      nan = overflow + oneExponent / 2;
      break;
    case FloatSpecials::AllOnes:
      overflow = nan = sign - 1;
      break;
    case FloatSpecials::NegativeZero:
      overflow = nan = sign;
      break;
    }
  }

  FloatLayout layout;
  int64_t sign, oneExponent;
  /// What too large numbers become, of which the largest is one less, and what
  /// is no number.
  int64_t overflow, nan;
};

using arith::CmpIPredicate;

/// Whether half precision holds all of a layout's numbers as they are, or with
/// another exponent.
bool fitsHalf(const FloatLayout &layout) {
  return layout.fractionBits <= halfFractionBits &&
         (layout.bias < halfBias ||
          (layout.bias == halfBias &&
           layout.specials == FloatSpecials::Infinities));
}
} // namespace

/// By half precision, which hardware extends: exponent and fraction are moved
/// to where those of half precision begin, and stand for less there by what the
/// biases differ in.
static Value magnitudeByHalf(LaneBuilder &lanes, OpBuilder &builder,
                             const Patterns &patterns, Value word) {
  const FloatLayout &layout = patterns.layout;
  Type f16 = lanes.withElement(builder.getF16Type());
  Value half =
      lanes.to<arith::TruncIOp>(lanes.withElement(builder.getI16Type()), word);
  Value value =
      lanes.to<arith::ExtFOp>(lanes.f32, lanes.to<arith::BitcastOp>(f16, half));
  if (layout.bias == halfBias)
    return value;
  return lanes.apply<arith::MulFOp>(
      value, lanes.number(std::ldexp(1, halfBias - layout.bias)));
}

/// By the bits of single precision; numbers below its exponents are products of
/// their fraction. A caller's mode that takes subnormal numbers for zero meets
/// none.
static Value magnitudeBySingle(LaneBuilder &lanes, const Patterns &patterns,
                               Value magnitude) {
  const FloatLayout &layout = patterns.layout;
  Value bits = lanes.apply<arith::ShLIOp>(magnitude, singleFractionBits -
                                                         layout.fractionBits);
  bits = lanes.apply<arith::AddIOp>(bits, (singleBias - layout.bias)
                                              << singleFractionBits);
  Value normal = lanes.to<arith::BitcastOp>(lanes.f32, bits);
  Value small = lanes.apply<arith::MulFOp>(
      lanes.to<arith::UIToFPOp>(lanes.f32, magnitude),
      lanes.number(std::ldexp(1, 1 - layout.bias - layout.fractionBits)));
  return lanes.choose(CmpIPredicate::ult, magnitude, patterns.oneExponent,
                      small, normal);
}

/// The f32 of a pattern in an i32 whose upper bits are zero.
static Value extend(LaneBuilder &lanes, OpBuilder &builder,
                    const ScalarType &type, Value bits) {
  Patterns patterns(type);
  const FloatLayout &layout = patterns.layout;
  // The same exponent: the byte is the upper one.
  if (fitsHalf(layout) && layout.bias == halfBias)
    return magnitudeByHalf(lanes, builder, patterns,
                           lanes.apply<arith::ShLIOp>(
                               bits, halfFractionBits - layout.fractionBits));
  Value magnitude = lanes.apply<arith::AndIOp>(bits, patterns.sign - 1);
  Value sign = lanes.apply<arith::AndIOp>(bits, patterns.sign);
  Value value;
  if (fitsHalf(layout)) {
    Value word = lanes.apply<arith::OrIOp>(
        lanes.apply<arith::ShLIOp>(sign, 16 - type.bits),
        lanes.apply<arith::ShLIOp>(magnitude,
                                   halfFractionBits - layout.fractionBits));
    value = magnitudeByHalf(lanes, builder, patterns, word);
  } else {
    value = magnitudeBySingle(lanes, patterns, magnitude);
    Value word = lanes.apply<arith::OrIOp>(
        lanes.to<arith::BitcastOp>(lanes.i32, value),
        lanes.apply<arith::ShLIOp>(sign, 32 - type.bits));
    value = lanes.to<arith::BitcastOp>(lanes.f32, word);
  }
  Value nan = lanes.number(std::nan(""));
  switch (layout.specials) {
  case FloatSpecials::AllOnes:
    return lanes.choose(CmpIPredicate::eq, magnitude, patterns.nan, nan, value);
  case FloatSpecials::NegativeZero:
    return lanes.choose(CmpIPredicate::eq, bits, patterns.nan, nan, value);
  case FloatSpecials::Infinities:
    break;
  }
  if (fitsHalf(layout))
    return value;
  // With a sign that is of no use to NaN.
  Value infinity = lanes.to<arith::BitcastOp>(
      lanes.f32,
      lanes.apply<arith::OrIOp>(
          lanes.apply<arith::ShLIOp>(sign, 32 - type.bits), singleInfinity));
  value = lanes.choose(CmpIPredicate::eq, magnitude, patterns.overflow,
                       infinity, value);
  return lanes.choose(CmpIPredicate::ugt, magnitude, patterns.overflow, nan,
                      value);
}

/// The pattern, in an i32, of the number nearest to an f32, the even one of
/// two.
static Value truncate(LaneBuilder &lanes, const ScalarType &type, Value value) {
  Patterns patterns(type);
  const FloatLayout &layout = patterns.layout;
  Value word = lanes.to<arith::BitcastOp>(lanes.i32, value);
  Value magnitude = lanes.apply<arith::AndIOp>(word, 0x7fffffff);

  // Half of what is dropped is added, less if that leaves an even pattern. A
  // carry out of the fraction raises the exponent, as it should.
  int64_t dropped = singleFractionBits - layout.fractionBits;
  Value isOdd = lanes.apply<arith::AndIOp>(
      lanes.apply<arith::ShRUIOp>(magnitude, dropped), 1);
  Value rounded = lanes.apply<arith::AddIOp>(
      lanes.apply<arith::AddIOp>(magnitude, (int64_t(1) << (dropped - 1)) - 1),
      isOdd);
  Value normal = lanes.apply<arith::SubIOp>(
      lanes.apply<arith::ShRUIOp>(rounded, dropped),
      (singleBias - layout.bias) << layout.fractionBits);

  // Added to a number whose last place is that of the smallest one, the sum's
  // last places are the fraction.
  double steps = std::ldexp(1, int(singleFractionBits) + 1 - layout.bias -
                                   layout.fractionBits);
  Value sum = lanes.apply<arith::AddFOp>(
      lanes.to<arith::BitcastOp>(lanes.f32, magnitude), lanes.number(steps));
  Value small = lanes.apply<arith::SubIOp>(
      lanes.to<arith::BitcastOp>(lanes.i32, sum),
      lanes.to<arith::BitcastOp>(lanes.i32, lanes.number(steps)));
  int64_t leastNormal = (singleBias + 1 - layout.bias) << singleFractionBits;
  Value bits =
      lanes.choose(CmpIPredicate::ult, magnitude, leastNormal, small, normal);

  bits = lanes.choose(CmpIPredicate::ult, bits, patterns.overflow, bits,
                      lanes.constant(patterns.overflow));
  bits = lanes.choose(CmpIPredicate::ugt, magnitude, singleInfinity,
                      lanes.constant(patterns.nan), bits);
  Value sign = lanes.apply<arith::AndIOp>(
      lanes.apply<arith::ShRUIOp>(word, 32 - type.bits), patterns.sign);
  Value both = lanes.apply<arith::OrIOp>(bits, sign);
  if (layout.specials != FloatSpecials::NegativeZero)
    return both;
  return lanes.choose(CmpIPredicate::eq, bits, 0, bits, both);
}

/// What the table says of an 8-bit float, or null.
static const ScalarType *findByteFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isNarrowFloat(element) || element.getIntOrFloatBitWidth() != 8)
    return nullptr;
  return findScalarType(element);
}

static LogicalResult expandExtension(arith::ExtFOp op,
                                     PatternRewriter &rewriter) {
  const ScalarType *type = findByteFloat(op.getIn().getType());
  if (!type || !getElementTypeOrSelf(op.getType()).isF32())
    return failure();
  LaneBuilder lanes(rewriter, op.getLoc(), op.getType());
  Value bits = lanes.to<arith::BitcastOp>(
      lanes.withElement(rewriter.getIntegerType(type->bits)), op.getIn());
  bits = lanes.to<arith::ExtUIOp>(lanes.i32, bits);
  rewriter.replaceOp(op, extend(lanes, rewriter, *type, bits));
  return success();
}

static LogicalResult expandTruncation(arith::TruncFOp op,
                                      PatternRewriter &rewriter) {
  const ScalarType *type = findByteFloat(op.getType());
  if (!type || !getElementTypeOrSelf(op.getIn().getType()).isF32())
    return failure();
  LaneBuilder lanes(rewriter, op.getLoc(), op.getType());
  Value bits = lanes.to<arith::TruncIOp>(
      lanes.withElement(rewriter.getIntegerType(type->bits)),
      truncate(lanes, *type, op.getIn()));
  rewriter.replaceOp(op, lanes.to<arith::BitcastOp>(op.getType(), bits));
  return success();
}

void populateExpandNarrowFloats(RewritePatternSet &patterns) {
  patterns.add(expandExtension);
  patterns.add(expandTruncation);
}

} // namespace ember::native
