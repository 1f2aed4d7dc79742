//===- HalfPrecision.cpp - Half floats on processors without them ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that LLVM calls to convert f16 where the processor has no
// instruction for it: x86-64 before AVX2, and from f64 everywhere on it. A
// compiler's library has them, but kernels are linked without one.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

template <typename To, typename From> static To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof(result));
  return result;
}

extern "C" float __extendhfsf2(_Float16 value) {
  auto bits = bitCast<uint16_t>(value);
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) // 2^-24 is the smallest step: exact in f32
    return bitCast<float>(bitCast<uint32_t>(float(fraction) * 0x1p-24f) | sign);
  if (exponent == 0x1f) { // infinity, or a NaN, which becomes a quiet one
    uint32_t quiet = fraction ? 0x400000 : 0;
    return bitCast<float>(sign | 0x7f800000 | quiet | fraction << 13);
  }
  return bitCast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// The bits of the half nearest to a float of `fractionBits` and `bias`, ties
/// to even.
template <typename Bits, int fractionBits, int bias>
static uint16_t narrow(Bits bits) {
  constexpr int signBit = 8 * sizeof(Bits) - 1;
  constexpr Bits one = 1;
  uint16_t sign = uint16_t(bits >> signBit) << 15;
  Bits magnitude = bits & ~(one << signBit);
  constexpr Bits infinity = Bits(2 * bias + 1) << fractionBits;
  if (magnitude > infinity) {
    auto payload = uint16_t(magnitude >> (fractionBits - 10));
    return sign | 0x7e00 | (payload & 0x3ff);
  }
  int exponent = int(magnitude >> fractionBits) - bias;
  if (exponent > 15)
    return sign | 0x7c00;
  if (exponent < -25) // under half of the smallest step
    return sign;
  Bits fraction =
      (magnitude & ((one << fractionBits) - 1)) | one << fractionBits;
  // Numbers below 2^-14 have fewer bits.
  int dropped = fractionBits - 10 + (exponent < -14 ? -14 - exponent : 0);
  Bits kept = fraction >> dropped;
  Bits rest = fraction & ((one << dropped) - 1);
  Bits half = one << (dropped - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The leading bit, and a carry out of the fraction, count up the exponent.
  if (exponent >= -14)
    kept += Bits(exponent + 14) << 10;
  return sign | uint16_t(kept);
}

extern "C" _Float16 __truncsfhf2(float value) {
  return bitCast<_Float16>(narrow<uint32_t, 23, 127>(bitCast<uint32_t>(value)));
}

extern "C" _Float16 __truncdfhf2(double value) {
  return bitCast<_Float16>(
      narrow<uint64_t, 52, 1023>(bitCast<uint64_t>(value)));
}
