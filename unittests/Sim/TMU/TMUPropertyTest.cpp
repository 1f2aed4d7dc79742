//===- TMUPropertyTest.cpp - Random programs on random machines -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueueReader.h"
#include "RandomProgram.h"
#include "ReferenceUnit.h"

using namespace ember::sim;

namespace {
MachineParameters randomMachine(std::mt19937_64 &random) {
  MachineParameters parameters = quietMachine();
  auto upTo = [&](uint64_t most) { return 1 + random() % most; };
  parameters.cores = 1;
  parameters.slices = upTo(3);
  parameters.mesh.columns = upTo(3);
  parameters.mesh.rows = upTo(3);
  for (CacheParameters *cache : {&parameters.l1d, &parameters.l2}) {
    cache->mshrs = upTo(8);
    cache->queue = upTo(8);
    cache->ports = upTo(3);
    cache->writeBackBuffers = upTo(4);
    cache->prefetchReserve = 0;
  }
  parameters.l1d.size = 4096;
  parameters.l2.size = 16384;
  parameters.lastLevel.size = 16384;
  parameters.lastLevel.mshrs = upTo(8);
  if (random() % 2)
    parameters.l1Tlb.pageSize = parameters.l2Tlb.pageSize = 4096;
  parameters.l2Tlb.entries = parameters.l2Tlb.ways = upTo(4);
  parameters.l2Tlb.misses = upTo(3);
  TMUParameters &tmu = parameters.tmu;
  static constexpr double clocks[] = {1, 2, 0.5, 2.4, 1.2};
  tmu.clock = clocks[random() % 5];
  tmu.laneStorage = 1 << 20;
  tmu.outstanding = random() % 2 ? upTo(4) : upTo(200);
  tmu.requestsPerCycle = upTo(3);
  tmu.coalescing = static_cast<Coalescing>(random() % 3);
  tmu.stepsPerCycle = upTo(3);
  tmu.fiberCycles = upTo(3);
  tmu.switchCycles = random() % 3;
  tmu.pushesPerCycle = upTo(3);
  tmu.marshalBytes = 8 << random() % 5;
  tmu.chunks = upTo(4);
  tmu.outputLines = upTo(5);
  tmu.storeLines = 1 + upTo(5);
  tmu.deviceCycles = random() % 20;
  tmu.launchCycles = random() % 20;
  return parameters;
}

/// A program with its inputs, and what it makes of them.
struct Case {
  explicit Case(uint64_t seed) : inputs(seed), outputs(seed) {
    // Most texts are valid; the others are made again.
    for (uint64_t attempt = 0;; ++attempt) {
      text = RandomProgram(seed * 1000 + attempt).make();
      llvm::Expected<Configuration> read = Configuration::parse(text);
      if (read) {
        configuration = std::move(*read);
        break;
      }
      llvm::consumeError(read.takeError());
    }
    for (std::vector<uint64_t> &array : inputs.arrays)
      captures.push_back(guest.map(array));
    captures.insert(captures.end(), inputs.scalars.begin(),
                    inputs.scalars.end());
    llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
    ReferenceUnit unit(
        *(*value.getAsObject()->getArray("programs"))[0].getAsObject(),
        captures, [&](uint64_t address, uint64_t bytes) -> uint8_t * {
          for (size_t i = 0; i < std::size(outputs.arrays); ++i)
            if (address >= captures[i] &&
                address + bytes <= captures[i] + RandomArrays::words * 8)
              return reinterpret_cast<uint8_t *>(outputs.arrays[i].data()) +
                     (address - captures[i]);
          return nullptr;
        });
    unit.run();
    chunks = unit.chunks;
    failed = unit.failed;
    pushedBytes = unit.pushedBytes;
    tokens = unit.tokens;
    operands = unit.operands;
  }

  GuestHarness guest;
  /// Before the run, and after that of the reference.
  RandomArrays inputs, outputs;
  std::string text;
  Configuration configuration;
  std::vector<uint64_t> captures;
  std::vector<std::vector<uint8_t>> chunks;
  bool failed = false;
  uint64_t pushedBytes = 0, tokens = 0, operands = 0;
};
} // namespace

