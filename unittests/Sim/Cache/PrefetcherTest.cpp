//===- PrefetcherTest.cpp - What is fetched ahead, and what in vain -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheHarness.h"

#include <cstring>
#include <random>

using namespace ember::sim;

namespace {
/// Indices in memory; the rest of memory reads as zeros, up to its end.
struct Indices final : MemoryValues {
  static constexpr uint64_t base = 1 << 20, end = uint64_t{1} << 34;

  Indices(uint64_t count, unsigned bytes, uint64_t below, uint64_t seed)
      : bytes(bytes), memory(count * bytes) {
    std::mt19937_64 random(seed);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = random() % below;
      std::memcpy(&memory[i * bytes], &value, bytes);
    }
  }
  bool read(uint64_t address, unsigned size, uint64_t &value) const override {
    value = 0;
    if (address >= base && address + size <= base + memory.size())
      std::memcpy(&value, &memory[address - base], size);
    return address + size <= end;
  }
  uint64_t at(uint64_t i) const {
    uint64_t value;
    read(base + i * bytes, bytes, value);
    return value;
  }
  unsigned bytes;
  std::vector<uint8_t> memory;
};

struct Gather {
  unsigned indexBytes = 8;
  uint64_t rowBytes = 8;
  /// Of the row that is loaded, lines.
  uint64_t rowLines = 1;
  /// Indices that are loaded before the rows of the first of them.
  uint64_t early = 1;
  /// Rows have nothing to do with indices.
  bool unrelated = false;
};

struct Outcome {
  Tick time = 0;
  CacheCounters counts;
  uint64_t unused = 0;
};
} // namespace

static constexpr uint64_t rounds = 3000;

/// Loads indices and what they lead to, each when the one before has come.
static Outcome run(const Gather &gather, PrefetcherParameters prefetcher) {
  constexpr uint64_t table = uint64_t{1} << 30;
  CacheParameters first = small(64 * 1024, 4, 2);
  first.writeBackBuffers = 8;
  first.prefetcher = prefetcher;
  Levels levels(first, small(512 * 1024, 8, 8));
  Indices indices(rounds, gather.indexBytes, 1 << 20, 1);
  levels.l1.setValues(indices);
  std::mt19937_64 random(2);
  Outcome outcome;
  for (uint64_t i = 0; i < rounds; i += gather.early) {
    for (uint64_t j = i; j < i + gather.early; ++j)
      levels.core.load(Indices::base + j * gather.indexBytes, gather.indexBytes,
                       100);
    for (uint64_t j = i; j < i + gather.early; ++j) {
      uint64_t row = gather.unrelated ? random() % (1 << 20) : indices.at(j);
      for (uint64_t line = 0; line < gather.rowLines; ++line)
        levels.core.load(table + row * gather.rowBytes + line * lineBytes, 0,
                         200 + line);
    }
  }
  outcome.time = levels.engine.now();
  while (levels.engine.step())
    ;
  outcome.counts = levels.l1.counts();
  outcome.unused = levels.l1.prefetchesUnused();
  EXPECT_EQ(outcome.counts.prefetches,
            outcome.counts.prefetchesUseful + outcome.counts.prefetchesLate +
                outcome.counts.prefetchesUseless + outcome.unused);
  return outcome;
}

static PrefetcherParameters kind(PrefetcherKind kind, bool defective = false) {
  PrefetcherParameters parameters;
  parameters.kind = kind;
  parameters.defective = defective;
  return parameters;
}

TEST(IndirectPrefetcher, FetchesElementsAhead) {
  for (unsigned indexBytes : {4, 8})
    for (uint64_t elementBytes : {4, 8, 16})
      for (uint64_t early : {1, 2, 3}) {
        SCOPED_TRACE(::testing::Message()
                     << indexBytes << " " << elementBytes << " " << early);
        Gather gather{indexBytes, elementBytes, 1, early};
        Outcome none = run(gather, kind(PrefetcherKind::stride));
        Outcome with = run(gather, kind(PrefetcherKind::indirect));
        EXPECT_GT(none.counts.misses, rounds * 9 / 10);
        EXPECT_LT(with.counts.misses, rounds / 20);
        EXPECT_LT(with.time, none.time / 5);
        EXPECT_LT(with.counts.prefetchesUseless + with.unused, rounds / 20);
      }
}

