//===- TlbTest.cpp - Translation: latency, walks, merging -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/Tlb.h"
#include "FixedMemory.h"

#include "gtest/gtest.h"

#include <random>

using namespace ember::sim;

namespace {
constexpr Tick cycle = 5;
constexpr Tick memoryLatency = 100;

struct Translations final : Translated {
  explicit Translations(size_t room = 4)
      : memory(engine, memoryLatency, 1, room),
        second(engine, secondLevel(), nullptr, &memory),
        first(engine, firstLevel(), &second, nullptr) {}

  static TlbParameters firstLevel() {
    TlbParameters parameters;
    parameters.entries = parameters.ways = 2;
    parameters.misses = 2;
    return parameters;
  }
  static TlbParameters secondLevel() {
    TlbParameters parameters;
    parameters.entries = 8;
    parameters.ways = 4;
    parameters.latency = 5;
    parameters.misses = 2;
    return parameters;
  }
  void send(uint64_t page) {
    first.translate({page, this, answers.size()});
    answers.push_back(0);
  }
  void translated(const Translation &translation) override {
    ++answers[translation.id];
  }
  Tick time(uint64_t page) {
    engine.runUntil((engine.now() / cycle + 1000) * cycle);
    Tick begin = engine.now();
    send(page);
    while (engine.step())
      ;
    return engine.now() - begin;
  }

  Engine engine;
  FixedMemory memory;
  Tlb second, first;
  std::vector<int> answers;
};
} // namespace

TEST(Tlb, LatenciesAreTheirClosedForms) {
  Translations pages;
  EXPECT_EQ(pages.second.depth(), 4u);
  EXPECT_EQ(pages.time(1), 6 * cycle + 4 * memoryLatency);
  EXPECT_EQ(pages.time(1), cycle);
  // The upper entries are known now; 513 needs another one of level 1 as well.
  EXPECT_EQ(pages.time(2), 6 * cycle + memoryLatency);
  EXPECT_EQ(pages.time(513), 6 * cycle + 2 * memoryLatency);
  EXPECT_EQ(pages.time(1), 6 * cycle);
}

TEST(Tlb, KnowsAtOnceWhereItIsLookedUpBesideTheCache) {
  Engine engine;
  FixedMemory memory(engine, memoryLatency, 1, 4);
  struct Ignore final : Translated {
    void translated(const Translation &) override { ++count; }
    unsigned count = 0;
  } ignore;
  for (uint64_t latency : {0, 1}) {
    TlbParameters parameters;
    parameters.latency = latency;
    Tlb tlb(engine, parameters, nullptr, &memory);
    EXPECT_FALSE(tlb.known(7));
    tlb.translate({7, &ignore, 0});
    engine.step();
    EXPECT_NE(tlb.waits(), "");
    while (engine.step())
      ;
    EXPECT_EQ(tlb.waits(), "");
    EXPECT_EQ(tlb.known(7), latency == 0);
    EXPECT_EQ(tlb.hitCount(), latency == 0 ? 1u : 0u);
    EXPECT_FALSE(tlb.known(8));
  }
  EXPECT_EQ(ignore.count, 2u);
}

TEST(Tlb, LargerPagesHaveShorterWalks) {
  Engine engine;
  FixedMemory memory(engine, memoryLatency, 1, 4);
  TlbParameters parameters;
  parameters.pageSize = 2 * 1024 * 1024;
  Tlb tlb(engine, parameters, nullptr, &memory);
  EXPECT_EQ(tlb.depth(), 3u);
  EXPECT_EQ(tlb.pageOf(5 * parameters.pageSize + 7), 5u);
}

TEST(Tlb, EveryTranslationIsAnsweredOnce) {
  Translations pages(1);
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    pages.send(random() % 40 * 300);
    for (uint64_t steps = random() % 4; steps; --steps)
      pages.engine.step();
  }
  while (pages.engine.step())
    ;
  for (int answers : pages.answers)
    EXPECT_EQ(answers, 1);
  EXPECT_EQ(pages.second.walkReads(), pages.memory.reads);
  EXPECT_EQ(pages.first.missCount(),
            pages.second.hitCount() + pages.second.missCount());
}
