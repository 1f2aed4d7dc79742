//===- EntryChecksTest.cpp - Overlap and shapes of arguments --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ember::test;

namespace {
// A descriptor of any rank.
class MemRef {
public:
  MemRef(const void *aligned, int64_t offset, std::vector<int64_t> sizes,
         std::vector<int64_t> strides, int64_t elementBytes = 4)
      : sizes(sizes), strides(strides), elementBytes(elementBytes) {
    words = {reinterpret_cast<int64_t>(aligned),
             reinterpret_cast<int64_t>(aligned), offset};
    words.insert(words.end(), sizes.begin(), sizes.end());
    words.insert(words.end(), strides.begin(), strides.end());
  }

  int32_t rank() const { return static_cast<int32_t>(sizes.size()); }

  // Every byte that an element covers, one by one.
  std::set<int64_t> bytes() const {
    std::set<int64_t> covered;
    addBytes(covered, 0, words[2]);
    return covered;
  }

  std::vector<int64_t> words, sizes, strides;
  int64_t elementBytes;

private:
  void addBytes(std::set<int64_t> &covered, size_t dim, int64_t element) const {
    if (dim == sizes.size()) {
      for (int64_t i = 0; i < elementBytes; ++i)
        covered.insert(words[1] + element * elementBytes + i);
      return;
    }
    for (int64_t i = 0; i < sizes[dim]; ++i)
      addBytes(covered, dim + 1, element + i * strides[dim]);
  }
};
} // namespace

static bool overlap(const MemRef &a, const MemRef &b) {
  ember_error error = invoke([&] {
    ember_check_disjoint(a.words.data(), a.rank(), a.elementBytes, "'out'",
                         b.words.data(), b.rank(), b.elementBytes,
                         "argument 2");
  });
  if (error.code == EMBER_OK)
    return false;
  EXPECT_EQ(error.code, EMBER_OVERLAP);
  EXPECT_STREQ(error.message,
               "'out' is written to but overlaps argument 2 in memory");
  return true;
}

static float buffer[4096];

TEST(DisjointTest, Rows) {
  MemRef first(buffer, 0, {4, 8}, {8, 1});
  EXPECT_TRUE(overlap(first, first));
  EXPECT_FALSE(overlap(first, MemRef(buffer, 32, {4, 8}, {8, 1})));
  EXPECT_FALSE(overlap(MemRef(buffer, 32, {4, 8}, {8, 1}), first));
  EXPECT_TRUE(overlap(first, MemRef(buffer, 31, {4, 8}, {8, 1})));
  EXPECT_TRUE(overlap(first, MemRef(buffer + 31, 0, {1}, {1})));
  EXPECT_FALSE(overlap(first, MemRef(buffer + 32, 0, {1}, {1})));
}

TEST(DisjointTest, ColumnsOfOneTable) {
  MemRef left(buffer, 0, {16, 32}, {64, 1});
  EXPECT_FALSE(overlap(left, MemRef(buffer, 32, {16, 32}, {64, 1})));
  EXPECT_TRUE(overlap(left, MemRef(buffer, 31, {16, 32}, {64, 1})));
  // Rows a, then columns far to the right of it.
  EXPECT_TRUE(overlap(left, MemRef(buffer, 40, {2, 32}, {64, 1})));
}

TEST(DisjointTest, EmptyMemRefs) {
  MemRef full(buffer, 0, {4, 8}, {8, 1});
  EXPECT_FALSE(overlap(full, MemRef(buffer, 0, {0, 8}, {8, 1})));
  EXPECT_FALSE(overlap(MemRef(buffer, 0, {4, 0}, {8, 1}), full));
  EXPECT_FALSE(overlap(full, MemRef(nullptr, 0, {0}, {1})));
}

