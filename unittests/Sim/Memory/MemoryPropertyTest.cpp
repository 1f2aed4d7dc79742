//===- MemoryPropertyTest.cpp - Random memories, random requests ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryHarness.h"

using namespace ember::sim;

static MemoryParameters randomMemory(std::mt19937_64 &random) {
  auto between = [&](uint64_t least, uint64_t most) {
    return least + random() % (most - least + 1);
  };
  auto number = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  MemoryParameters parameters;
  DRAMGeometry &geometry = parameters.geometry;
  geometry.channels = 1 << random() % 2;
  geometry.pseudoChannels = 1 << random() % 2;
  geometry.ranks = 1 << random() % 3;
  geometry.bankGroups = 1 << random() % 3;
  geometry.banks = 1 << random() % 3;
  geometry.rowBytes = 256 << random() % 4;
  geometry.burstLength = 2 << random() % 3;
  DRAMTimingParameters &timing = parameters.timing;
  constexpr double clocks[] = {2.4, 1.2, 1, 0.6};
  timing.clock = clocks[random() % 4];
  timing.cl = between(3, 30);
  timing.cwl = between(1, timing.cl);
  timing.rcdRead = between(1, 30);
  timing.rcdWrite = between(1, 30);
  timing.rp = between(1, 30);
  timing.ras = between(1, 60);
  timing.rc = between(1, 90);
  timing.wr = between(1, 30);
  timing.rtp = between(1, 30);
  timing.ccdShort = geometry.burstLength / 2 + between(0, 3);
  timing.ccdLong = timing.ccdShort + between(0, 4);
  timing.wtrShort = between(1, 10);
  timing.wtrLong = timing.wtrShort + between(0, 5);
  timing.readToWriteGap = between(1, 5);
  timing.rankSwitch = between(1, 5);
  timing.rrdShort = number(0.5, 10);
  timing.rrdLong = timing.rrdShort + number(0, 5);
  timing.faw = number(1, 60);
  timing.rfc = number(50, 500);
  timing.rfcBank = number(20, 200);
  timing.rrefd = number(1, 15);
  timing.refi = number(1000, 5000);
  timing.separateCommandBuses = random() % 2;
  parameters.mapping.order = static_cast<FieldOrder>(random() % 4);
  parameters.mapping.hash = static_cast<AddressHash>(random() % 3);
  parameters.mapping.interleave = 1 << random() % 3;
  MemoryControllerParameters &controller = parameters.controller;
  controller.readQueue = between(1, 40);
  controller.writeQueue = between(1, 40);
  controller.writeHigh = between(1, controller.writeQueue);
  controller.writeLow = between(0, controller.writeHigh - 1);
  controller.ageCap = number(0, 3000);
  controller.frontLatency = number(0, 30);
  controller.backLatency = number(0, 30);
  controller.page = static_cast<PagePolicy>(random() % 3);
  controller.refresh = static_cast<Refresh>(random() % 3);
  controller.staggerRefresh = random() % 2;
  return parameters;
}

namespace {
struct Outcome {
  Tick end = 0;
  uint64_t events = 0;
  double latency = 0;
  bool operator==(const Outcome &) const = default;
};
} // namespace

/// Random requests with random pauses, to lines that are near each other in
/// some runs and not in others.
static Outcome run(unsigned seed) {
  std::mt19937_64 random(seed);
  MemoryParameters parameters = randomMemory(random);
  MemoryHarness harness(parameters);
  uint64_t requests = 1500;
  uint64_t range = uint64_t{64} << random() % 16;
  unsigned writes = random() % 5;
  uint64_t inFlight = 1 + random() % 200;
  uint64_t next = 0;
  bool streaming = random() % 3 == 0;
  uint64_t reads = 0;
  for (unsigned part = 0; part < 3; ++part) {
    harness.stream(requests, inFlight, [&] {
      bool write = random() % 5 < writes;
      reads += !write;
      uint64_t line = streaming ? next++ : random() % range;
      return std::pair(line, write      ? Access::fill
                             : next % 2 ? Access::own
                                        : Access::read);
    });
    // A pause, in which the memory refreshes.
    harness.send(harness.engine.now() + random() % 200000, random() % range);
    harness.run();
  }
  reads += 3;
  uint64_t all = 3 * requests + 3;
  harness.expectLegal();
  EXPECT_EQ(harness.completions, all);
  const MemorySystem &memory = harness.memory;
  uint64_t read = memory.total(&MemoryCounters::reads);
  uint64_t written = memory.total(&MemoryCounters::writes);
  EXPECT_EQ(read + memory.total(&MemoryCounters::forwardedReads), reads);
  EXPECT_EQ(written + memory.total(&MemoryCounters::mergedWrites), all - reads);
  EXPECT_EQ(memory.total(&MemoryCounters::bytesRead), read * lineBytes);
  EXPECT_EQ(memory.total(&MemoryCounters::bytesWritten), written * lineBytes);
  EXPECT_EQ(memory.total(&MemoryCounters::rowHits) +
                memory.total(&MemoryCounters::rowMisses) +
                memory.total(&MemoryCounters::rowConflicts),
            read + written);
  EXPECT_EQ(memory.waits(), "");
  if (parameters.controller.refresh != Refresh::none) {
    harness.memory.settle();
    // A refresh waits for what its banks do, and for the turn of others.
    harness.checker.checkRefreshes(harness.engine.now(), ticksOf(2500));
    harness.expectLegal();
  }
  return {harness.engine.now(), harness.engine.handled(),
          memory.meanReadNanoseconds()};
}

TEST(MemoryProperties, CommandsAreLegalAndEveryRequestCompletesOnce) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    run(seed);
    if (HasFailure())
      return;
  }
}

TEST(MemoryProperties, RunsAreDeterministic) {
  for (unsigned seed = 1000; seed < 1005; ++seed)
    EXPECT_EQ(run(seed), run(seed));
}
