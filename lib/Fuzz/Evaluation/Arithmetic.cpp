//===- Arithmetic.cpp - What operations on scalars yield ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics of arith and math on bit patterns. Half types compute in f32
// and round to the half type: with at least twice the precision plus two bits
// that is the same as rounding once.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ember::fuzz {

uint64_t truncateBits(Scalar type, uint64_t bits) {
  unsigned width = bitWidth(type);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

int64_t signedValue(Scalar type, uint64_t bits) {
  unsigned shift = 64 - bitWidth(type);
  return static_cast<int64_t>(bits << shift) >> shift;
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
/// A float of at most 16 bits: sign, exponent, fraction.
struct HalfFormat {
  explicit HalfFormat(Scalar type)
      : layout(*scalarType(type).layout),
        sign(uint64_t(1) << (bitWidth(type) - 1)),
        one(uint64_t(1) << layout.fractionBits) {}

  FloatLayout layout;
  uint64_t sign, one;

  bool isNaN(uint64_t bits) const {
    switch (layout.specials) {
    case FloatSpecials::Infinities:
      return (bits & (sign - 1)) > infinity();
    case FloatSpecials::AllOnes:
      return (bits & (sign - 1)) == sign - 1;
    case FloatSpecials::NegativeZero:
      return bits == sign;
    }
    return false;
  }
  uint64_t infinity() const { return sign - one; }
  /// What a number too large becomes, and what none becomes.
  uint64_t overflow() const {
    return layout.specials == FloatSpecials::Infinities ? infinity() : nan();
  }
  uint64_t nan() const {
    switch (layout.specials) {
    case FloatSpecials::Infinities:
      return infinity() + one / 2;
    case FloatSpecials::AllOnes:
      return sign - 1;
    case FloatSpecials::NegativeZero:
      return sign;
    }
    return 0;
  }
};
} // namespace

static double decodeHalf(const HalfFormat &format, uint64_t bits) {
  const FloatLayout &layout = format.layout;
  if (format.isNaN(bits))
    return std::numeric_limits<double>::quiet_NaN();
  double sign = bits & format.sign ? -1.0 : 1.0;
  uint64_t magnitude = bits & (format.sign - 1);
  if (layout.specials == FloatSpecials::Infinities &&
      magnitude == format.infinity())
    return sign * std::numeric_limits<double>::infinity();
  auto exponent = static_cast<int>(magnitude >> layout.fractionBits);
  uint64_t fraction = magnitude & (format.one - 1);
  if (exponent == 0)
    exponent = 1;
  else
    fraction |= format.one;
  return sign * std::ldexp(static_cast<double>(fraction),
                           exponent - layout.bias - layout.fractionBits);
}

static uint64_t encodeHalf(const HalfFormat &format, double value) {
  const FloatLayout &layout = format.layout;
  uint64_t sign = std::signbit(value) ? format.sign : 0;
  if (std::isnan(value))
    return sign | format.nan();
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | format.overflow();
  if (value == 0)
    return layout.specials == FloatSpecials::NegativeZero ? 0 : sign;
  int exponent = std::max(std::ilogb(value), 1 - layout.bias);
  // In units of the last place; scaling by powers of two is exact in double,
  // and nearbyint rounds to nearest even.
  double units =
      std::nearbyint(std::ldexp(value, layout.fractionBits - exponent));
  // A carry out of the fraction raises the exponent, as it should.
  auto magnitude = static_cast<uint64_t>(units) +
                   (static_cast<uint64_t>(exponent + layout.bias - 1)
                    << layout.fractionBits);
  magnitude = std::min(magnitude, format.overflow());
  if (magnitude == 0 && layout.specials == FloatSpecials::NegativeZero)
    return 0;
  return sign | magnitude;
}

double decodeFloat(Scalar type, uint64_t bits) {
  switch (type) {
  case Scalar::F64:
    return std::bit_cast<double>(bits);
  case Scalar::F32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  default:
    return decodeHalf(HalfFormat(type), bits);
  }
}

uint64_t encodeFloat(Scalar type, double value) {
  switch (type) {
  case Scalar::F64:
    return std::bit_cast<uint64_t>(value);
  case Scalar::F32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return encodeHalf(HalfFormat(type), value);
  }
}

bool isNaN(Scalar type, uint64_t bits) {
  return std::isnan(decodeFloat(type, bits));
}

/// Rounds a result that is exact, or a float already.
static Computed finishFloat(Scalar type, double value) {
  return {encodeFloat(type, value)};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Computed divide(Opcode opcode, Scalar type, uint64_t lhs, uint64_t rhs) {
  if (rhs == 0)
    return {0, Computed::Trap};
  if (opcode == Opcode::DivUI)
    return {lhs / rhs};
  if (opcode == Opcode::RemUI)
    return {lhs % rhs};
  int64_t a = signedValue(type, lhs), b = signedValue(type, rhs);
  bool isLowest = lhs == uint64_t(1) << (bitWidth(type) - 1);
  if (b == -1)
    return isLowest
               ? Computed{0, Computed::Trap}
               : Computed{opcode == Opcode::DivSI ? static_cast<uint64_t>(-a)
                                                  : 0};
  return {static_cast<uint64_t>(opcode == Opcode::DivSI ? a / b : a % b)};
}

static Computed shift(Opcode opcode, Scalar type, uint64_t lhs, uint64_t rhs) {
  if (rhs >= bitWidth(type))
    return {0, Computed::Trap};
  if (opcode == Opcode::ShLI)
    return {lhs << rhs};
  if (opcode == Opcode::ShRUI)
    return {lhs >> rhs};
  return {static_cast<uint64_t>(signedValue(type, lhs) >> rhs)};
}

static Computed integerBinary(Opcode opcode, Scalar type, uint64_t lhs,
                              uint64_t rhs) {
  bool isLess = signedValue(type, lhs) < signedValue(type, rhs);
  switch (opcode) {
  case Opcode::AddI:
    return {lhs + rhs};
  case Opcode::SubI:
    return {lhs - rhs};
  case Opcode::MulI:
    return {lhs * rhs};
  case Opcode::AndI:
    return {lhs & rhs};
  case Opcode::OrI:
    return {lhs | rhs};
  case Opcode::XOrI:
    return {lhs ^ rhs};
  case Opcode::ShLI:
  case Opcode::ShRSI:
  case Opcode::ShRUI:
    return shift(opcode, type, lhs, rhs);
  case Opcode::MinSI:
    return {isLess ? lhs : rhs};
  case Opcode::MaxSI:
    return {isLess ? rhs : lhs};
  case Opcode::MinUI:
    return {std::min(lhs, rhs)};
  case Opcode::MaxUI:
    return {std::max(lhs, rhs)};
  default:
    return divide(opcode, type, lhs, rhs);
  }
}

Computed computeIntegerBinary(Opcode opcode, Scalar type, uint64_t lhs,
                              uint64_t rhs) {
  Computed result = integerBinary(opcode, type, lhs, rhs);
  result.bits = truncateBits(type, result.bits);
  return result;
}

bool compareIntegers(uint64_t predicate, Scalar type, uint64_t lhs,
                     uint64_t rhs) {
  int64_t a = signedValue(type, lhs), b = signedValue(type, rhs);
  switch (predicate) {
  case 0:
    return lhs == rhs;
  case 1:
    return lhs != rhs;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return lhs < rhs;
  case 7:
    return lhs <= rhs;
  case 8:
    return lhs > rhs;
  default:
    return lhs >= rhs;
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// IEEE 754 minimum: NaN wins, and -0 is below +0.
static double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T> static T floatBinary(Opcode opcode, T a, T b) {
  switch (opcode) {
  case Opcode::AddF:
    return a + b;
  case Opcode::SubF:
    return a - b;
  case Opcode::MulF:
    return a * b;
  case Opcode::DivF:
    return a / b;
  case Opcode::MinimumF:
    return static_cast<T>(minimum(a, b));
  default:
    return static_cast<T>(-minimum(-a, -b));
  }
}

Computed computeFloatBinary(Opcode opcode, Scalar type, uint64_t lhs,
                            uint64_t rhs) {
  double a = decodeFloat(type, lhs), b = decodeFloat(type, rhs);
  if (type == Scalar::F64)
    return finishFloat(type, floatBinary<double>(opcode, a, b));
  return finishFloat(type, floatBinary<float>(opcode, static_cast<float>(a),
                                              static_cast<float>(b)));
}

Computed computeFloatUnary(Opcode opcode, Scalar type, uint64_t value) {
  double decoded = decodeFloat(type, value);
  if (opcode == Opcode::NegF)
    return finishFloat(type, -decoded);
  if (opcode == Opcode::AbsF)
    return finishFloat(type, std::fabs(decoded));
  return finishFloat(type, type == Scalar::F64
                               ? std::sqrt(decoded)
                               : std::sqrt(static_cast<float>(decoded)));
}

Computed computeFma(Scalar type, uint64_t a, uint64_t b, uint64_t c) {
  double x = decodeFloat(type, a), y = decodeFloat(type, b),
         z = decodeFloat(type, c);
  if (type == Scalar::F64)
    return {encodeFloat(type, std::fma(x, y, z))};
  if (type == Scalar::F32)
    return {
        encodeFloat(type, std::fma(static_cast<float>(x), static_cast<float>(y),
                                   static_cast<float>(z)))};
  // Computed in f32 a half type would round twice.
  return {0, Computed::Unspecified};
}

bool compareFloats(uint64_t predicate, Scalar type, uint64_t lhs,
                   uint64_t rhs) {
  double a = decodeFloat(type, lhs), b = decodeFloat(type, rhs);
  bool isUnordered = std::isnan(a) || std::isnan(b);
  // The ordered predicates are sets of outcomes: 1 equal, 2 greater, 4 less;
  // 8 adds the outcome "unordered".
  constexpr uint64_t outcomes[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                   9, 10, 11, 12, 13, 14, 8, 15};
  uint64_t outcome = isUnordered ? 8 : a == b ? 1 : a > b ? 2 : 4;
  return (outcomes[predicate] & outcome) != 0;
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

template <typename Integer>
static Computed integerToFloat(Scalar to, Integer value) {
  if (to == Scalar::F64)
    return {encodeFloat(to, static_cast<double>(value))};
  auto single = static_cast<float>(value);
  if (to == Scalar::F32)
    return {encodeFloat(to, single)};
  // Whether machines round to a half type once or by way of f32 is open.
  bool isExact = static_cast<__int128>(single) == static_cast<__int128>(value);
  return {encodeFloat(to, single),
          isExact ? Computed::Fine : Computed::Unspecified};
}

Computed computeCast(Opcode opcode, Scalar from, Scalar to, uint64_t value) {
  switch (opcode) {
  case Opcode::IndexCast:
  case Opcode::ExtSI:
    return {truncateBits(to, static_cast<uint64_t>(signedValue(from, value)))};
  case Opcode::IndexCastUI:
  case Opcode::ExtUI:
  case Opcode::TruncI:
    return {truncateBits(to, value)};
  case Opcode::SIToFP:
    return integerToFloat(to, signedValue(from, value));
  case Opcode::UIToFP:
    return integerToFloat(to, value);
  default:
    return finishFloat(to, decodeFloat(from, value));
  }
}

} // namespace ember::fuzz
