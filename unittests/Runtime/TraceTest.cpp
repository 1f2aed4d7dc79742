//===- TraceTest.cpp - Totals and listings of instrumented kernels --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Trace.h"
#include "ember/Runtime/ScalarTypes.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>
#include <vector>

using namespace ember::runtime;

namespace {
class TraceTest : public testing::Test {
protected:
  void begin() {
    ember_error error;
    ASSERT_EQ(ember_trace_begin(path.c_str(), &error), EMBER_OK)
        << error.message;
  }

  std::string end() {
    EXPECT_EQ(ember_trace_end(nullptr), EMBER_OK);
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  ~TraceTest() override { unlink(path.c_str()); }

  std::string path =
      testing::TempDir() + "ember_trace_" + std::to_string(getpid());
};

template <typename Element>
void traceVector(const char *type, int32_t kind,
                 std::vector<Element> elements) {
  int64_t bytes = static_cast<int64_t>(sizeof(Element) * elements.size());
  ember_trace_operand("v", type, static_cast<int64_t>(elements.size()),
                      8 * sizeof(Element), kind, bytes, elements.data());
}
} // namespace

TEST_F(TraceTest, ListsOperandsAndTokensInOrder) {
  begin();
  ember_trace_token("bag.0", "tu0.ite", "e.ite", 3);
  float half = 0.5F;
  int64_t bits = 0;
  std::memcpy(&bits, &half, sizeof(half));
  ember_trace_token_value("bag.0", "tu0.end", "e.end", "f32", 32,
                          EMBER_OPERAND_FLOAT, bits);
  traceVector<int64_t>("index", EMBER_OPERAND_INDEX, {0});
  traceVector<float>("f32", EMBER_OPERAND_FLOAT, {1.5f});
  traceVector<float>("vector<4xf32>", EMBER_OPERAND_FLOAT, {1, 2, 3, 4});
  ember_trace_token("bag.0", "", "anything", -1);
  EXPECT_EQ(end(), "ctrl e.ite\n"
                   "ctrl e.end f32 0.5\n"
                   "data index 0\n"
                   "data f32 1.5\n"
                   "data vector<4xf32> [1, 2, 3, 4]\n"
                   "ctrl done\n");
}

TEST_F(TraceTest, ListsEveryElementType) {
  begin();
  traceVector<double>("f64", EMBER_OPERAND_FLOAT, {0.1});
  traceVector<float>("f32", EMBER_OPERAND_FLOAT, {0.1f});
  traceVector<float>("f32", EMBER_OPERAND_FLOAT,
                     {std::numeric_limits<float>::infinity()});
  traceVector<uint16_t>("vector<5xf16>", EMBER_OPERAND_FLOAT,
                        {0x3c00, 0xc000, 0x0001, 0x7bff, 0xfc00});
  traceVector<uint16_t>("bf16", EMBER_OPERAND_FLOAT, {0x3fc0});
  traceVector<int8_t>("vector<2xi8>", EMBER_OPERAND_INT, {-128, 127});
  traceVector<int16_t>("i16", EMBER_OPERAND_INT, {-5});
  traceVector<int32_t>("i32", EMBER_OPERAND_INT, {-6});
  traceVector<int64_t>("vector<1xi64>", EMBER_OPERAND_INT, {INT64_MIN});
  uint8_t mask = 0b0101, nibbles = 0xe7;
  ember_trace_operand("m", "i1", 1, 1, EMBER_OPERAND_INT, 1, &mask);
  ember_trace_operand("m", "vector<4xi1>", 4, 1, EMBER_OPERAND_INT, 1, &mask);
  ember_trace_operand("m", "vector<2xi4>", 2, 4, EMBER_OPERAND_INT, 1,
                      &nibbles);
  ember_trace_operand("m", "i128", 1, 128, EMBER_OPERAND_INT, 16, &mask);
  EXPECT_EQ(end(), "data f64 0.1\n"
                   "data f32 0.1\n"
                   "data f32 inf\n"
                   "data vector<5xf16> [1, -2, 5.9604645e-08, 65504, -inf]\n"
                   "data bf16 1.5\n"
                   "data vector<2xi8> [-128, 127]\n"
                   "data i16 -5\n"
                   "data i32 -6\n"
                   "data vector<1xi64> [-9223372036854775808]\n"
                   "data i1 1\n"
                   "data vector<4xi1> [1, 0, 1, 0]\n"
                   "data vector<2xi4> [7, -2]\n"
                   "data i128 ?\n");
}

TEST_F(TraceTest, ListsNarrowFloatsByTheirLayout) {
  std::string expected;
  begin();
  for (const ember::ScalarType &type : ember::scalarTypes) {
    if (!type.isFloat() || type.bits > 16)
      continue;
    const ember::FloatLayout &layout = *type.layout;
    uint64_t one = static_cast<uint64_t>(layout.bias) << layout.fractionBits;
    uint64_t sign = uint64_t(1) << (type.bits - 1);
    uint64_t half = uint64_t(1) << (layout.fractionBits - 1);
    // The third one is subnormal, and the last one no number.
    uint64_t patterns[] = {one | half, sign | one, half, sign - 1};
    if (layout.specials == ember::FloatSpecials::NegativeZero)
      patterns[3] = sign;
    std::string name(type.name);
    for (uint64_t pattern : patterns)
      ember_trace_operand("m", name.c_str(), 1, type.bits, EMBER_OPERAND_FLOAT,
                          type.bytes(), &pattern);
    char subnormal[32];
    auto written = std::to_chars(subnormal, subnormal + sizeof(subnormal),
                                 std::ldexp(0.5f, 1 - layout.bias));
    expected += "data " + name + " 1.5\ndata " + name + " -1\ndata " + name +
                " " + std::string(subnormal, written.ptr) + "\ndata " + name +
                " nan\n";
  }
  EXPECT_EQ(end(), expected);
}

TEST_F(TraceTest, TotalsFromManyThreads) {
  ASSERT_EQ(ember_trace_begin(nullptr, nullptr), EMBER_OK);
  std::vector<std::thread> threads;
  for (int32_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      for (int32_t i = 0; i < 1000; ++i) {
        ember_count_access("s_weight", 16, 0, 2, 0);
        ember_count_access("s_index", 1, 0, 0, 1);
        ember_count_access("s_index", 2, 1, 0, 0);
        traceVector<float>("f32", EMBER_OPERAND_FLOAT, {0});
        traceVector<double>("f64", EMBER_OPERAND_FLOAT, {0});
        ember_trace_token("bag.0", "tu0.end", "e.end", 2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ember_trace_token("bag.0", "", "", -1);
  ASSERT_EQ(ember_trace_end(nullptr), EMBER_OK);
  ember_count_access("s_weight", 16, 0, 2, 0); // too late to count

  TraceTotals totals = traceTotals();
  ASSERT_EQ(totals.accesses.size(), 3u);
  EXPECT_EQ(totals.accesses[0].memref, "s_index");
  EXPECT_FALSE(totals.accesses[0].isStore);
  EXPECT_TRUE(totals.accesses[0].isNontemporal);
  EXPECT_EQ(totals.accesses[0].accesses, 4000);
  EXPECT_EQ(totals.accesses[1].memref, "s_index");
  EXPECT_TRUE(totals.accesses[1].isStore);
  EXPECT_EQ(totals.accesses[1].elements, 8000);
  EXPECT_EQ(totals.accesses[2].memref, "s_weight");
  EXPECT_EQ(totals.accesses[2].level, 2);
  EXPECT_EQ(totals.accesses[2].accesses, 4000);
  EXPECT_EQ(totals.accesses[2].elements, 64000);
  ASSERT_EQ(totals.operands.size(), 2u);
  EXPECT_EQ(totals.operands[0].type, "f32");
  EXPECT_EQ(totals.operands[0].count, 4000);
  EXPECT_EQ(totals.operands[1].type, "f64");
  EXPECT_EQ(totals.operands[1].bytes, 32000);
  ASSERT_EQ(totals.tokens.size(), 2u);
  EXPECT_EQ(totals.tokens[0].name, "done");
  EXPECT_EQ(totals.tokens[0].count, 1);
  EXPECT_EQ(totals.tokens[1].name, "e.end");
  EXPECT_EQ(totals.tokens[1].count, 4000);
  EXPECT_EQ(totals.tokens[1].values, 0);
  ASSERT_EQ(totals.points.size(), 2u);
  EXPECT_EQ(totals.points[0].program, "bag.0");
  EXPECT_EQ(totals.points[0].point, "done");
  EXPECT_EQ(totals.points[1].point, "tu0.end");
  EXPECT_EQ(totals.points[1].tokens, 4000);

  ASSERT_EQ(ember_trace_begin(nullptr, nullptr), EMBER_OK);
  EXPECT_TRUE(traceTotals().accesses.empty());
  ASSERT_EQ(ember_trace_end(nullptr), EMBER_OK);
}

TEST_F(TraceTest, ListingThatCannotBeOpened) {
  ember_error error;
  EXPECT_EQ(ember_trace_begin("/nonexistent/folder/trace", &error),
            EMBER_ASSERT);
  EXPECT_STREQ(error.message, "cannot write '/nonexistent/folder/trace': No "
                              "such file or directory");
  ember_count_access("s_weight", 16, 0, 0, 0);
  EXPECT_TRUE(traceTotals().accesses.empty());
}

TEST_F(TraceTest, ListingOnAFullDisk) {
  ember_error error;
  ASSERT_EQ(ember_trace_begin("/dev/full", &error), EMBER_OK);
  for (int32_t i = 0; i < 10000; ++i)
    ember_trace_token("bag.0", "tu0.ite", "e.ite", 1);
  EXPECT_EQ(ember_trace_end(&error), EMBER_ASSERT);
  EXPECT_STREQ(error.message,
               "cannot write '/dev/full': No space left on device");
}
