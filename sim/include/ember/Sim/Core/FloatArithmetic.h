//===- FloatArithmetic.h - Floats as the architecture has them --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding is to nearest and denormals are kept, as hosts do it; which NaN
// comes out is AArch64's choice: a signalling operand first, then a quiet one,
// in the order of operands, and without either the default NaN.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_FLOATARITHMETIC_H
#define EMBER_SIM_CORE_FLOATARITHMETIC_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ember::sim {

using Half = _Float16;

template <typename T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <typename T> struct FloatFormat;
template <> struct FloatFormat<Half> {
  static constexpr unsigned fractionBits = 10, exponentBits = 5;
};
template <> struct FloatFormat<float> {
  static constexpr unsigned fractionBits = 23, exponentBits = 8;
};
template <> struct FloatFormat<double> {
  static constexpr unsigned fractionBits = 52, exponentBits = 11;
};

template <typename T> constexpr BitsOf<T> signMask() {
  return static_cast<BitsOf<T>>(BitsOf<T>{1} << (sizeof(T) * 8 - 1));
}
template <typename T> constexpr BitsOf<T> quietBit() {
  return static_cast<BitsOf<T>>(BitsOf<T>{1}
                                << (FloatFormat<T>::fractionBits - 1));
}
template <typename T> constexpr BitsOf<T> infinityBits() {
  return static_cast<BitsOf<T>>(
      ((BitsOf<T>{1} << FloatFormat<T>::exponentBits) - 1)
      << FloatFormat<T>::fractionBits);
}

template <typename T> BitsOf<T> bitsOf(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}
template <typename T> T fromBits(BitsOf<T> bits) {
  return std::bit_cast<T>(bits);
}
template <typename T> bool isNaN(T value) {
  return (bitsOf(value) & ~signMask<T>()) > infinityBits<T>();
}
template <typename T> bool isSignalling(T value) {
  return isNaN(value) && !(bitsOf(value) & quietBit<T>());
}
template <typename T> bool isInfinite(T value) {
  return (bitsOf(value) & ~signMask<T>()) == infinityBits<T>();
}
template <typename T> bool isZero(T value) {
  return (bitsOf(value) & ~signMask<T>()) == 0;
}
template <typename T> T quiet(T value) {
  return fromBits<T>(static_cast<BitsOf<T>>(bitsOf(value) | quietBit<T>()));
}
template <typename T> T defaultNaN() {
  return fromBits<T>(static_cast<BitsOf<T>>(infinityBits<T>() | quietBit<T>()));
}
template <typename T> T negate(T value) {
  return fromBits<T>(static_cast<BitsOf<T>>(bitsOf(value) ^ signMask<T>()));
}
template <typename T> T absolute(T value) {
  return fromBits<T>(static_cast<BitsOf<T>>(bitsOf(value) & ~signMask<T>()));
}

/// The NaN that follows from operands, if any of them is one.
template <typename T, typename... Ts> T chooseNaN(Ts... operands) {
  T result = defaultNaN<T>();
  bool found = false;
  ((!found && isSignalling(operands) ? (result = quiet(operands), found = true)
                                     : found),
   ...);
  ((!found && isNaN(operands) ? (result = operands, found = true) : found),
   ...);
  return result;
}

/// The type in which operations on T are done; one more rounding, from there
/// to T, changes nothing for a single operation.
template <typename T>
using WorkType = std::conditional_t<std::is_same_v<T, Half>, float, T>;

#define EMBER_SIM_FLOAT_OPERATION(Name, expression)                            \
  template <typename T> struct Name {                                          \
    static T apply(T a, T b) {                                                 \
      using W [[maybe_unused]] = WorkType<T>;                                  \
      T result = static_cast<T>(expression);                                   \
      if (result != result) [[unlikely]]                                       \
        return chooseNaN<T>(a, b);                                             \
      return result;                                                           \
    }                                                                          \
  };
EMBER_SIM_FLOAT_OPERATION(FloatAdd, static_cast<W>(a) + static_cast<W>(b))
EMBER_SIM_FLOAT_OPERATION(FloatSubtract, static_cast<W>(a) - static_cast<W>(b))
EMBER_SIM_FLOAT_OPERATION(FloatMultiply, static_cast<W>(a) * static_cast<W>(b))
EMBER_SIM_FLOAT_OPERATION(FloatDivide, static_cast<W>(a) / static_cast<W>(b))
#undef EMBER_SIM_FLOAT_OPERATION

