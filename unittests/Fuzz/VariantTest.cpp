//===- VariantTest.cpp - Ways to compile and run one program --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Execution/Variant.h"
#include "ember/Fuzz/Generator.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace ember::fuzz;

namespace {

std::vector<Variant> keep(uint64_t seed, size_t count) {
  std::vector<Variant> variants =
      drawVariants(seed, generateCase(seed).program);
  keepSomeVariants(variants, seed, count);
  return variants;
}

TEST(Variant, someAreKeptOfEachLevel) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<Variant> some = keep(seed, 3);
    ASSERT_EQ(some.size(), 3u);
    std::set<std::string> levels;
    for (const Variant &variant : some)
      levels.insert(variant.levelName());
    EXPECT_EQ(levels.size(), 3u) << "seed " << seed;
    EXPECT_EQ(keep(seed, 1).size(), 1u);
    EXPECT_EQ(keep(seed, 100).size(),
              drawVariants(seed, generateCase(seed).program).size());
  }
}

TEST(Variant, aSeedKeepsTheSameOnes) {
  for (uint64_t seed : {3, 99}) {
    std::vector<Variant> first = keep(seed, 3), second = keep(seed, 3);
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(first[i].name(), second[i].name());
  }
}

/// Of several of one level, none is left out more often than another.
TEST(Variant, allAreKeptAboutAsOften) {
  std::map<bool, int> first;
  int pairs = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::vector<Variant> all = drawVariants(seed, generateCase(seed).program);
    std::vector<std::string> names;
    for (const Variant &variant : all)
      if (variant.level == Variant::SLC)
        names.push_back(variant.name());
    if (names.size() < 2 || names.front() == names.back())
      continue;
    ++pairs;
    for (const Variant &variant : keep(seed, 3))
      if (variant.level == Variant::SLC) {
        first[true] += variant.name() == names.front();
        first[false] += variant.name() == names.back();
      }
  }
  EXPECT_GT(pairs, 300);
  EXPECT_NEAR(first[true], first[false], 0.2 * pairs);
}

} // namespace
