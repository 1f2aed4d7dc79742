//===- CacheTest.cpp - Private caches: latency, merging, write-backs ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheHarness.h"

#include "ember/Sim/Cache/LastLevelSlice.h"
#include "ember/Sim/Cache/Tlb.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace ember::sim;

TEST(Cache, LatenciesAreTheirClosedForms) {
  Levels levels;
  Tick fill = 2 * cycle;
  Tick l1 = 2 * cycle, l2 = l1 + 8 * cycle + fill;
  EXPECT_EQ(levels.core.time(0), l2 + memoryLatency);
  EXPECT_EQ(levels.core.time(0), l1);
  EXPECT_EQ(levels.core.time(0, Access::own), l1);
  // Four other lines of the L1's set.
  for (uint64_t line : {4, 8, 12, 16})
    levels.core.time(line);
  EXPECT_EQ(levels.core.time(0), l2);
}

TEST(Cache, PointerChaseShowsTheLevels) {
  auto chase = [](uint64_t lines) {
    Levels levels;
    Tick sum = 0;
    for (int round = 0; round < 4; ++round)
      for (uint64_t line = 0; line < lines; ++line) {
        Tick time = levels.core.time(line);
        sum += round == 3 ? time : 0;
      }
    return sum / lines;
  };
  EXPECT_EQ(chase(16), 2 * cycle);
  EXPECT_EQ(chase(64), 12 * cycle);
  EXPECT_EQ(chase(128), 12 * cycle + memoryLatency);
}

TEST(Cache, RequestsToALineAreOneFill) {
  CacheParameters first = small(1024, 4, 2);
  first.targets = 8;
  Levels levels(first);
  for (int i = 0; i < 40; ++i)
    levels.core.send(3);
  while (levels.engine.step())
    ;
  EXPECT_EQ(levels.core.completed, 40u);
  EXPECT_EQ(levels.memory.reads, 1u);
  EXPECT_EQ(levels.l1.counts().fills, 1u);
  EXPECT_EQ(levels.l1.counts().merges, 7u);
  EXPECT_GT(levels.l1.counts().stalls, 0u);
}

TEST(Cache, MissesInFlightBoundTheBandwidth) {
  for (uint64_t mshrs : {1, 2, 4, 8}) {
    CacheParameters first = small(1024, 4, 2);
    first.mshrs = mshrs;
    first.prefetchReserve = 0;
    first.writeBackBuffers = 64;
    Levels levels(first);
    constexpr uint64_t count = 400;
    for (uint64_t line = 0; line < count; ++line)
      levels.core.send(line);
    while (levels.engine.step())
      ;
    EXPECT_EQ(levels.core.completed, count);
    // Little's law: an MSHR is used from its lookup to the end of its fill.
    double each = 10 * cycle + memoryLatency;
    double expected = each * count / static_cast<double>(mshrs);
    EXPECT_NEAR(levels.engine.now(), expected, expected * 0.05);
  }
}

TEST(Cache, NonTemporalLinesAreNotKept) {
  Levels levels;
  levels.core.send(5, Access::read, true);
  levels.core.send(6, Access::fill, true);
  while (levels.engine.step())
    ;
  EXPECT_EQ(levels.core.completed, 2u);
  EXPECT_EQ(levels.l1.array().resident() + levels.l2.array().resident(), 0u);
  // One that wants to keep it, behind one that does not.
  levels.core.send(7, Access::read, true);
  levels.core.send(7, Access::own);
  while (levels.engine.step())
    ;
  EXPECT_EQ(levels.core.completed, 4u);
  EXPECT_EQ(levels.l1.state(7), LineState::modified);
}

TEST(Cache, SnoopsCollectWhatTheLevelsHold) {
  Levels levels;
  levels.core.time(1, Access::own);
  levels.core.time(2);
  EXPECT_TRUE(levels.l2.snoop(1, Snoop::once).dirty);
  EXPECT_EQ(levels.l1.state(1), LineState::modified);
  SnoopResult shared = levels.l2.snoop(1, Snoop::share);
  EXPECT_TRUE(shared.had && shared.dirty);
  EXPECT_EQ(levels.l2.state(1), LineState::owned);
  EXPECT_FALSE(isWritable(levels.l1.state(1)));
  SnoopResult taken = levels.l2.snoop(2, Snoop::invalidate);
  EXPECT_TRUE(taken.had && !taken.dirty);
  EXPECT_EQ(levels.l1.state(2), LineState::invalid);
  EXPECT_FALSE(levels.l2.snoop(9, Snoop::share).had);
  // To write a line that is shared, ownership is asked for again.
  uint64_t reads = levels.memory.reads;
  levels.core.time(1, Access::own);
  EXPECT_EQ(levels.memory.reads, reads + 1);
  EXPECT_EQ(levels.l1.state(1), LineState::modified);
}