template <typename T> struct FloatNegatedMultiply {
  static T apply(T a, T b) { return negate(FloatMultiply<T>::apply(a, b)); }
};
template <typename T> struct FloatMultiplyExtended {
  static T apply(T a, T b) {
    if ((isZero(a) && isInfinite(b)) || (isInfinite(a) && isZero(b)))
      return fromBits<T>(
          static_cast<BitsOf<T>>((std::signbit(static_cast<double>(a)) !=
                                          std::signbit(static_cast<double>(b))
                                      ? signMask<T>()
                                      : BitsOf<T>{0}) |
                                 bitsOf(static_cast<T>(2))));
    return FloatMultiply<T>::apply(a, b);
  }
};
template <typename T> struct FloatAbsoluteDifference {
  static T apply(T a, T b) { return absolute(FloatSubtract<T>::apply(a, b)); }
};
template <typename T> struct FloatMaximum {
  static T apply(T a, T b) {
    if (isNaN(a) || isNaN(b)) [[unlikely]]
      return chooseNaN<T>(a, b);
    if (isZero(a) && isZero(b))
      return fromBits<T>(bitsOf(a) & bitsOf(b));
    return a > b ? a : b;
  }
};
template <typename T> struct FloatMinimum {
  static T apply(T a, T b) {
    if (isNaN(a) || isNaN(b)) [[unlikely]]
      return chooseNaN<T>(a, b);
    if (isZero(a) && isZero(b))
      return fromBits<T>(bitsOf(a) | bitsOf(b));
    return a < b ? a : b;
  }
};
/// A quiet NaN gives way to a number.
template <typename T> struct FloatMaximumNumber {
  static T apply(T a, T b) {
    if (isNaN(a) && !isNaN(b) && !isSignalling(a)) [[unlikely]]
      return b;
    if (isNaN(b) && !isNaN(a) && !isSignalling(b)) [[unlikely]]
      return a;
    return FloatMaximum<T>::apply(a, b);
  }
};
template <typename T> struct FloatMinimumNumber {
  static T apply(T a, T b) {
    if (isNaN(a) && !isNaN(b) && !isSignalling(a)) [[unlikely]]
      return b;
    if (isNaN(b) && !isNaN(a) && !isSignalling(b)) [[unlikely]]
      return a;
    return FloatMinimum<T>::apply(a, b);
  }
};

/// a * b + c, rounded once. Halves: the sum in double is made odd where it is
/// not exact, so that rounding it once more does not round twice.
template <typename T>
[[gnu::always_inline]] inline T fusedUnchecked(T a, T b, T c) {
  if constexpr (std::is_same_v<T, Half>) {
    double product = static_cast<double>(a) * static_cast<double>(b);
    double addend = static_cast<double>(c);
    double sum = product + addend;
    double part = sum - product;
    double rest = (product - (sum - part)) + (addend - part);
    uint64_t bits = std::bit_cast<uint64_t>(sum);
    if (rest != 0 && !(bits & 1) && sum - sum == 0)
      bits += (rest > 0) == (sum > 0) ? 1 : -1;
    return static_cast<Half>(std::bit_cast<double>(bits));
  } else {
    return __builtin_elementwise_fma(a, b, c);
  }
}
template <typename T> [[gnu::noinline]] T fusedNaN(T addend, T a, T b) {
  // Infinity times zero makes a default NaN even of a quiet addend.
  if (((isZero(a) && isInfinite(b)) || (isInfinite(a) && isZero(b))) &&
      !isSignalling(addend))
    return defaultNaN<T>();
  return chooseNaN<T>(addend, a, b);
}
template <typename T>
[[gnu::always_inline]] inline T fused(T addend, T a, T b) {
  T result = fusedUnchecked(a, b, addend);
  if (result != result) [[unlikely]]
    return fusedNaN(addend, a, b);
  return result;
}

template <typename T> struct FloatNegate {
  static T apply(T a) { return negate(a); }
};
template <typename T> struct FloatAbsolute {
  static T apply(T a) { return absolute(a); }
};
template <typename T> struct FloatSquareRoot {
  static T apply(T a) {
    if (isNaN(a))
      return quiet(a);
    if (a < 0)
      return defaultNaN<T>();
    return static_cast<T>(std::sqrt(static_cast<WorkType<T>>(a)));
  }
};

enum class Rounding { nearestEven, up, down, zero, nearestAway };

