//===- MemoryTimeTest.cpp - Latency and bandwidth in closed form ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryHarness.h"

using namespace ember::sim;

/// Lines at random places of 2^22, each read.
static std::function<std::pair<uint64_t, Access>()> randomReads(unsigned seed) {
  return [random = std::mt19937_64(seed)]() mutable {
    return std::pair(random() & ((uint64_t{1} << 32) - 1), Access::read);
  };
}

static std::function<std::pair<uint64_t, Access>()> stream(Access access) {
  return [line = uint64_t{0}, access]() mutable {
    return std::pair(line++, access);
  };
}

TEST(MemoryTime, UnloadedLatencyIsTheSumOfItsParts) {
  for (MemoryParameters parameters : {plainMemory(), ddr4Desktop()}) {
    parameters.mapping.hash = AddressHash::none;
    parameters.controller.refresh = Refresh::none;
    MemoryHarness harness(parameters);
    Tick later = ticksOf(1000);
    uint64_t miss = harness.send(0, place(0, 0, 0));
    uint64_t hit = harness.send(later, place(0, 0, 0, 1));
    uint64_t conflict = harness.send(2 * later, place(0, 0, 1));
    harness.run();
    harness.expectLegal();
    const DRAMTimingParameters &timing = parameters.timing;
    const DRAMGeometry &geometry = parameters.geometry;
    uint64_t data = timing.cl + (geometry.burstsOfLine() - 1) * timing.ccdLong +
                    geometry.burstLength / 2;
    Tick fixed = ticksOf(10) + ticksOf(10);
    auto ticks = [&](uint64_t cycles) { return cycles * timing.period(); };
    EXPECT_EQ(harness.completed[miss], fixed + ticks(timing.rcdRead + data));
    EXPECT_EQ(harness.completed[hit], later + fixed + ticks(data));
    EXPECT_EQ(harness.completed[conflict],
              2 * later + fixed + ticks(timing.rp + timing.rcdRead + data));
    EXPECT_EQ(harness.memory.total(&MemoryCounters::rowMisses), 1u);
    EXPECT_EQ(harness.memory.total(&MemoryCounters::rowHits), 1u);
    EXPECT_EQ(harness.memory.total(&MemoryCounters::rowConflicts), 1u);
  }
  // For HBM2 in ns, by hand: 10 + 10 + (17 + 17 + 4 + 2) / 1.2.
  MemoryHarness harness(plainMemory());
  harness.send(0, place(0, 0, 0));
  harness.run();
  EXPECT_NEAR(harness.nanoseconds(), 53.333, 0.001);
}

TEST(MemoryTime, LongSleepChangesNoLatencyButClosesRows) {
  MemoryHarness harness(oneController());
  MemoryParameters parameters = oneController();
  parameters.controller.refresh = Refresh::allBanks;
  MemoryHarness refreshed(parameters);
  // Half an interval after a refresh.
  Tick later = ticksOf(100.5 * 3900);
  for (MemoryHarness *memory : {&harness, &refreshed}) {
    memory->send(0, place(0, 0, 0));
    memory->send(later, place(0, 0, 0));
    memory->run();
    memory->expectLegal();
  }
  Tick activate = 17 * parameters.timing.period();
  EXPECT_EQ(refreshed.completed[1], harness.completed[1] + activate);
  EXPECT_EQ(refreshed.memory.total(&MemoryCounters::refreshes), 100u);
  refreshed.checker.checkRefreshes(later, 0);
  refreshed.expectLegal();
}

TEST(MemoryTime, StreamsUseAllDataCyclesButThoseOfRefreshes) {
  for (Access access : {Access::read, Access::fill}) {
    MemoryParameters parameters = hbm2();
    parameters.controller.refresh = Refresh::none;
    MemoryHarness harness(parameters, /*check=*/false);
    harness.stream(100000, 2048, stream(access));
    double peak = parameters.peakBandwidth();
    EXPECT_LE(harness.bandwidth(), peak * 1.01);
    EXPECT_GE(harness.bandwidth(), peak * 0.97);

    parameters = oneController();
    parameters.controller.refresh = Refresh::allBanks;
    peak = parameters.peakBandwidth();
    MemoryHarness refreshed(parameters, /*check=*/false);
    refreshed.stream(50000, 64, stream(access));
    // A refresh takes RFC, the row before and after it RP, RCD and what is
    // left to be read or written of the old row.
    double lost = (350 + 60) / 3900.0;
    EXPECT_GE(refreshed.bandwidth(), peak * (1 - lost) * 0.98);
    EXPECT_LE(refreshed.bandwidth(), peak * (1 - 350 / 3900.0) * 1.01);
  }
}

