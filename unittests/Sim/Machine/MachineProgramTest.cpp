//===- MachineProgramTest.cpp - Programs on whole machines ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>
#include <random>

using namespace ember::sim;

namespace {
using H = MachineHarness;

std::string textOf(Machine &machine) {
  return llvm::formatv("{0}", llvm::json::Value(machine.statistics())).str();
}

/// What `mix` computes, once more.
struct Mixed {
  uint64_t x3;
  std::vector<uint64_t> data;
};
Mixed mixed(uint64_t times, std::vector<uint64_t> data, uint64_t x3) {
  uint64_t x9 = x3;
  for (; times; --times) {
    x9 = x9 * 25173 + 13849;
    uint64_t &word = data[(x9 >> 3 & (data.size() * 8 - 8)) / 8];
    x3 = (x3 ^ word) + x9;
    if (x9 >> 13 & 1)
      word = x3;
  }
  return {x3, std::move(data)};
}

MachineParameters randomMachine(std::mt19937_64 &random) {
  MachineParameters parameters;
  auto upTo = [&](uint64_t most) { return 1 + random() % most; };
  parameters.cores = upTo(4);
  parameters.slices = upTo(5);
  parameters.channelCredits = upTo(4);
  parameters.corePlacement = static_cast<Placement>(random() % 3);
  parameters.slicePlacement = static_cast<Placement>(random() % 3);
  parameters.memoryPlacement = static_cast<Placement>(random() % 3);
  CoreParameters &core = parameters.core;
  core.fetchWidth = upTo(8);
  core.retireWidth = upTo(8);
  core.reorderBuffer = 8 + upTo(250);
  core.issueQueue = upTo(core.reorderBuffer);
  core.loadQueue = upTo(96);
  core.storeQueue = upTo(96);
  core.storesInFlight = upTo(8);
  core.disambiguation = static_cast<Disambiguation>(random() % 2);
  for (CacheParameters *cache : {&parameters.l1d, &parameters.l2}) {
    cache->mshrs = upTo(16);
    cache->targets = upTo(8);
    cache->queue = upTo(8);
    cache->ports = upTo(3);
    cache->writeBackBuffers = upTo(4);
    cache->prefetchReserve = 0;
    cache->fillBytes = 16 << random() % 3;
    cache->replacement = static_cast<Replacement>(random() % 4);
    cache->prefetcher.kind = static_cast<PrefetcherKind>(random() % 3);
  }
  parameters.l1d.size = 1024 << random() % 4;
  parameters.l2.size = 8192 << random() % 3;
  parameters.l2.inclusive = random() % 2;
  parameters.lastLevel.size = 16384;
  parameters.lastLevel.mshrs = upTo(16);
  parameters.lastLevel.writeBuffers = upTo(4);
  for (TlbParameters *tlb : {&parameters.l1Tlb, &parameters.l2Tlb}) {
    tlb->entries = tlb->ways = 1 + random() % 4;
    tlb->misses = upTo(3);
    tlb->latency = random() % 4;
  }
  parameters.mesh.columns = upTo(4);
  parameters.mesh.rows = upTo(4);
  parameters.mesh.bufferFlits = 2 + random() % 8;
  parameters.mesh.separateLinks = random() % 2;
  if (random() % 2)
    parameters.memory = ddr4Desktop();
  parameters.memory.controller.readQueue = upTo(8);
  parameters.memory.controller.writeQueue = 2 + random() % 8;
  parameters.memory.controller.writeHigh = 2;
  parameters.memory.controller.writeLow = 1;
  return parameters;
}
} // namespace

TEST(MachineProgram, CopiesReachAReasonedShareOfTheBandwidth) {
  MachineParameters parameters;
  parameters.l1Tlb.pageSize = parameters.l2Tlb.pageSize = 2 << 20;
  constexpr uint64_t lines = 4096;
  uint64_t words = lines * 8;
  H harness(parameters, 2 * words * parameters.cores);
  for (unsigned i = 0; i < parameters.cores; ++i)
    harness.call(
        i, "copy",
        {lines, H::address(2 * words * i + words), H::address(2 * words * i)});
  for (size_t i = 0; i < harness.data.size(); ++i)
    harness.data[i] = i;
  uint64_t cycles = harness.run();
  for (unsigned i = 0; i < parameters.cores; ++i)
    for (uint64_t word = 0; word < words; ++word)
      ASSERT_EQ(harness.data[2 * words * i + words + word],
                2 * words * i + word);
  // Each line is read twice, as it is owned before it is written.
  double bytes = static_cast<double>(2 * lines * lineBytes * parameters.cores);
  double gigabytesPerSecond =
      bytes / nanosecondsOf(cycles * parameters.core.clockTicks);
  double peak = parameters.memory.peakBandwidth();
  EXPECT_LE(gigabytesPerSecond, peak);
  // A core owns eight lines at a time, in some 100 ns, and reads as many.
  double stores = static_cast<double>(parameters.core.storesInFlight * 2 *
                                      lineBytes * parameters.cores) /
                  100;
  EXPECT_GT(gigabytesPerSecond, 0.6 * std::min(stores, peak));
}

