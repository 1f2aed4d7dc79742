//===- MachineTrafficTest.cpp - Bandwidth, and bytes at each border -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"

#include <algorithm>
#include <deque>
#include <random>

using namespace ember::sim;

namespace {
struct Traffic {
  double gigabytesPerSecond;
  double meanNanoseconds;
};

/// Asks the last level from beside each core, so many lines at a time in all.
Traffic traffic(Machine &machine, uint64_t count, uint64_t inFlight,
                const Generator::Next &next) {
  Engine &engine = machine.clockwork();
  Tick begin = engine.now();
  std::deque<Generator> generators;
  uint64_t units = std::min(inFlight, machine.description().cores);
  for (unsigned i = 0; i < units; ++i) {
    uint64_t share = inFlight / units;
    generators.emplace_back(engine, machine.addUnit(i, share), count / units,
                            share, [&next, i, units](uint64_t number) {
                              return next(number * units + i);
                            });
    generators.back().nonTemporal = true;
  }
  for (Generator &generator : generators)
    generator.pump();
  machine.drain();
  EXPECT_EQ(machine.waits(), "");
  Tick last = 0;
  double ticks = 0;
  uint64_t completed = 0;
  for (const Generator &generator : generators) {
    EXPECT_EQ(generator.completed, count / units);
    last = std::max(last, generator.last);
    ticks += generator.meanTicks() / static_cast<double>(units);
    completed += generator.completed;
  }
  return {static_cast<double>(completed * lineBytes) /
              nanosecondsOf(last - begin),
          ticks / ticksPerNanosecond};
}

/// A number's place in a sequence without order.
uint64_t scattered(uint64_t number) {
  number = (number ^ number >> 31) * 0x9e3779b97f4a7c15;
  number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9;
  return (number ^ number >> 32) & ((uint64_t{1} << 30) - 1);
}
std::pair<uint64_t, Access> randomRead(uint64_t number) {
  return {scattered(number), Access::read};
}
} // namespace

TEST(MachineTraffic, GathersFollowLittlesLawUpToTheActivates) {
  MachineParameters parameters = withoutPrefetchers();
  const MemoryParameters &memory = parameters.memory;
  // Four lines, each of a row of its own, in each window of four activates.
  double ceiling =
      static_cast<double>(memory.geometry.controllers() * 4 * lineBytes) /
      memory.timing.faw;
  double alone = 0, before = 0, slowest = 0;
  for (uint64_t inFlight : {1, 8, 32, 128, 256, 1024}) {
    Machine machine(parameters);
    Traffic seen = traffic(machine, 60 * inFlight + 4000, inFlight, randomRead);
    if (inFlight == 1)
      alone = seen.meanNanoseconds;
    double law =
        static_cast<double>(inFlight * lineBytes) / seen.meanNanoseconds;
    EXPECT_NEAR(seen.gigabytesPerSecond / law, 1, 0.06) << inFlight;
    EXPECT_LE(seen.gigabytesPerSecond, ceiling * 1.001);
    // The curve of latency over bandwidth rises.
    EXPECT_GT(seen.gigabytesPerSecond, before);
    EXPECT_GE(seen.meanNanoseconds, slowest * 0.97);
    if (inFlight <= 32) {
      EXPECT_LT(seen.meanNanoseconds, alone * 1.25) << inFlight;
    }
    before = seen.gigabytesPerSecond;
    slowest = seen.meanNanoseconds;
  }
  // Lines are not as many for each controller at all times.
  EXPECT_GT(before, 0.75 * ceiling);
}

TEST(MachineTraffic, StreamsReachTheBandwidthOfMemory) {
  MachineParameters parameters = withoutPrefetchers();
  Machine machine(parameters);
  Traffic seen = traffic(machine, 40000, 1024, [](uint64_t number) {
    // Each from a place of its own.
    return std::pair((number % 8 << 20) + number / 8, Access::read);
  });
  double peak = parameters.memory.peakBandwidth();
  // Eight streams meet in banks, with other rows of theirs.
  EXPECT_GT(seen.gigabytesPerSecond, 0.65 * peak);
  EXPECT_LE(seen.gigabytesPerSecond, peak);
}

TEST(MachineTraffic, OneFullChannelDoesNotBlockOthers) {
  MachineParameters parameters = withoutPrefetchers();
  Machine machine(parameters);
  const AddressMapping &mapping = machine.dram().mapping();
  // All but one core ask one bank, one asks another channel.
  std::deque<Generator> generators;
  Engine &engine = machine.clockwork();
  auto asks = [&](unsigned channel, bool oneBank) {
    return [&mapping, channel, oneBank](uint64_t number) {
      DRAMLocation place;
      place.channel = channel;
      place.row = scattered(number) % 100000;
      place.bank = oneBank ? 0 : number % 4;
      place.bankGroup = oneBank ? 0 : number / 4 % 4;
      return std::pair(mapping.lineAt(place), Access::read);
    };
  };
  uint64_t channelCount = parameters.memory.geometry.channels;
  generators.emplace_back(engine, machine.addUnit(0, 8), 1000, 8,
                          asks(channelCount - 1, false));
  generators[0].pump();
  machine.drain();
  double alone = generators[0].meanTicks();
  for (unsigned i = 0; i < parameters.cores; ++i)
    generators.emplace_back(engine, machine.addUnit(i, 16), i ? 500 : 1000,
                            i ? 16 : 8, asks(i ? 0 : channelCount - 1, i != 0));
  for (unsigned i = 1; i < generators.size(); ++i)
    generators[i].pump();
  machine.drain();
  EXPECT_LT(generators[1].meanTicks(), 1.5 * alone);
  EXPECT_GT(generators[2].meanTicks(), 5 * alone);
}