TEST(DisjointTest, ZeroAndNegativeStrides) {
  MemRef broadcast(buffer, 10, {1000}, {0});
  EXPECT_TRUE(overlap(broadcast, MemRef(buffer, 0, {11}, {1})));
  EXPECT_FALSE(overlap(broadcast, MemRef(buffer, 0, {10}, {1})));
  EXPECT_FALSE(overlap(broadcast, MemRef(buffer, 11, {10}, {1})));
  MemRef reversed(buffer, 19, {10}, {-1});
  EXPECT_FALSE(overlap(reversed, MemRef(buffer, 0, {10}, {1})));
  EXPECT_TRUE(overlap(reversed, MemRef(buffer, 0, {11}, {1})));
  EXPECT_FALSE(overlap(reversed, MemRef(buffer, 20, {11}, {1})));
}

TEST(DisjointTest, ScalarsAndMixedElementTypes) {
  MemRef scalar(buffer, 3, {}, {});
  EXPECT_TRUE(overlap(scalar, MemRef(buffer, 15, {1}, {1}, 1)));
  EXPECT_FALSE(overlap(scalar, MemRef(buffer, 16, {1}, {1}, 1)));
  EXPECT_TRUE(overlap(scalar, MemRef(buffer, 1, {1}, {1}, 8)));
  EXPECT_FALSE(overlap(scalar, MemRef(buffer, 2, {1}, {1}, 8)));
}

TEST(DisjointTest, DescriptorsWithoutSense) {
  MemRef full(buffer, 0, {4, 8}, {8, 1});
  int64_t most = INT64_MAX;
  for (const MemRef &odd :
       {MemRef(buffer, most, {4}, {1}), MemRef(buffer, 0, {most}, {1}),
        MemRef(buffer, 0, {4}, {most}), MemRef(buffer, 0, {4}, {INT64_MIN}),
        MemRef(buffer, 0, {most / 8, 4}, {1, -(most / 8)})})
    EXPECT_TRUE(overlap(full, odd));
  std::vector<int64_t> manySizes(40, 2), manyStrides(40, 1);
  EXPECT_TRUE(overlap(full, MemRef(buffer, 0, manySizes, manyStrides)));
}

TEST(DisjointTest, LargeViewsAreDecidedQuickly) {
  // Never accessed: the even and the odd elements of 8 GB, in pieces.
  int64_t rows = int64_t(1) << 20;
  MemRef even(buffer, 0, {rows, 512}, {2048, 2});
  MemRef odd(buffer, 1, {rows, 512}, {2048, 2});
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_TRUE(overlap(even, MemRef(buffer, 2 * 511 + 2048, {rows}, {4096})));
  // Steps that share no structure may be reported, but soon.
  overlap(MemRef(buffer, 0, {1000, 1000, 1000}, {6, 10, 15}),
          MemRef(buffer, 1, {1000, 1000, 1000}, {1000003, 70001, 3001}));
}

TEST(DisjointTest, AgreesWithEnumeration) {
  std::mt19937 engine(3);
  auto random = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  };
  auto randomMemRef = [&] {
    std::vector<int64_t> sizes, strides;
    for (int64_t dim = random(0, 3); dim > 0; --dim) {
      sizes.push_back(random(0, 9) == 0 ? 0 : random(1, 5));
      strides.push_back(random(-12, 12));
    }
    int64_t elementBytes = int64_t(1) << random(0, 3);
    return MemRef(buffer + 2000, random(-20, 20), sizes, strides, elementBytes);
  };
  int64_t overlaps = 0;
  for (int64_t i = 0; i < 20000; ++i) {
    MemRef a = randomMemRef(), b = randomMemRef();
    std::set<int64_t> bytesOfA = a.bytes();
    bool expected = false;
    for (int64_t byte : b.bytes())
      expected |= bytesOfA.count(byte) != 0;
    overlaps += expected;
    ASSERT_EQ(overlap(a, b), expected) << i;
  }
  EXPECT_GT(overlaps, 2000);
  EXPECT_LT(overlaps, 18000);
}