TEST(MachineProgram, RunsAreTheSame) {
  std::string texts[2];
  for (std::string &text : texts) {
    MachineParameters parameters;
    H harness(parameters, 1 << 15);
    for (unsigned i = 0; i < parameters.cores; ++i)
      harness.call(i, "mix", {2000, H::address(0), (1 << 18) - 8, i});
    harness.run();
    text = textOf(harness.machine);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_NE(texts[0].find("\"l2Tlb\""), std::string::npos);
}

TEST(MachineProgram, CoresShareLines) {
  MachineParameters parameters;
  constexpr uint64_t times = 40, words = 16;
  H harness(parameters, 8 * words);
  // Words of the same lines, which no two cores share.
  for (unsigned i = 0; i < parameters.cores; ++i)
    harness.call(i, "increments", {times, H::address(i), lineBytes, words});
  harness.run();
  for (uint64_t word : harness.data)
    EXPECT_EQ(word, times);
  harness.machine.drain();
  uint64_t snoops = 0, lost = 0;
  for (unsigned i = 0; i < parameters.slices; ++i)
    snoops += harness.machine.slice(i).counts().snoops;
  for (unsigned i = 0; i < parameters.cores; ++i)
    lost += harness.machine.l2(i).counts().lostLines;
  EXPECT_GT(lost, 8 * words);
  EXPECT_GE(snoops, lost);
  EXPECT_EQ(harness.machine.waits(), "");
}

TEST(MachineProgram, ResultsAreTheReferencesOnRandomMachines) {
  std::mt19937_64 random(7);
  uint64_t instructions = 0;
  for (unsigned trial = 0; trial < 120; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    MachineParameters parameters = randomMachine(random);
    // Some meshes are too small.
    if (llvm::Error error = parameters.validate()) {
      llvm::consumeError(std::move(error));
      continue;
    }
    uint64_t words = 512 << random() % 4;
    H harness(parameters, words * parameters.cores);
    for (uint64_t &word : harness.data)
      word = random();
    std::vector<Mixed> references;
    std::vector<Emulator *> emulators;
    constexpr uint64_t times = 400;
    for (unsigned i = 0; i < parameters.cores; ++i) {
      auto begin = harness.data.begin() + static_cast<ptrdiff_t>(words * i);
      references.push_back(mixed(
          times, {begin, begin + static_cast<ptrdiff_t>(words)}, i + trial));
      emulators.push_back(&harness.call(
          i, "mix", {times, H::address(words * i), words * 8 - 8, i + trial}));
    }
    harness.run();
    if (HasFailure())
      return;
    harness.machine.drain();
    EXPECT_EQ(harness.machine.waits(), "");
    for (unsigned i = 0; i < parameters.cores; ++i) {
      EXPECT_EQ(emulators[i]->state().x[3], references[i].x3);
      for (uint64_t word = 0; word < words; ++word)
        ASSERT_EQ(harness.data[words * i + word], references[i].data[word]);
      instructions += harness.machine.core(i).counters().instructions;
    }
  }
  EXPECT_GT(instructions, 100000u);
}

TEST(MachineProgram, CoresShareLinesOnRandomMachines) {
  std::mt19937_64 random(11);
  for (unsigned trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(::testing::Message() << "trial " << trial);
    MachineParameters parameters = randomMachine(random);
    // Some meshes are too small.
    if (llvm::Error error = parameters.validate()) {
      llvm::consumeError(std::move(error));
      continue;
    }
    constexpr uint64_t times = 4;
    uint64_t words = 8 << random() % 6;
    H harness(parameters, 8 * words);
    for (unsigned i = 0; i < parameters.cores; ++i)
      harness.call(i, "increments", {times, H::address(i), lineBytes, words});
    harness.run();
    if (HasFailure())
      return;
    harness.machine.drain();
    EXPECT_EQ(harness.machine.waits(), "");
    for (uint64_t word = 0; word < 8 * words; ++word)
      ASSERT_EQ(harness.data[word], word % 8 < parameters.cores ? times : 0);
  }
}

TEST(MachineProgram, OneOfEachIsEnough) {
  MachineParameters parameters;
  parameters.cores = 4;
  parameters.slices = 2;
  parameters.channelCredits = 1;
  for (CacheParameters *cache : {&parameters.l1d, &parameters.l2}) {
    cache->mshrs = cache->targets = cache->queue = cache->ports = 1;
    cache->writeBackBuffers = 1;
    cache->prefetcher.kind = PrefetcherKind::none;
  }
  parameters.l1d.size = parameters.l1d.ways * lineBytes;
  parameters.l2.size = parameters.l2.ways * lineBytes;
  parameters.lastLevel.size = parameters.lastLevel.ways * lineBytes;
  parameters.lastLevel.mshrs = parameters.lastLevel.writeBuffers = 1;
  for (TlbParameters *tlb : {&parameters.l1Tlb, &parameters.l2Tlb})
    tlb->entries = tlb->ways = tlb->misses = tlb->walkCacheEntries = 1;
  parameters.mesh.bufferFlits = 2;
  parameters.memory.controller.readQueue = 1;
  parameters.memory.controller.writeQueue = 1;
  parameters.memory.controller.writeHigh = 1;
  parameters.memory.controller.writeLow = 0;
  constexpr uint64_t times = 3, words = 64;
  H harness(parameters, 8 * words);
  for (unsigned i = 0; i < parameters.cores; ++i)
    harness.call(i, "increments", {times, H::address(i), lineBytes, words});
  harness.run();
  harness.machine.drain();
  EXPECT_EQ(harness.machine.waits(), "");
  for (uint64_t word = 0; word < 8 * words; ++word)
    EXPECT_EQ(harness.data[word], word % 8 < parameters.cores ? times : 0);
}

TEST(MachineProgram, MoreOfSomethingIsNotMuchSlower) {
  auto cyclesOf = [](const MachineParameters &parameters) {
    H harness(parameters, 1 << 16);
    for (size_t i = 0; i < 4096; ++i)
      harness.data[i] = i * 40503 % 61440 + 4096;
    harness.call(0, "gather", {4096, H::address(0), H::address(0), 0});
    return static_cast<double>(harness.run());
  };
  MachineParameters paper;
  double before = cyclesOf(paper);
  MachineParameters more = paper;
  more.core.reorderBuffer *= 2;
  more.core.issueQueue *= 2;
  more.core.loadQueue *= 2;
  more.core.generalRegisters *= 2;
  EXPECT_LE(cyclesOf(more), before * 1.02);
  more.l1d.mshrs *= 2;
  more.l2.mshrs *= 2;
  EXPECT_LT(cyclesOf(more), before);
}

// The L1D sees the indices that the program loads.
TEST(MachineProgram, IndirectPrefetcherIsAheadOfGathers) {
  auto cyclesOf = [](PrefetcherKind kind) {
    MachineParameters parameters;
    parameters.core.reorderBuffer = parameters.core.issueQueue = 32;
    parameters.l1d.prefetcher.kind = kind;
    H harness(parameters, 1 << 18);
    for (size_t i = 0; i < 4096; ++i)
      harness.data[i] = i * 40503 % 245760 + 4096;
    harness.call(0, "gather", {4096, H::address(0), H::address(0), 0});
    return static_cast<double>(harness.run());
  };
  double stride = cyclesOf(PrefetcherKind::stride);
  EXPECT_LT(cyclesOf(PrefetcherKind::indirect), stride * 0.8);
  EXPECT_LT(stride, cyclesOf(PrefetcherKind::none));
}

namespace {
/// Never answers.
struct Silence final : MemoryPort {
  bool accept(const Request &) override { return true; }
};
struct Nothing final : DeviceHandler {
  void load(uint64_t, void *bytes, unsigned size) override {
    std::memset(bytes, 0, size);
  }
  void store(uint64_t, const void *, unsigned) override {}
};
} // namespace

TEST(MachineProgram, WatchdogSaysWhoWaits) {
  MachineParameters parameters;
  H harness(parameters, 1024);
  Nothing handler;
  llvm::cantFail(harness.guest.mapDevice("queue", 0x90000000, 4096, handler));
  Emulator &emulator = harness.call(0, "chase", {4, 0x90000000});
  Silence silence;
  Machine machine(parameters);
  machine.setProgram(0, emulator, &silence);
  std::string message = llvm::toString(machine.run());
  EXPECT_NE(message.find("nothing is on its way any more"), std::string::npos)
      << message;
  EXPECT_NE(message.find("core0: instruction"), std::string::npos) << message;
}
