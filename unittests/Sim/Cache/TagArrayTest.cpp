//===- TagArrayTest.cpp - Sets, ways and what goes ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/TagArray.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <list>
#include <random>

using namespace ember::sim;

static bool access(TagArray &tags, uint64_t key) {
  uint32_t index = tags.find(key);
  if (index != TagArray::none) {
    tags.touch(index);
    return true;
  }
  tags.insert(tags.victim(key), key, LineState::shared);
  return false;
}

TEST(TagArray, LRUHitsAsStackDistancesSay) {
  constexpr uint64_t sets = 8;
  for (uint64_t ways : {1, 2, 3, 4, 8}) {
    TagArray tags(sets, ways, Replacement::lru, 0, 1);
    std::vector<std::list<uint64_t>> stacks(sets);
    std::mt19937_64 random(ways);
    for (int i = 0; i < 20000; ++i) {
      uint64_t key = std::min(random() % 100, random() % 100);
      std::list<uint64_t> &stack = stacks[key % sets];
      auto place = std::find(stack.begin(), stack.end(), key);
      bool expected =
          place != stack.end() &&
          static_cast<uint64_t>(std::distance(stack.begin(), place)) < ways;
      if (place != stack.end())
        stack.erase(place);
      stack.push_front(key);
      ASSERT_EQ(access(tags, key), expected) << "access " << i;
    }
  }
}

TEST(TagArray, PoliciesKeepAWorkingSetThatFits) {
  for (auto policy : {Replacement::lru, Replacement::treePLRU,
                      Replacement::srrip, Replacement::random}) {
    TagArray tags(4, 4, policy, 0, 7);
    for (int round = 0; round < 3; ++round)
      for (uint64_t key = 0; key < 16; ++key)
        EXPECT_EQ(access(tags, key), round > 0);
    EXPECT_EQ(tags.resident(), 16u);
  }
}

TEST(TagArray, TreePLRUSparesTheLastUsed) {
  TagArray tags(1, 8, Replacement::treePLRU, 0, 1);
  std::mt19937_64 random(3);
  uint64_t last = ~uint64_t{0};
  for (int i = 0; i < 5000; ++i) {
    uint64_t key = random() % 12;
    access(tags, key);
    if (i && last != key) {
      EXPECT_NE(tags.find(last), TagArray::none);
    }
    last = key;
  }
}

TEST(TagArray, SRRIPResistsAScan) {
  TagArray tags(1, 4, Replacement::srrip, 0, 1);
  access(tags, 1);
  access(tags, 1);
  for (uint64_t key = 100; key < 103; ++key)
    access(tags, key);
  access(tags, 200);
  EXPECT_NE(tags.find(1), TagArray::none);
  TagArray lru(1, 4, Replacement::lru, 0, 1);
  access(lru, 1);
  access(lru, 1);
  for (uint64_t key = 100; key < 104; ++key)
    access(lru, key);
  EXPECT_EQ(lru.find(1), TagArray::none);
}

TEST(TagArray, RandomIsTheSameInEveryRun) {
  TagArray first(2, 4, Replacement::random, 0, 5);
  TagArray second(2, 4, Replacement::random, 0, 5);
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    uint64_t key = random() % 20;
    ASSERT_EQ(access(first, key), access(second, key));
  }
}
