//===- FloatArithmeticTest.cpp - NaN, rounding, saturation ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/FloatArithmetic.h"

#include "gtest/gtest.h"

#include <random>

using namespace ember::sim;

namespace {
float bits(uint32_t value) { return fromBits<float>(value); }
const float infinity = std::numeric_limits<float>::infinity();

TEST(FloatArithmetic, SignallingOperandsComeFirst) {
  float first = bits(0x7fc00001), second = bits(0x7f800002);
  EXPECT_EQ(bitsOf(FloatAdd<float>::apply(first, second)), 0x7fc00002u);
  EXPECT_EQ(bitsOf(FloatAdd<float>::apply(first, bits(0x7fc00003))),
            0x7fc00001u);
  EXPECT_EQ(bitsOf(FloatMultiply<float>::apply(1.0f, first)), 0x7fc00001u);
  // Without a NaN as an operand it is the default one, whose sign is clear.
  EXPECT_EQ(bitsOf(FloatSubtract<float>::apply(infinity, infinity)),
            0x7fc00000u);
  EXPECT_EQ(bitsOf(FloatDivide<float>::apply(0.0f, 0.0f)), 0x7fc00000u);
  EXPECT_EQ(bitsOf(FloatSquareRoot<float>::apply(-1.0f)), 0x7fc00000u);
}

TEST(FloatArithmetic, FusedTakesTheAddendFirst) {
  EXPECT_EQ(bitsOf(fused<float>(bits(0x7fc00001), bits(0x7fc00002), 1.0f)),
            0x7fc00001u);
  EXPECT_EQ(bitsOf(fused<float>(bits(0x7fc00001), infinity, 0.0f)),
            0x7fc00000u);
  EXPECT_EQ(bitsOf(fused<float>(1.0f, bits(0x7f800002), 1.0f)), 0x7fc00002u);
}

TEST(FloatArithmetic, NumbersBeatQuietNaNInTheNumberForms) {
  float nan = bits(0x7fc00001);
  EXPECT_EQ(FloatMaximumNumber<float>::apply(nan, 2.0f), 2.0f);
  EXPECT_EQ(FloatMinimumNumber<float>::apply(2.0f, nan), 2.0f);
  EXPECT_EQ(bitsOf(FloatMaximum<float>::apply(nan, 2.0f)), 0x7fc00001u);
  EXPECT_EQ(bitsOf(FloatMaximumNumber<float>::apply(bits(0x7f800001), 2.0f)),
            0x7fc00001u);
  EXPECT_EQ(bitsOf(FloatMaximum<float>::apply(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(bitsOf(FloatMinimum<float>::apply(0.0f, -0.0f)), 0x80000000u);
}

TEST(FloatArithmetic, IntegersSaturate) {
  EXPECT_EQ((toInteger<int32_t>(1e20f)), 0x7fffffff);
  EXPECT_EQ((toInteger<int32_t>(-1e20)), std::numeric_limits<int32_t>::min());
  EXPECT_EQ((toInteger<uint32_t>(-5.0f)), 0u);
  EXPECT_EQ((toInteger<int64_t>(bits(0x7fc00000))), 0);
  EXPECT_EQ((toInteger<uint64_t>(18446744073709551615.0)), ~uint64_t{0});
  EXPECT_EQ((toInteger<int32_t, double, Rounding::nearestEven>(2.5)), 2);
  EXPECT_EQ((toInteger<int32_t, double, Rounding::nearestAway>(2.5)), 3);
  EXPECT_EQ((toInteger<int32_t, double, Rounding::down>(-2.5)), -3);
}

TEST(FloatArithmetic, HalvesRoundOnce) {
  // Exactly, as products and sums of integers: a * b + c in units of 2^-48.
  std::mt19937 random(5);
  for (unsigned trial = 0; trial < 100000; ++trial) {
    Half a = fromBits<Half>(random() % 0x7c00),
         b = fromBits<Half>(random() % 0x7c00),
         c = fromBits<Half>(random() % 0x7c00);
    auto units = [](Half value, int scale) {
      return static_cast<__int128>(
          std::ldexp(static_cast<double>(value), scale));
    };
    __int128 exact = units(a, 24) * units(b, 24) + (units(c, 24) << 24);
    Half result = fusedUnchecked(a, b, c);
    if (isInfinite(result))
      continue;
    auto error = [&](Half candidate) {
      __int128 difference = (units(candidate, 24) << 24) - exact;
      return difference < 0 ? -difference : difference;
    };
    uint16_t pattern = bitsOf(result);
    if (pattern)
      EXPECT_LE(error(result), error(fromBits<Half>(pattern - 1)));
    if (pattern + 1 < 0x7c00)
      EXPECT_LE(error(result), error(fromBits<Half>(pattern + 1)));
  }
}

TEST(FloatArithmetic, HalvesOfFixedPointNumbersRoundOnce) {
  // Just above the middle of two halves, by a bit that no double has.
  uint64_t middle = (uint64_t{1} << 62) + (uint64_t{1} << 51);
  EXPECT_EQ(fromInteger<Half>(middle, 62), static_cast<Half>(1));
  EXPECT_EQ(fromInteger<Half>(middle + 1, 62), static_cast<Half>(0x1.004p0));
  EXPECT_EQ(fromInteger<Half>(-static_cast<int64_t>(middle + 1), 62),
            static_cast<Half>(-0x1.004p0));
  EXPECT_EQ(fromInteger<Half>(std::numeric_limits<int64_t>::min(), 63),
            static_cast<Half>(-1));
  // Beyond all halves before it is scaled.
  EXPECT_EQ(fromInteger<Half>(uint32_t{1} << 20, 10), static_cast<Half>(1024));
  EXPECT_TRUE(isInfinite(fromInteger<Half>(uint32_t{1} << 20)));
  EXPECT_EQ(fromInteger<Half>(uint64_t{3}, 25), fromBits<Half>(2));
  EXPECT_EQ((toFixedPoint<int32_t>(static_cast<Half>(-0x1.8p3), 2)), -48);
  EXPECT_EQ((toFixedPoint<uint16_t>(static_cast<Half>(1000), 8)), 0xffff);
}

TEST(FloatArithmetic, ImmediatesExpand) {
  EXPECT_EQ(expandImmediate<float>(0x70), 1.0f);
  EXPECT_EQ(expandImmediate<double>(0x00), 2.0);
  EXPECT_EQ(expandImmediate<float>(0xf8), -1.5f);
  EXPECT_EQ(expandImmediate<float>(0x40), 0.125f);
  EXPECT_EQ(expandImmediate<double>(0x3f), 31.0);
}

TEST(FloatArithmetic, BrainFloatsRoundToNearest) {
  EXPECT_EQ(toBrain(1.0f), 0x3f80);
  EXPECT_EQ(toBrain(bits(0x3f808000)), 0x3f80);
  EXPECT_EQ(toBrain(bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(toBrain(bits(0x7f800001)), 0x7fc0);
}
} // namespace