TEST(Cache, StridesAreFetchedAhead) {
  CacheParameters first = small(8192, 4, 2);
  first.prefetcher.kind = PrefetcherKind::stride;
  Levels with(first, small(32768, 8, 8));
  Levels without(small(8192, 4, 2), small(32768, 8, 8));
  for (uint64_t i = 0; i < 40; ++i) {
    with.core.time(i * 3, Access::read, 17);
    without.core.time(i * 3, Access::read, 17);
  }
  EXPECT_EQ(without.l1.counts().misses, 40u);
  // Two equal strides are seen first.
  EXPECT_LE(with.l1.counts().misses, 5u);
  EXPECT_GE(with.l1.counts().prefetchesUseful, 35u);
}

TEST(Cache, TheBestOffsetIsLearned) {
  CacheParameters second = small(65536, 8, 8);
  second.prefetcher.kind = PrefetcherKind::bestOffset;
  second.prefetcher.region = 1 << 30;
  Levels levels(small(1024, 4, 2), second);
  // Every fifth line, by many instructions: multiples of 5 cover all of them.
  constexpr uint64_t learning = 6000, measured = 1000;
  for (uint64_t i = 0; i < learning; ++i)
    levels.core.time(i * 5, Access::read, i);
  uint64_t before = levels.l2.counts().misses;
  for (uint64_t i = learning; i < learning + measured; ++i)
    levels.core.time(i * 5, Access::read, i);
  EXPECT_LT(levels.l2.counts().misses - before, measured / 20);
}

/// Random accesses; at each event that ends a tick, what the levels hold.
static uint64_t stress(CacheParameters first, CacheParameters second,
                       size_t capacity, uint64_t seed) {
  Levels levels(first, second, 20, capacity);
  std::mt19937_64 random(seed);
  uint64_t resident = 0;
  for (int i = 0; i < 3000; ++i) {
    auto access = static_cast<Access>(random() % 3);
    levels.core.send(random() % 60, access, random() % 8 == 0,
                     1 + random() % 3);
    if (random() % 8 == 0)
      levels.l2.snoop(random() % 60, static_cast<Snoop>(random() % 3));
    for (uint64_t steps = random() % 4; steps; --steps)
      levels.engine.step();
    for (const TagArray::Entry &entry : levels.l1.array().all()) {
      if (entry.state == LineState::invalid)
        continue;
      LineState below = levels.l2.state(entry.key);
      if (second.inclusive) {
        EXPECT_NE(below, LineState::invalid) << "line " << entry.key;
        EXPECT_TRUE(!isWritable(entry.state) || isWritable(below));
      }
    }
  }
  uint64_t steps = 0;
  while (levels.engine.step() && ++steps < 10000000)
    ;
  EXPECT_TRUE(levels.engine.empty());
  EXPECT_EQ(levels.l1.waits() + levels.l2.waits(), "");
  EXPECT_EQ(levels.core.completed, levels.core.sent);
  for (int answers : levels.core.answers)
    EXPECT_EQ(answers, 1);
  EXPECT_EQ(levels.l1.inFlight() + levels.l2.inFlight(), 0u);
  const CacheCounters &counts = levels.l2.counts();
  // What came is there, or has gone, at each border.
  for (const Cache *cache : {&levels.l1, &levels.l2}) {
    const CacheCounters &c = cache->counts();
    EXPECT_EQ(c.installs,
              c.evictions + c.lostLines + cache->array().resident());
    EXPECT_EQ(c.prefetches, c.prefetchesUseful + c.prefetchesLate +
                                c.prefetchesUseless +
                                cache->prefetchesUnused());
  }
  const CacheCounters &l1 = levels.l1.counts();
  EXPECT_EQ(levels.memory.reads, counts.fills + counts.passed);
  EXPECT_EQ(counts.answers, l1.fills + l1.passed);
  EXPECT_EQ(l1.answers, levels.core.sent);
  EXPECT_EQ(counts.dirtyWriteBacks, levels.memory.dirty);
  EXPECT_EQ(counts.cleanWriteBacks, levels.memory.clean);
  resident = levels.l2.array().resident();
  EXPECT_LE(resident, second.size / lineBytes);
  return levels.engine.now() * 31 + levels.engine.handled();
}

