//===- MachineLatencyTest.cpp - Unloaded latencies in closed form ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"

using namespace ember::sim;

namespace {
/// From a request that a channel gets to its answer, for a bank without an open
/// row or with the right one.
Tick dramTicks(const MemoryParameters &memory, Tick arrival, bool rowIsOpen) {
  const DRAMTimingParameters &timing = memory.timing;
  const DRAMGeometry &geometry = memory.geometry;
  Clock clock(timing.period());
  uint64_t cycles = timing.cl + (geometry.burstsOfLine() - 1) * timing.ccdLong +
                    geometry.burstLength / 2;
  if (!rowIsOpen)
    cycles += timing.rcdRead;
  Tick queued = clock.edge(arrival + ticksOf(memory.controller.frontLatency));
  return queued + clock.ticks(cycles) + ticksOf(memory.controller.backLatency) -
         arrival;
}
} // namespace

TEST(MachineLatency, IsTheSumOfItsPartsAtEachLevel) {
  MachineParameters parameters = withoutPrefetchers();
  for (unsigned core : {0u, 3u, 7u})
    for (uint64_t line : {0x4000, 0x4001, 0x51237}) {
      SCOPED_TRACE(::testing::Message() << "core " << core << " line " << line);
      MachineHarness harness(parameters);
      Machine &machine = harness.machine;
      const Mesh &mesh = machine.network();
      unsigned slice = machine.sliceOf(line);
      uint32_t home = machine.sliceNode(slice), own = machine.coreNode(core),
               asker = machine.sliceMemoryNode(slice),
               channel = machine.channelNode(
                   machine.dram().mapping().locate(line).channel);
      Tick cycle = parameters.l1d.period();
      Tick lookups =
          cycle * (parameters.l1d.hitCycles + parameters.l2.hitCycles);
      Tick toHome = lookups + mesh.unloadedLatency(own, home, 0) +
                    cycle * parameters.lastLevel.latency;
      Tick back = mesh.unloadedLatency(home, own, lineBytes) + 2 * cycle;
      Tick toChannel = toHome + mesh.unloadedLatency(asker, channel, 0);
      Tick fromChannel = mesh.unloadedLatency(channel, asker, lineBytes);
      auto memory = [&](bool rowIsOpen) {
        // What passes memory's clock goes on at the mesh's next edge.
        Tick answered =
            toChannel + dramTicks(parameters.memory, toChannel, rowIsOpen);
        return Clock(parameters.mesh.period()).edge(answered) + fromChannel +
               back;
      };
      MemoryPort &l1d = machine.l1d(core);
      EXPECT_EQ(harness.time(l1d, line), memory(false));
      EXPECT_EQ(harness.time(l1d, line), cycle * parameters.l1d.hitCycles);
      // Out of the L1D, and then out of the L2 too.
      uint64_t l1Sets = parameters.l1d.sets(), l2Sets = parameters.l2.sets();
      for (uint64_t i = 1; i <= parameters.l1d.ways; ++i)
        harness.time(l1d, line + i * l1Sets + (i / 2) * l2Sets);
      EXPECT_EQ(harness.time(l1d, line), lookups + cycle);
      for (uint64_t i = 1; i <= 2 * parameters.l2.ways; ++i)
        harness.time(l1d, line + i * l2Sets * 4);
      EXPECT_EQ(harness.time(l1d, line), toHome + back);
      // An access unit at the last level: no caches of its own.
      CoherentPort &unit = machine.addUnit(core, 4);
      uint64_t other = line + 1;
      while (machine.sliceOf(other) != slice)
        ++other;
      harness.time(unit, other);
      EXPECT_EQ(harness.time(unit, other),
                mesh.unloadedLatency(own, home, 0) +
                    cycle * parameters.lastLevel.latency +
                    mesh.unloadedLatency(home, own, lineBytes));
    }
}

TEST(MachineLatency, CoresTakeAddressAndTranslationBesides) {
  MachineParameters parameters = withoutPrefetchers();
  MachineHarness harness(parameters, 1024);
  for (size_t i = 0; i < harness.data.size(); ++i)
    harness.data[i] = MachineHarness::address((i + 8) % harness.data.size());
  constexpr uint64_t times = 200000;
  harness.call(0, "chase", {times, MachineHarness::address(0)});
  // All in the L1D but for the first round.
  double cycles = static_cast<double>(harness.run()) / times;
  EXPECT_NEAR(cycles, parameters.core.addressCycles + parameters.l1d.hitCycles,
              0.5);
  EXPECT_EQ(harness.machine.l1d(0).counts().misses, 128u);
}

TEST(MachineLatency, ChasesSeeEachLevelAsTheyGrow) {
  MachineParameters parameters = withoutPrefetchers();
  // Small caches make this quick, large pages leave translation out.
  parameters.l1d.size = 4096;
  parameters.l2.size = 16384;
  parameters.lastLevel.size = 16384;
  parameters.l1Tlb.pageSize = parameters.l2Tlb.pageSize = 1 << 30;
  auto cyclesOf = [&](uint64_t lines, uint64_t rounds) {
    MachineHarness harness(parameters, lines * 8);
    // A cycle through all lines, with a stride that is prime to their number.
    for (uint64_t i = 0; i < lines; ++i)
      harness.data[i * 8] =
          MachineHarness::address((i + lines / 2 + 5) % lines * 8);
    Emulator &emulator =
        harness.call(0, "chase", {rounds * lines, MachineHarness::address(0)});
    auto cycles = static_cast<double>(harness.run());
    EXPECT_EQ(emulator.state().x[1], MachineHarness::address(0));
    return cycles / static_cast<double>(lines);
  };
  double before = 0;
  for (uint64_t lines : {32, 128, 1024, 16384}) {
    // Without the first round.
    double cycles = cyclesOf(lines, 2) - cyclesOf(lines, 1);
    EXPECT_GT(cycles, before) << lines;
    if (lines == 32) {
      EXPECT_NEAR(cycles, 2 + 2, 0.5);
    }
    if (lines == 128) {
      EXPECT_NEAR(cycles, 2 + 2 + 8 + 1, 0.5);
    }
    if (lines == 16384) {
      // From memory: 53 ns of DRAM at least, and the way there.
      EXPECT_GT(cycles, 128 + 20);
      EXPECT_LT(cycles, 250);
    }
    before = cycles;
  }
}