TEST(IndirectPrefetcher, RowsTakeTheirSizesAndAWayForEachLine) {
  for (uint64_t rowLines : {2, 8}) {
    Gather gather{8, rowLines * lineBytes, rowLines, 1};
    uint64_t lines = rounds * rowLines;
    // The published sizes know no rows.
    Outcome published = run(gather, kind(PrefetcherKind::indirect));
    EXPECT_GT(published.counts.misses, lines * 95 / 100);
    PrefetcherParameters sizes = kind(PrefetcherKind::indirect);
    sizes.elementSizes |= rowLines * lineBytes;
    uint64_t covered = std::min<uint64_t>(rowLines, sizes.indirectWays);
    Outcome two = run(gather, sizes);
    EXPECT_NEAR(two.counts.misses, lines - rounds * covered, lines / 10);
    sizes.indirectWays = rowLines;
    // As many lines as the queue of prefetches holds.
    sizes.indirectDistance = 32 / rowLines;
    Outcome all = run(gather, sizes);
    EXPECT_LT(all.counts.misses, lines / 10);
    EXPECT_LT(all.counts.prefetchesUseless + all.unused, lines / 20);
    EXPECT_LT(all.time, published.time / 3);
  }
}

TEST(IndirectPrefetcher, TheDefectiveOneComesLate) {
  for (uint64_t elementBytes : {4, 8}) {
    Gather gather{8, elementBytes, 1, 1};
    Outcome stride = run(gather, kind(PrefetcherKind::stride));
    Outcome defective = run(gather, kind(PrefetcherKind::indirect, true));
    Outcome correct = run(gather, kind(PrefetcherKind::indirect));
    // Elements are fetched when their index is there, no sooner than the core
    // asks for them; and any accesses make a stream.
    EXPECT_GT(defective.time, stride.time * 9 / 10);
    EXPECT_LT(correct.time, defective.time / 5);
    EXPECT_GT(defective.counts.prefetchesUseless + defective.unused, rounds);
  }
  // Rows of several lines are no pattern of it either.
  Gather rows{8, 512, 8, 1};
  Outcome stride = run(rows, kind(PrefetcherKind::stride));
  Outcome defective = run(rows, kind(PrefetcherKind::indirect, true));
  EXPECT_GT(defective.time, stride.time * 9 / 10);
}

TEST(IndirectPrefetcher, FetchesLittleInVain) {
  for (uint64_t elementBytes : {4, 8, 128}) {
    Gather gather{8, elementBytes, 1, 1};
    gather.unrelated = true;
    PrefetcherParameters parameters = kind(PrefetcherKind::indirect);
    parameters.elementSizes |= 128;
    Outcome outcome = run(gather, parameters);
    EXPECT_LT(outcome.counts.prefetchesUseless + outcome.unused, rounds / 50);
  }
}

TEST(IndirectPrefetcher, WithoutValuesThereAreStrides) {
  CacheParameters first = small(8192, 4, 2);
  first.prefetcher = kind(PrefetcherKind::indirect);
  Levels levels(first, small(32768, 8, 8));
  for (uint64_t i = 0; i < 40; ++i)
    levels.core.time(i * 3, Access::read, 17);
  EXPECT_LE(levels.l1.counts().misses, 5u);
}

/// Lines of `instruction`s at a stride, each when all is quiet.
static CacheCounters sweep(PrefetcherParameters prefetcher, uint64_t count,
                           uint64_t step, uint64_t loadsOfALine) {
  CacheParameters first = small(8192, 4, 2);
  first.prefetcher = prefetcher;
  Levels levels(first, small(65536, 8, 8));
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t j = 0; j < loadsOfALine; ++j)
      levels.core.time(i * step, Access::read, 17);
  return levels.l1.counts();
}

TEST(StridePrefetcher, TheDefectiveOneForgetsStridesByRepeatedLoads) {
  auto correct = kind(PrefetcherKind::stride);
  auto defective = kind(PrefetcherKind::stride, true);
  EXPECT_LE(sweep(correct, 200, 3, 1).misses, 5u);
  EXPECT_LE(sweep(defective, 200, 3, 1).misses, 5u);
  EXPECT_LE(sweep(correct, 200, 3, 2).misses, 5u);
  EXPECT_GT(sweep(defective, 200, 3, 2).misses, 190u);
}

TEST(BestOffsetPrefetcher, TheDefectiveOneFindsNone) {
  for (bool defective : {false, true}) {
    CacheParameters second = small(65536, 8, 8);
    second.prefetcher = kind(PrefetcherKind::bestOffset, defective);
    Levels levels(small(1024, 4, 2), second);
    // All lines, with the default region: only a page's first ones miss.
    constexpr uint64_t count = 8000;
    uint64_t before = 0;
    for (uint64_t i = 0; i < count; ++i) {
      if (i == count / 2)
        before = levels.l2.counts().misses;
      levels.core.time(i, Access::read, i + 1);
    }
    uint64_t misses = levels.l2.counts().misses - before;
    if (defective)
      EXPECT_EQ(misses, count / 2);
    else
      EXPECT_LT(misses, count / 8);
  }
}