TEST(Cache, EveryRequestIsAnsweredOnce) {
  for (bool inclusive : {true, false})
    for (uint64_t few : {1, 2, 8})
      for (uint64_t seed = 0; seed < 4; ++seed) {
        CacheParameters first = small(512, 2, 2), second = small(1024, 2, 8);
        first.mshrs = second.mshrs = few;
        first.targets = second.targets = few;
        first.queue = second.queue = few;
        first.ports = second.ports = 1;
        first.writeBackBuffers = second.writeBackBuffers = 1;
        first.prefetchReserve = second.prefetchReserve = few - 1;
        if (few > 1) {
          first.prefetchReserve = 1;
          first.prefetcher.kind = PrefetcherKind::stride;
        }
        second.inclusive = inclusive;
        uint64_t trace = stress(first, second, few, seed);
        EXPECT_EQ(trace, stress(first, second, few, seed));
      }
}

TEST(Cache, AllPoliciesAnswerUnderStress) {
  for (auto policy : {Replacement::lru, Replacement::treePLRU,
                      Replacement::srrip, Replacement::random})
    for (bool inclusive : {true, false}) {
      CacheParameters first = small(512, 4, 2), second = small(1024, 4, 8);
      first.replacement = second.replacement = policy;
      first.mshrs = second.mshrs = 4;
      first.prefetchReserve = 1;
      first.prefetcher.kind = PrefetcherKind::stride;
      second.inclusive = inclusive;
      stress(first, second, 4, 11);
    }
}

TEST(Cache, PoliciesDifferInWhatTheyKeep) {
  // A line used twice, and `scan` others in the same four ways, again and
  // again.
  auto hits = [](Replacement policy, uint64_t scan, uint64_t others) {
    CacheParameters first = small(256, 4, 2);
    first.replacement = policy;
    Levels levels(first, small(64 * 1024, 8, 8));
    for (uint64_t round = 0, next = 0; round < 100; ++round) {
      levels.core.time(0);
      levels.core.time(0);
      for (uint64_t i = 0; i < scan; ++i)
        levels.core.time(1 + next++ % others);
    }
    return levels.l1.counts().hits;
  };
  // One hit a round, or two but for the first.
  EXPECT_EQ(hits(Replacement::lru, 3, 1000), 199u);
  EXPECT_EQ(hits(Replacement::lru, 4, 1000), 100u);
  EXPECT_EQ(hits(Replacement::treePLRU, 2, 1000), 199u);
  EXPECT_GT(hits(Replacement::srrip, 4, 1000), 190u);
  // Four others in a loop, in three ways: LRU keeps none of them.
  EXPECT_EQ(hits(Replacement::lru, 4, 4), 100u);
  EXPECT_GT(hits(Replacement::random, 4, 4), 200u);
}

TEST(Cache, TwoCachesOverOne) {
  for (bool inclusive : {true, false}) {
    Engine engine;
    FixedMemory memory(engine, memoryLatency, 1, 8);
    CacheParameters first = small(512, 2, 2), second = small(1024, 4, 8);
    second.inclusive = inclusive;
    Cache l2(engine, second, "l2"), data(engine, first, "l1d"),
        code(engine, first, "l1i");
    l2.setBelow(memory);
    for (Cache *upper : {&data, &code}) {
      upper->setBelow(l2);
      l2.addUpper(*upper);
    }
    Core loads(engine, data), fetches(engine, code);
    // A line that both have is written by one.
    loads.time(3);
    fetches.time(3);
    EXPECT_EQ(memory.reads, 1u);
    loads.time(3, Access::own);
    EXPECT_EQ(code.state(3), LineState::invalid);
    EXPECT_EQ(data.state(3), LineState::modified);
    fetches.time(3);
    EXPECT_FALSE(isWritable(data.state(3)));
    std::mt19937_64 random(5);
    for (int i = 0; i < 4000; ++i) {
      Core &core = random() % 2 ? loads : fetches;
      core.send(random() % 40, static_cast<Access>(random() % 3),
                random() % 8 == 0);
      if (random() % 16 == 0)
        l2.snoop(random() % 40, static_cast<Snoop>(random() % 3));
      for (uint64_t steps = random() % 4; steps; --steps)
        engine.step();
      for (uint64_t line = 0; line < 40; ++line) {
        bool both = data.state(line) != LineState::invalid &&
                    code.state(line) != LineState::invalid;
        ASSERT_FALSE(both && (isWritable(data.state(line)) ||
                              isWritable(code.state(line))))
            << "line " << line;
      }
    }
    while (engine.step())
      ;
    EXPECT_EQ(loads.completed + fetches.completed, loads.sent + fetches.sent);
    EXPECT_EQ(data.waits() + code.waits() + l2.waits(), "");
    EXPECT_EQ(l2.counts().answers, data.counts().fills + data.counts().passed +
                                       code.counts().fills +
                                       code.counts().passed);
  }
}