template <Rounding mode> double roundTo(double value) {
  switch (mode) {
  case Rounding::up:
    return std::ceil(value);
  case Rounding::down:
    return std::floor(value);
  case Rounding::zero:
    return std::trunc(value);
  case Rounding::nearestAway:
    return std::round(value);
  case Rounding::nearestEven:
    break;
  }
  double floor = std::floor(value);
  double rest = value - floor;
  double even = std::floor(floor / 2) * 2;
  double result = rest < 0.5      ? floor
                  : rest > 0.5    ? floor + 1
                  : even == floor ? floor
                                  : floor + 1;
  return std::copysign(result, value);
}
template <Rounding mode> struct RoundOperation {
  template <typename T> struct Of {
    static T apply(T a) {
      if (isNaN(a))
        return quiet(a);
      // Floats that large have no fraction.
      if (absolute(a) >=
          static_cast<double>(uint64_t{1} << FloatFormat<T>::fractionBits))
        return a;
      return static_cast<T>(roundTo<mode>(static_cast<double>(a)));
    }
  };
};

/// To an integer, saturated; NaN is 0.
template <typename To, typename From, Rounding mode = Rounding::zero>
To toInteger(From value) {
  if (isNaN(value))
    return 0;
  double rounded = roundTo<mode>(static_cast<double>(value));
  constexpr double least = static_cast<double>(std::numeric_limits<To>::min());
  // One more than the greatest, which is a power of two.
  constexpr double bound =
      static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2;
  if (rounded < least)
    return std::numeric_limits<To>::min();
  if (rounded >= bound)
    return std::numeric_limits<To>::max();
  return static_cast<To>(rounded);
}

/// From one format to another; the payload of a NaN keeps its upper bits.
template <typename To, typename From> To convertFloat(From value) {
  if (isNaN(value)) [[unlikely]] {
    constexpr int shift = static_cast<int>(FloatFormat<To>::fractionBits) -
                          static_cast<int>(FloatFormat<From>::fractionBits);
    uint64_t fraction = static_cast<uint64_t>(bitsOf(value)) &
                        ((uint64_t{1} << FloatFormat<From>::fractionBits) - 1);
    fraction =
        shift >= 0 ? fraction << (shift & 63) : fraction >> (-shift & 63);
    return fromBits<To>(static_cast<BitsOf<To>>(
        fraction | infinityBits<To>() | quietBit<To>() |
        (bitsOf(value) & signMask<From>() ? signMask<To>() : BitsOf<To>{0})));
  }
  return static_cast<To>(value);
}

/// An integer as a double that rounds to what it would itself round to in every
/// narrower format: what does not fit is cut off, and then odd.
template <typename Integer> double oddDouble(Integer value) {
  bool negative = value < 0;
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (negative)
    magnitude = 0 - magnitude;
  // 64 bits less the 53 of a double.
  constexpr uint64_t below = (uint64_t{1} << 11) - 1;
  if (magnitude >> 53 && magnitude & below)
    magnitude = (magnitude & ~below) | (below + 1);
  double result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

/// From a fixed-point number whose lowest `fraction` bits, at most 64, are its
/// fraction. Rounds once: floats and doubles have all of those exponents,
/// halves are scaled before they are made.
template <typename To, typename From>
To fromInteger(From value, unsigned fraction = 0) {
  int exponent = -static_cast<int>(fraction);
  if constexpr (std::is_same_v<To, Half>) {
    return static_cast<Half>(std::ldexp(oddDouble(value), exponent));
  } else {
    To result = static_cast<To>(value);
    return fraction ? std::ldexp(result, exponent) : result;
  }
}
/// To a fixed-point number, towards zero. Every scaled half and float is a
/// double; a double is scaled exactly unless it is far beyond every integer.
template <typename Integer, typename From>
Integer toFixedPoint(From value, unsigned fraction) {
  return toInteger<Integer, double>(
      std::ldexp(static_cast<double>(value), static_cast<int>(fraction)));
}

/// The float that a modified immediate of 8 bits stands for.
template <typename T> T expandImmediate(unsigned immediate) {
  double magnitude = (16 + (immediate & 15)) / 16.0;
  int exponent = static_cast<int>((immediate >> 4 & 7) ^ 4) - 3;
  double value = std::ldexp(magnitude, exponent);
  return static_cast<T>(immediate & 128 ? -value : value);
}

/// The upper half of a float, rounded to nearest.
inline uint16_t toBrain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (isNaN(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace ember::sim

#endif
