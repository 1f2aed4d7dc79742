//===- IntegerArithmetic.h - Operations on elements of vectors --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_INTEGERARITHMETIC_H
#define EMBER_SIM_CORE_INTEGERARITHMETIC_H

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ember::sim {

template <typename T> constexpr unsigned bitsIn = sizeof(T) * 8;

/// A type of twice the width.
template <typename T> struct WiderType;
template <> struct WiderType<uint8_t> {
  using Type = uint16_t;
};
template <> struct WiderType<uint16_t> {
  using Type = uint32_t;
};
template <> struct WiderType<uint32_t> {
  using Type = uint64_t;
};
template <> struct WiderType<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct WiderType<int8_t> {
  using Type = int16_t;
};
template <> struct WiderType<int16_t> {
  using Type = int32_t;
};
template <> struct WiderType<int32_t> {
  using Type = int64_t;
};
template <> struct WiderType<int64_t> {
  using Type = __int128;
};
template <typename T> using Wider = typename WiderType<T>::Type;

// Narrow unsigned types would be promoted to int, whose overflow is undefined.
template <typename T> constexpr auto modular(T value) {
  return static_cast<std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>>(
      value);
}

#define EMBER_SIM_BINARY(Name, ...)                                            \
  template <typename T> struct Name {                                          \
    static T apply(T a, T b) { return static_cast<T>(__VA_ARGS__); }           \
  };
EMBER_SIM_BINARY(Add, modular(a) + modular(b))
EMBER_SIM_BINARY(Subtract, modular(a) - modular(b))
EMBER_SIM_BINARY(SubtractReversed, modular(b) - modular(a))
EMBER_SIM_BINARY(Multiply, modular(a) * modular(b))
EMBER_SIM_BINARY(MultiplyHigh, (static_cast<Wider<T>>(a) * b) >> bitsIn<T>)
EMBER_SIM_BINARY(And, a &b)
EMBER_SIM_BINARY(Or, a | b)
EMBER_SIM_BINARY(ExclusiveOr, a ^ b)
EMBER_SIM_BINARY(BitClear, a & ~b)
EMBER_SIM_BINARY(OrNot, a | ~b)
EMBER_SIM_BINARY(Maximum, a > b ? a : b)
EMBER_SIM_BINARY(Minimum, a < b ? a : b)
EMBER_SIM_BINARY(AbsoluteDifference,
                 a > b ? modular(a) - modular(b) : modular(b) - modular(a))
EMBER_SIM_BINARY(HalvingAdd, (static_cast<Wider<T>>(a) + b) >> 1)
EMBER_SIM_BINARY(RoundingHalvingAdd, (static_cast<Wider<T>>(a) + b + 1) >> 1)
EMBER_SIM_BINARY(HalvingSubtract, (static_cast<Wider<T>>(a) - b) >> 1)
EMBER_SIM_BINARY(Equal, a == b ? ~T{0} : 0)
EMBER_SIM_BINARY(Greater, a > b ? ~T{0} : 0)
EMBER_SIM_BINARY(GreaterEqual, a >= b ? ~T{0} : 0)
EMBER_SIM_BINARY(Less, a < b ? ~T{0} : 0)
EMBER_SIM_BINARY(LessEqual, a <= b ? ~T{0} : 0)
EMBER_SIM_BINARY(AnyCommonBit, a &b ? ~T{0} : 0)
// A shift's amount is unsigned and may be as great as the width or greater.
EMBER_SIM_BINARY(ShiftLeft, static_cast<std::make_unsigned_t<T>>(b) < bitsIn<T>
                                ? modular(a) << b
                                : 0)
EMBER_SIM_BINARY(ShiftRight, static_cast<std::make_unsigned_t<T>>(b) < bitsIn<T>
                                 ? a >> b
                             : a < 0 ? -1
                                     : 0)
#undef EMBER_SIM_BINARY

template <typename T> struct ShiftLeftReversed {
  static T apply(T a, T b) { return ShiftLeft<T>::apply(b, a); }
};
template <typename T> struct ShiftRightReversed {
  static T apply(T a, T b) { return ShiftRight<T>::apply(b, a); }
};

/// By the lowest byte of b, which is signed: left, or right where negative.
template <typename T> struct ShiftBySigned {
  static T apply(T a, T b) {
    int amount = static_cast<int8_t>(b);
    constexpr int bits = bitsIn<T>;
    if (amount >= 0)
      return amount >= bits ? T{0} : static_cast<T>(modular(a) << amount);
    if (amount <= -bits)
      return a < 0 ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> -amount);
  }
};

