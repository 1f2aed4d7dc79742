//===- ArithmeticTest.cpp - The evaluator's arithmetic on bit patterns ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "gtest/gtest.h"
#include <bit>
#include <cmath>
#include <cstring>

using namespace ember::fuzz;

namespace {

uint64_t integer(Opcode opcode, Scalar type, int64_t lhs, int64_t rhs) {
  Computed result = computeIntegerBinary(opcode, type, truncateBits(type, lhs),
                                         truncateBits(type, rhs));
  EXPECT_EQ(result.status, Computed::Fine);
  return result.bits;
}

bool traps(Opcode opcode, Scalar type, int64_t lhs, int64_t rhs) {
  return computeIntegerBinary(opcode, type, truncateBits(type, lhs),
                              truncateBits(type, rhs))
             .status == Computed::Trap;
}

TEST(IntegerArithmetic, wraps) {
  EXPECT_EQ(integer(Opcode::AddI, Scalar::I8, 127, 1), 0x80u);
  EXPECT_EQ(integer(Opcode::SubI, Scalar::I16, -32768, 1), 0x7fffu);
  EXPECT_EQ(integer(Opcode::MulI, Scalar::I32, 1 << 20, 1 << 20), 0u);
  EXPECT_EQ(integer(Opcode::AddI, Scalar::I64, INT64_MAX, 1), uint64_t(1)
                                                                  << 63);
}

TEST(IntegerArithmetic, dividesTowardsZero) {
  EXPECT_EQ(integer(Opcode::DivSI, Scalar::I8, -7, 2), 0xfdu);
  EXPECT_EQ(integer(Opcode::RemSI, Scalar::I8, -7, 2), 0xffu);
  EXPECT_EQ(integer(Opcode::DivUI, Scalar::I8, -7, 2), 124u);
  EXPECT_EQ(integer(Opcode::RemSI, Scalar::I32, 5, -1), 0u);
}

TEST(IntegerArithmetic, trapsWhereThereIsNoResult) {
  EXPECT_TRUE(traps(Opcode::DivUI, Scalar::I32, 1, 0));
  EXPECT_TRUE(traps(Opcode::DivSI, Scalar::I8, -128, -1));
  EXPECT_FALSE(traps(Opcode::DivSI, Scalar::I16, -128, -1));
  EXPECT_TRUE(traps(Opcode::ShLI, Scalar::I16, 1, 16));
  EXPECT_FALSE(traps(Opcode::ShLI, Scalar::I32, 1, 16));
}

TEST(IntegerArithmetic, ordersSignedAndUnsigned) {
  EXPECT_EQ(integer(Opcode::MinSI, Scalar::I8, -1, 1), 0xffu);
  EXPECT_EQ(integer(Opcode::MinUI, Scalar::I8, -1, 1), 1u);
  EXPECT_EQ(integer(Opcode::ShRSI, Scalar::I8, -4, 1), 0xfeu);
  EXPECT_EQ(integer(Opcode::ShRUI, Scalar::I8, -4, 1), 0x7eu);
  EXPECT_TRUE(compareIntegers(2, Scalar::I8, 0xff, 1));  // slt
  EXPECT_FALSE(compareIntegers(6, Scalar::I8, 0xff, 1)); // ult
}

uint64_t castTo(Opcode opcode, Scalar from, Scalar to, uint64_t bits) {
  return computeCast(opcode, from, to, bits).bits;
}

TEST(Casts, extendAndTruncate) {
  EXPECT_EQ(castTo(Opcode::ExtSI, Scalar::I8, Scalar::I32, 0x80), 0xffffff80u);
  EXPECT_EQ(castTo(Opcode::ExtUI, Scalar::I8, Scalar::I32, 0x80), 0x80u);
  EXPECT_EQ(castTo(Opcode::IndexCast, Scalar::I32, Scalar::Index, 0xffffffff),
            UINT64_MAX);
  EXPECT_EQ(castTo(Opcode::IndexCastUI, Scalar::I32, Scalar::Index, 0xffffffff),
            0xffffffffu);
  EXPECT_EQ(castTo(Opcode::TruncI, Scalar::I32, Scalar::I8, 0x1234), 0x34u);
}

TEST(Casts, leaveOpenHowWideIntegersRoundToHalfTypes) {
  // 2^24 + 1 is no f32.
  Computed wide =
      computeCast(Opcode::SIToFP, Scalar::I32, Scalar::BF16, (1 << 24) + 1);
  EXPECT_EQ(wide.status, Computed::Unspecified);
  Computed small = computeCast(Opcode::SIToFP, Scalar::I32, Scalar::BF16, 257);
  EXPECT_EQ(small.status, Computed::Fine);
  EXPECT_EQ(decodeFloat(Scalar::BF16, small.bits), 256.0);
}

TEST(HalfTypes, everyPatternSurvivesARoundTrip) {
  for (Scalar type : {Scalar::F16, Scalar::BF16})
    for (uint64_t bits = 0; bits < 0x10000; ++bits) {
      double value = decodeFloat(type, bits);
      if (std::isnan(value))
        EXPECT_TRUE(isNaN(type, encodeFloat(type, value)));
      else
        ASSERT_EQ(encodeFloat(type, value), bits);
    }
}

TEST(HalfTypes, agreeWithTheCompilersHalf) {
  // Halfway points and their neighbours, in all binades, subnormals included.
  for (uint32_t bits = 0; bits < 0x7f800000; bits += 0x7ff) {
    auto single = std::bit_cast<float>(bits);
    auto half = static_cast<_Float16>(single);
    uint16_t pattern;
    std::memcpy(&pattern, &half, sizeof pattern);
    ASSERT_EQ(encodeFloat(Scalar::F16, single), pattern) << single;
  }
}

TEST(HalfTypes, patternsAreThoseOfTheirValues) {
  for (const ember::ScalarType &type : ember::scalarTypes) {
    if (!type.isFloat() || type.bits > 16)
      continue;
    double previous = -1;
    for (uint64_t pattern = 0; pattern < uint64_t(1) << type.bits; ++pattern) {
      double value = decodeFloat(type.id, pattern);
      if (std::isnan(value))
        continue;
      EXPECT_EQ(encodeFloat(type.id, value), pattern) << type.name;
      // Without the sign they are in order.
      if (pattern < uint64_t(1) << (type.bits - 1)) {
        EXPECT_LT(previous, value) << type.name;
        previous = value;
      }
    }
    EXPECT_TRUE(isNaN(type.id, encodeFloat(type.id, NAN))) << type.name;
    double huge = decodeFloat(type.id, encodeFloat(type.id, 1e300));
    EXPECT_FALSE(std::isfinite(huge)) << type.name;
  }
}

TEST(HalfTypes, bf16RoundsToNearestEven) {
  auto round = [](uint32_t bits) {
    return encodeFloat(Scalar::BF16, std::bit_cast<float>(bits));
  };
  EXPECT_EQ(round(0x3f808000), 0x3f80u); // a tie, to even
  EXPECT_EQ(round(0x3f818000), 0x3f82u); // a tie, to even
  EXPECT_EQ(round(0x3f808001), 0x3f81u);
  EXPECT_EQ(round(0x7f7fffff), 0x7f80u); // overflow
  EXPECT_EQ(round(0x80000000), 0x8000u);
}

TEST(HalfTypes, roundAfterEveryOperation) {
  // 2048 + 1 is a tie in f16.
  uint64_t big = encodeFloat(Scalar::F16, 2048),
           one = encodeFloat(Scalar::F16, 1);
  EXPECT_EQ(computeFloatBinary(Opcode::AddF, Scalar::F16, big, one).bits, big);
  EXPECT_EQ(computeFma(Scalar::F16, big, one, one).status,
            Computed::Unspecified);
}

TEST(FloatArithmetic, subnormalsOfBF16AreKept) {
  uint64_t tiny = encodeFloat(Scalar::BF16, 0x1p-100);
  EXPECT_EQ(computeFloatBinary(Opcode::MulF, Scalar::BF16, tiny, tiny).bits,
            0u);
  uint64_t small = encodeFloat(Scalar::BF16, 0x1p-65);
  EXPECT_EQ(computeFloatBinary(Opcode::MulF, Scalar::BF16, small, small).bits,
            0x0008u);
}

TEST(FloatArithmetic, minimumOrdersZerosAndKeepsNaN) {
  uint64_t minusZero = encodeFloat(Scalar::F32, -0.0);
  EXPECT_EQ(
      computeFloatBinary(Opcode::MinimumF, Scalar::F32, 0, minusZero).bits,
      minusZero);
  EXPECT_EQ(
      computeFloatBinary(Opcode::MaximumF, Scalar::F32, minusZero, 0).bits, 0u);
  uint64_t nan = encodeFloat(Scalar::F32, NAN);
  EXPECT_TRUE(
      isNaN(Scalar::F32,
            computeFloatBinary(Opcode::MaximumF, Scalar::F32, nan, 0).bits));
}

TEST(FloatArithmetic, predicates) {
  uint64_t nan = encodeFloat(Scalar::F64, NAN),
           one = encodeFloat(Scalar::F64, 1), two = encodeFloat(Scalar::F64, 2);
  auto holds = [](const char *predicate, uint64_t lhs, uint64_t rhs) {
    for (size_t i = 0; i < kFloatPredicates.size(); ++i)
      if (std::string(kFloatPredicates[i]) == predicate)
        return compareFloats(i, Scalar::F64, lhs, rhs);
    ADD_FAILURE() << predicate;
    return false;
  };
  EXPECT_TRUE(holds("olt", one, two));
  EXPECT_FALSE(holds("olt", one, nan));
  EXPECT_TRUE(holds("ult", one, nan));
  EXPECT_TRUE(holds("une", nan, nan));
  EXPECT_FALSE(holds("one", nan, one));
  EXPECT_TRUE(holds("uno", nan, one));
  EXPECT_FALSE(holds("uno", two, one));
  EXPECT_TRUE(holds("ord", two, one));
  EXPECT_TRUE(holds("ueq", one, one));
  EXPECT_TRUE(holds("true", nan, one));
}

} // namespace