template <typename Parameters> static std::string roundTrip(Parameters &from) {
  ParameterWriter writer;
  from.visit(writer);
  llvm::json::Value written(writer.take());
  Parameters other;
  ParameterReader reader(*written.getAsObject());
  other.visit(reader);
  EXPECT_EQ(llvm::toString(reader.takeError()), "");
  ParameterWriter again;
  other.visit(again);
  EXPECT_EQ(llvm::json::Value(again.take()), written);
  ParameterSchema schema;
  other.visit(schema);
  EXPECT_FALSE(schema.take("part").empty());
  return llvm::toString(from.validate());
}

TEST(Cache, ParametersAreReadAsTheyAreWritten) {
  CacheParameters cache;
  EXPECT_EQ(roundTrip(cache), "");
  cache.size = 512 * 1024;
  cache.ways = 8;
  cache.hitCycles = 8;
  cache.mshrs = 64;
  cache.inclusive = false;
  cache.replacement = Replacement::srrip;
  cache.prefetchQueue = 7;
  cache.prefetcher.kind = PrefetcherKind::indirect;
  cache.prefetcher.defective = true;
  cache.prefetcher.elementSizes = 512;
  cache.prefetcher.bitElements = false;
  cache.prefetcher.indirectWays = 8;
  EXPECT_EQ(roundTrip(cache), "");
  LastLevelParameters last;
  EXPECT_EQ(roundTrip(last), "");
  last.directoryEntries = 4096;
  last.directoryWays = 8;
  last.replacement = Replacement::random;
  EXPECT_EQ(roundTrip(last), "");
  TlbParameters tlb;
  EXPECT_EQ(roundTrip(tlb), "");
  tlb.entries = 1280;
  tlb.ways = 5;
  EXPECT_EQ(roundTrip(tlb), "");
}

template <typename Parameters, typename Change>
static std::string wrong(Change change) {
  Parameters parameters;
  change(parameters);
  return llvm::toString(parameters.validate());
}

TEST(Cache, RefusesAllImpossibleCombinations) {
  auto cache = [](auto change) { return wrong<CacheParameters>(change); };
  EXPECT_EQ(cache([](auto &p) { p.size = 3 * 64 * 1024; }),
            "size over ways is no power of two of lines");
  EXPECT_EQ(cache([](auto &p) {
              p.ways = 3;
              p.size = 3 * 1024;
              p.replacement = Replacement::treePLRU;
            }),
            "replacement is tree-plru, but ways is no power of two");
  EXPECT_EQ(cache([](auto &p) {
              p.prefetchReserve = p.mshrs;
              p.prefetcher.kind = PrefetcherKind::stride;
            }),
            "prefetchReserve leaves a prefetcher none of the mshrs");
  EXPECT_EQ(cache([](auto &p) { p.clock = 2.5; }),
            "clock is no divisor of 12 GHz");
  auto last = [](auto change) { return wrong<LastLevelParameters>(change); };
  EXPECT_EQ(last([](auto &p) { p.ways = 5; }),
            "size over ways is no power of two of lines");
  EXPECT_EQ(last([](auto &p) { p.directoryEntries = 48; }),
            "directoryEntries over directoryWays is no power of two");
  EXPECT_EQ(last([](auto &p) { p.clock = 7; }),
            "clock is no divisor of 12 GHz");
  EXPECT_EQ(wrong<TlbParameters>([](auto &p) { p.ways = 5; }),
            "entries over ways is no power of two");
}