TEST(TMUProperty, ChunksAreThoseOfALoopNest) {
  uint64_t lines = 0, failed = 0, chunks = 0, stored = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Case program(seed);
    std::mt19937_64 random(seed);
    UnitHarness harness(program.guest, randomMachine(random),
                        program.configuration);
    QueueReader reader(harness, 0, program.guest.block(program.captures),
                       program.chunks.size(), 192, random() % 200);
    reader.run();
    ASSERT_TRUE(reader.isDone()) << seed << "\n" << harness.machine.waits();
    std::string error = llvm::toString(harness.units[0].takeError());
    ASSERT_EQ(!error.empty(), program.failed) << seed << error;
    ASSERT_EQ(reader.result, program.failed);
    ASSERT_EQ(reader.chunks, program.chunks) << seed;
    for (size_t i = 0; i < std::size(program.inputs.arrays); ++i)
      ASSERT_EQ(program.inputs.arrays[i], program.outputs.arrays[i])
          << seed << " array " << i;
    // Each pushed byte is written once, and lines are loaded as a whole.
    const auto &pushes = harness.units[0].pushes();
    EXPECT_EQ(pushes.pushedBytes, program.pushedBytes) << seed;
    EXPECT_EQ(pushes.tokens, program.tokens) << seed;
    EXPECT_EQ(pushes.operands, program.operands) << seed;
    EXPECT_EQ(pushes.chunks, program.chunks.size());
    EXPECT_EQ(harness.units[0].lines().loadedBytes,
              harness.units[0].lines().lines * lineBytes);
    EXPECT_TRUE(harness.units[0].isIdle());
    lines += harness.units[0].lines().lines;
    stored += harness.units[0].lines().storedLines;
    failed += program.failed;
    chunks += program.chunks.size();
  }
  // The programs are not trivial.
  EXPECT_GT(lines, 5000u);
  EXPECT_GT(chunks, 1000u);
  EXPECT_GT(stored, 100u);
  EXPECT_GT(failed, 5u);
  EXPECT_LT(failed, 200u);
}

TEST(TMUProperty, NoProgramHarms) {
  // Texts with a few changed characters: what is still valid is run for a time.
  std::mt19937_64 random(1);
  unsigned valid = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::string text = RandomProgram(seed).make();
    for (uint64_t left = 1 + random() % 3; left; --left) {
      size_t at = text.find_first_of("0123456789", random() % text.size());
      if (at != std::string::npos)
        text.replace(at, 1, std::to_string(random() % 10));
    }
    llvm::Expected<Configuration> read = Configuration::parse(text);
    if (!read) {
      llvm::consumeError(read.takeError());
      continue;
    }
    ++valid;
    MachineParameters parameters = randomMachine(random);
    for (const TMUProgram &program : read->programs)
      if (llvm::Error error = parameters.tmu.fits(program)) {
        llvm::consumeError(std::move(error));
        parameters.tmu.lanes = 256;
        parameters.tmu.layers = 64;
        parameters.tmu.laneStorage = 1 << 24;
        parameters.tmu.chunkBytes = 1 << 24;
      }
    GuestHarness guest;
    RandomArrays arrays(seed);
    std::vector<uint64_t> captures;
    for (std::vector<uint64_t> &array : arrays.arrays)
      captures.push_back(guest.map(array));
    captures.insert(captures.end(), arrays.scalars.begin(),
                    arrays.scalars.end());
    UnitHarness harness(guest, parameters, std::move(*read));
    QueueReader reader(harness, 0, guest.block(captures), 0, 0);
    Engine &engine = harness.machine.clockwork();
    engine.runUntil(ticksOf(3000));
    (void)harness.machine.waits();
    llvm::consumeError(harness.units[0].takeError());
  }
  EXPECT_GT(valid, 50u);
}