TEST(MachineTraffic, MeshLimitsWhereLinksAreNarrow) {
  MachineParameters parameters = withoutPrefetchers();
  parameters.mesh.columns = parameters.cores;
  parameters.mesh.rows = 1;
  parameters.mesh.linkBytes = 8;
  parameters.mesh.bufferFlits = 16;
  parameters.slices = 1;
  // One slice, whose answers leave by one link to the east.
  parameters.slicePlacement = Placement::rowMajor;
  parameters.corePlacement = Placement::spread;
  Machine machine(parameters);
  auto few = [](uint64_t number) {
    return std::pair(number % 64, Access::read);
  };
  std::deque<Generator> generators;
  Engine &engine = machine.clockwork();
  for (unsigned i = 1; i < parameters.cores; ++i) {
    generators.emplace_back(engine, machine.addUnit(i, 64), 2000, 64, few);
    generators.back().pump();
  }
  machine.drain();
  Tick last = 0;
  for (const Generator &generator : generators)
    last = std::max(last, generator.last);
  double bytesPerCycle = 2000.0 * lineBytes *
                         static_cast<double>(parameters.cores - 1) /
                         static_cast<double>(last / parameters.mesh.period());
  EXPECT_LE(bytesPerCycle, 8);
  EXPECT_GT(bytesPerCycle, 8 * 0.95);
  llvm::json::Object statistics = machine.statistics();
  double used = statistics.getObject("mesh")
                    ->getObject("router0_0")
                    ->getObject("east")
                    ->getNumber("response")
                    .value();
  EXPECT_NEAR(used, bytesPerCycle / 8, 0.02);
}

TEST(MachineTraffic, BytesAreTheSameOnBothSidesOfEachBorder) {
  MachineParameters parameters = withoutPrefetchers();
  parameters.cores = parameters.slices = 4;
  parameters.l1d.size = 2048;
  parameters.l2.size = 8192;
  parameters.lastLevel.size = 16384;
  Machine machine(parameters);
  std::deque<Generator> generators;
  Engine &engine = machine.clockwork();
  auto shared = [](uint64_t number) {
    uint64_t line = scattered(number) % 4096;
    return std::pair(line, line % 3 ? Access::read : Access::own);
  };
  for (unsigned i = 0; i < parameters.cores; ++i)
    generators.emplace_back(
        engine, machine.l1d(i), 8000, 16,
        [shared, i](uint64_t number) { return shared(number * 4 + i); });
  for (Generator &generator : generators)
    generator.pump();
  machine.drain();
  EXPECT_EQ(machine.waits(), "");
  MemorySystem &memory = machine.dram();
  memory.settle();
  uint64_t asked = 0, written = 0, puts = 0, fromHome = 0, l2Puts = 0,
           l2Fills = 0, forwards = 0, hits = 0, requests = 0;
  for (unsigned i = 0; i < parameters.slices; ++i) {
    const LastLevelCounters &counts = machine.slice(i).counts();
    asked += counts.memoryReads;
    written += counts.memoryWrites;
    puts += counts.putsClean + counts.putsDirty + counts.putsStale;
    forwards += counts.forwards;
    hits += counts.hits;
    requests += counts.requests;
  }
  for (unsigned i = 0; i < parameters.cores; ++i) {
    const CacheCounters &l1 = machine.l1d(i).counts();
    const CacheCounters &l2 = machine.l2(i).counts();
    EXPECT_EQ(l1.fills, l1.misses + l1.reissued - l1.prefetchesDropped);
    // What the L1D asked for, and what it gave up, is all that the L2 got.
    EXPECT_EQ(l1.misses + l1.reissued, l2.hits + l2.misses + l2.merges);
    EXPECT_EQ(l2.filledBytes,
              l2.fills * lineBytes + l1.dirtyWriteBacks * lineBytes);
    l2Puts += l2.dirtyWriteBacks + l2.cleanWriteBacks;
    l2Fills += l2.fills;
    fromHome += l2.misses + l2.reissued;
  }
  EXPECT_EQ(l2Fills, fromHome);
  EXPECT_EQ(l2Puts, puts);
  EXPECT_EQ(requests, puts + fromHome);
  EXPECT_GT(forwards, 0u);
  EXPECT_GT(hits, 0u);
  EXPECT_LE(asked + forwards, fromHome);
  // Of what the last level asked memory for, DRAM had to do all but what its
  // controllers found in their queues.
  EXPECT_EQ(memory.total(&MemoryCounters::bytesRead),
            (asked - memory.total(&MemoryCounters::forwardedReads)) *
                lineBytes);
  EXPECT_EQ(memory.total(&MemoryCounters::bytesWritten),
            (written - memory.total(&MemoryCounters::mergedWrites)) *
                lineBytes);
  EXPECT_EQ(machine.network().sent(), machine.network().delivered());
}

TEST(MachineTraffic, RequestsOfALineMergeOnTheWay) {
  MachineParameters parameters = withoutPrefetchers();
  Machine machine(parameters);
  Engine &engine = machine.clockwork();
  // 16 words of each of 200 lines.
  Generator generator(
      engine, machine.l1d(2), 3200, 16 * 32,
      [](uint64_t number) { return std::pair(number / 16, Access::read); });
  generator.pump();
  machine.drain();
  EXPECT_EQ(generator.completed, 3200u);
  EXPECT_EQ(machine.l1d(2).counts().misses, 200u);
  EXPECT_EQ(machine.l1d(2).counts().hits + machine.l1d(2).counts().merges,
            3000u);
  EXPECT_EQ(machine.dram().total(&MemoryCounters::reads), 200u);
  EXPECT_EQ(machine.l1d(2).inFlight(), 0u);
  EXPECT_EQ(machine.l2(2).inFlight(), 0u);
}