/// What is said of an argument whose layout should be `expected`.
static std::string checkLayout(MemRef memref, std::vector<int64_t> expected) {
  void *arguments[] = {nullptr, memref.words.data()};
  std::vector<int64_t> layout = {1, 4, memref.rank()};
  layout.insert(layout.end(), expected.begin(), expected.end());
  ember_error error = invoke([&] {
    ember_check_layouts(arguments, layout.data(), 1, "'x'\0'weight'");
  });
  EXPECT_TRUE(error.code == EMBER_OK || error.code == EMBER_SHAPE ||
              error.code == EMBER_ASSERT);
  return error.message;
}

TEST(LayoutTest, Sizes) {
  MemRef memref(buffer, 0, {4, 64}, {64, 1});
  EXPECT_EQ(checkLayout(memref, {0, 4, 64, 64, 1}), "");
  EXPECT_EQ(checkLayout(memref, {0, EMBER_ANY, 64, EMBER_ANY, 1}), "");
  EXPECT_EQ(checkLayout(memref, {0, 4, 32, 64, 1}),
            "dimension 1 of 'weight' has size 64, expected 32");
}

TEST(LayoutTest, OffsetsAndStrides) {
  MemRef memref(buffer, 3, {4, 64}, {128, 2});
  EXPECT_EQ(checkLayout(memref, {EMBER_ANY, 4, 64, EMBER_ANY, EMBER_ANY}), "");
  EXPECT_EQ(checkLayout(memref, {0, 4, 64, EMBER_ANY, EMBER_ANY}),
            "'weight': the offset is not 0, as the function's type says");
  EXPECT_EQ(checkLayout(memref, {3, 4, 64, EMBER_ANY, 1}),
            "'weight': the stride of dimension 1 is not 1, as the function's "
            "type says");
  // Of one row, and of none.
  for (int64_t rows : {1, 0})
    EXPECT_EQ(checkLayout(MemRef(buffer, 0, {rows, 64}, {7, 1}),
                          {0, EMBER_ANY, 64, 64, 1}),
              "");
  EXPECT_EQ(checkLayout(MemRef(buffer, 0, {4, 0}, {7, 9}),
                        {0, EMBER_ANY, EMBER_ANY, 0, 1}),
            "");
}

TEST(LayoutTest, SeveralArguments) {
  MemRef first(buffer, 0, {4}, {1}), second(buffer, 0, {}, {}),
      third(buffer, 0, {5}, {1});
  void *arguments[] = {first.words.data(), second.words.data(),
                       third.words.data()};
  const int64_t layouts[] = {0, 0, 1, 0, 4, 1, 1, 4, 0, 0, 2, 8, 1, 0, 4, 1};
  ember_error error = invoke(
      [&] { ember_check_layouts(arguments, layouts, 3, "'a'\0'b'\0'c'"); });
  EXPECT_STREQ(error.message, "dimension 0 of 'c' has size 5, expected 4");
}

TEST(RenameTest, Messages) {
  const char *names = nullptr;
  auto fail = [&](const char *message) {
    ember_error error = invoke([&] {
      ember_rename(&names);
      ember_fail_message(message);
    });
    return std::string(error.message);
  };
  EXPECT_EQ(fail("'a' of 'b'"), "'a' of 'b'");
  // What takes the place of a name is not replaced again.
  names = "'a'\0'b'\0'b'\0'first'\0";
  EXPECT_EQ(fail("'a' of 'b' and 'c'"), "'b' of 'first' and 'c'");
  // What is too long is cut off.
  std::string longName = "'a'" + std::string(1, '\0') + std::string(2000, 'x') +
                         std::string(2, '\0');
  names = longName.data();
  EXPECT_EQ(fail("'a'"), std::string(sizeof(ember_error::message) - 1, 'x'));
  // Those of an invocation are not those of the one around it.
  names = "'a'\0'b'\0";
  ember_error error = invoke([&] {
    EXPECT_EQ(fail("'a'"), "'b'");
    ember_fail_message("'a'");
  });
  EXPECT_STREQ(error.message, "'a'");
}