TEST(MemoryTime, OneBankGroupHasTheBandwidthOfItsOwnBursts) {
  // CCD_L is twice the length of a burst.
  MemoryParameters parameters = oneController();
  MemoryHarness harness(parameters, /*check=*/false);
  uint32_t column = 0;
  const AddressMapping &mapping = harness.memory.mapping();
  harness.stream(20000, 64, [&] {
    ++column;
    return std::pair(mapping.lineAt(place(0, 0, 0, column % 16)), Access::read);
  });
  EXPECT_NEAR(harness.bandwidth(), 19.2 / 2, 0.1);
}

TEST(MemoryTime, RandomLinesAreLimitedByActivates) {
  struct Case {
    double faw;
    /// GB/s of 16 pseudo-channels, a line for each activate: four in a FAW, or
    /// one in five cycles, as RRD rounds up to.
    double ceiling;
    double part;
  };
  // At the first of them there are 11 rows open at a time, on average, of 16
  // banks that random requests find unevenly. At the others, some controllers
  // have two or three per cent more of the requests than the mean.
  for (const Case &expected :
       {Case{15, 16 * 64 / (5 / 1.2), 0.82}, Case{30, 16 * 4 * 64 / 30.0, 0.95},
        Case{60, 16 * 4 * 64 / 60.0, 0.95}}) {
    MemoryParameters parameters = hbm2();
    parameters.controller.refresh = Refresh::none;
    parameters.timing.faw = expected.faw;
    MemoryHarness harness(parameters, /*check=*/false);
    harness.stream(60000, 1024, randomReads(7));
    RecordProperty("bandwidth", std::to_string(harness.bandwidth()));
    EXPECT_LE(harness.bandwidth(), expected.ceiling * 1.005);
    EXPECT_GE(harness.bandwidth(), expected.ceiling * expected.part);
    EXPECT_EQ(harness.memory.total(&MemoryCounters::windowLimitedActivates) >
                  30000,
              expected.faw > 20);
  }
}

TEST(MemoryTime, ObeysLittlesLawAndSaturates) {
  double before = 0;
  double unloaded = 0;
  for (uint64_t inFlight : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    MemoryHarness harness(hbm2(), /*check=*/false);
    harness.stream(4000 * std::min<uint64_t>(inFlight, 16), inFlight,
                   randomReads(3));
    double bandwidth = harness.bandwidth();
    double latency = harness.memory.meanReadNanoseconds();
    double byLaw = static_cast<double>(inFlight * lineBytes) / latency;
    EXPECT_NEAR(bandwidth / byLaw, 1, 0.02) << inFlight;
    EXPECT_GT(bandwidth, before) << inFlight;
    if (inFlight == 1)
      unloaded = latency;
    EXPECT_GE(latency, unloaded * 0.99);
    before = bandwidth;
  }
  // One at a time: the row is closed, or, for one in nine of the 64 reads in
  // an interval of refreshes, another one of the bank is open; and one of them
  // waits for the refresh.
  EXPECT_NEAR(unloaded, 53.3 + 17 / 1.2 * 0.117 + 350 / 64.0, 1.5);
}

TEST(MemoryTime, LatencyGrowsWithTheBandwidthThatIsAskedFor) {
  double before = 0;
  for (double part : {0.05, 0.2, 0.4, 0.6, 0.7}) {
    MemoryParameters parameters = hbm2();
    // Nobody is turned away, however late.
    parameters.controller.readQueue = 4096;
    MemoryHarness harness(parameters, /*check=*/false);
    std::mt19937_64 random(5);
    std::exponential_distribution<double> gap(part * 307.2 / lineBytes);
    double at = 0;
    for (int i = 0; i < 30000; ++i)
      harness.send(ticksOf(at += gap(random)), random() & 0xffffffff);
    harness.run();
    double latency = harness.memory.meanReadNanoseconds();
    EXPECT_GT(latency, before) << part;
    before = latency;
  }
}