template <typename T> T saturate(__int128 value) {
  if (value < std::numeric_limits<T>::min())
    return std::numeric_limits<T>::min();
  if (value > std::numeric_limits<T>::max())
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}
template <typename T> struct SaturatingAdd {
  static T apply(T a, T b) { return saturate<T>(static_cast<__int128>(a) + b); }
};
template <typename T> struct SaturatingSubtract {
  static T apply(T a, T b) { return saturate<T>(static_cast<__int128>(a) - b); }
};
template <typename T> struct SaturatingDoublingHigh {
  static T apply(T a, T b) {
    return saturate<T>((static_cast<__int128>(a) * b * 2) >> bitsIn<T>);
  }
};
template <typename T> struct Divide {
  static T apply(T a, T b) {
    if (b == 0)
      return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return static_cast<T>(-modular(a));
    return static_cast<T>(a / b);
  }
};
template <typename T> struct DivideReversed {
  static T apply(T a, T b) { return Divide<T>::apply(b, a); }
};

#define EMBER_SIM_UNARY(Name, ...)                                             \
  template <typename T> struct Name {                                          \
    static T apply(T a) { return static_cast<T>(__VA_ARGS__); }                \
  };
EMBER_SIM_UNARY(Not, ~a)
EMBER_SIM_UNARY(LogicalNot, a == 0)
EMBER_SIM_UNARY(Negate, -modular(a))
EMBER_SIM_UNARY(AbsoluteValue, a < 0 ? -modular(a) : modular(a))
EMBER_SIM_UNARY(CountOnes,
                std::popcount(static_cast<std::make_unsigned_t<T>>(a)))
EMBER_SIM_UNARY(LeadingZeros,
                std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)))
EMBER_SIM_UNARY(LeadingSigns,
                std::countl_zero(static_cast<std::make_unsigned_t<T>>(
                    a ^ static_cast<T>(a >> 1))) -
                    1)
EMBER_SIM_UNARY(EqualZero, a == 0 ? ~T{0} : 0)
EMBER_SIM_UNARY(GreaterZero, a > 0 ? ~T{0} : 0)
EMBER_SIM_UNARY(GreaterEqualZero, a >= 0 ? ~T{0} : 0)
EMBER_SIM_UNARY(LessZero, a < 0 ? ~T{0} : 0)
EMBER_SIM_UNARY(LessEqualZero, a <= 0 ? ~T{0} : 0)
#undef EMBER_SIM_UNARY

template <typename T> struct ReverseBits {
  static T apply(T a) {
    if constexpr (sizeof(T) == 1)
      return static_cast<T>(__builtin_bitreverse8(a));
    else if constexpr (sizeof(T) == 2)
      return static_cast<T>(__builtin_bitreverse16(a));
    else if constexpr (sizeof(T) == 4)
      return static_cast<T>(__builtin_bitreverse32(a));
    else
      return static_cast<T>(__builtin_bitreverse64(a));
  }
};
/// The units of a container, in reverse.
template <typename Unit> struct ReverseUnits {
  template <typename T> struct Of {
    static T apply(T a) {
      T result = 0;
      for (unsigned i = 0; i < sizeof(T) / sizeof(Unit); ++i)
        result = static_cast<T>(
            result |
            static_cast<T>(
                static_cast<T>(static_cast<Unit>(a >> i * bitsIn<Unit>))
                << (bitsIn<T> - (i + 1) * bitsIn<Unit>)));
      return result;
    }
  };
};
template <typename Narrow> struct Extend {
  template <typename T> struct Of {
    static T apply(T a) { return static_cast<T>(static_cast<Narrow>(a)); }
  };
};

} // namespace ember::sim

#endif
