//===- FastForwardTest.cpp - Without time, and with samples of it ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"
#include "ember/Sim/Machine/SampledRun.h"

#include "llvm/Support/FormatVariadic.h"

#include <functional>
#include <map>
#include <random>

using namespace ember::sim;

namespace {
/// Small enough for lines to be replaced, shared and taken back all the time.
MachineParameters smallMachine(std::mt19937_64 &random) {
  MachineParameters parameters;
  parameters.cores = 1 + random() % 4;
  parameters.slices = 1 + random() % 3;
  auto policy = [&] { return static_cast<Replacement>(random() % 3); };
  parameters.l1d.size = 8 * lineBytes;
  parameters.l1d.ways = 2;
  parameters.l1d.replacement = policy();
  parameters.l2.size = 32 * lineBytes;
  parameters.l2.ways = 4;
  parameters.l2.replacement = policy();
  parameters.l2.inclusive = random() % 2;
  parameters.lastLevel.size = 32 * lineBytes;
  parameters.lastLevel.ways = 4;
  parameters.lastLevel.replacement = policy();
  if (random() % 2) {
    parameters.lastLevel.directoryEntries = 64;
    parameters.lastLevel.directoryWays = 4;
  }
  parameters.l1d.prefetcher.kind = PrefetcherKind::none;
  parameters.l2.prefetcher.kind = PrefetcherKind::none;
  return parameters;
}

using Lines = std::map<uint64_t, LineState>;
Lines linesOf(const TagArray &array) {
  Lines lines;
  for (const TagArray::Entry &entry : array.all())
    if (entry.state != LineState::invalid)
      lines[entry.key] = entry.state;
  return lines;
}

std::string countsOf(Machine &machine) {
  return llvm::formatv("{0}", llvm::json::Value(machine.statistics())).str();
}
} // namespace

TEST(FastForward, LeavesWhatTimeLeaves) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    MachineParameters parameters = smallMachine(random);
    ASSERT_FALSE(static_cast<bool>(parameters.validate()));
    Machine timed(parameters), warmed(parameters);
    std::string before = countsOf(warmed);
    for (unsigned core = 0; core < parameters.cores; ++core) {
      warmed.l1d(core).beginWarming();
      warmed.l2(core).beginWarming();
    }
    for (unsigned slice = 0; slice < parameters.slices; ++slice)
      warmed.slice(slice).beginWarming();
    for (unsigned i = 0; i < 1500; ++i) {
      auto core = static_cast<unsigned>(random() % parameters.cores);
      Request request;
      request.line = random() % 200;
      request.access = random() % 3 ? Access::read : Access::own;
      Generator one(timed.clockwork(), timed.l1d(core), 1, 1, [&](uint64_t) {
        return std::pair(request.line, request.access);
      });
      one.pump();
      timed.drain();
      ASSERT_EQ(one.completed, 1u);
      warmed.l1d(core).warm(request);
      for (unsigned each = 0; each < parameters.cores; ++each) {
        ASSERT_EQ(linesOf(timed.l1d(each).array()),
                  linesOf(warmed.l1d(each).array()))
            << seed << " " << i;
        ASSERT_EQ(linesOf(timed.l2(each).array()),
                  linesOf(warmed.l2(each).array()))
            << seed << " " << i;
      }
      for (unsigned each = 0; each < parameters.slices; ++each) {
        ASSERT_EQ(linesOf(timed.slice(each).array()),
                  linesOf(warmed.slice(each).array()))
            << seed << " " << i;
        Holders expected = timed.slice(each).holders(request.line);
        Holders found = warmed.slice(each).holders(request.line);
        ASSERT_EQ(expected.sharers, found.sharers) << seed << " " << i;
        ASSERT_EQ(expected.owner, found.owner) << seed << " " << i;
      }
    }
    for (unsigned core = 0; core < parameters.cores; ++core) {
      warmed.l1d(core).endWarming();
      warmed.l2(core).endWarming();
    }
    for (unsigned slice = 0; slice < parameters.slices; ++slice)
      warmed.slice(slice).endWarming();
    EXPECT_EQ(countsOf(warmed), before);
    EXPECT_EQ(warmed.clockwork().now(), 0u);
  }
}

namespace {
using H = MachineHarness;

/// A program on all cores, and what it needs.
struct SampledProgram {
  const char *name;
  uint64_t words;
  /// Fills the memory of all cores and calls the function on each.
  std::function<void(H &)> begin;
};

constexpr uint64_t gathered = 12000, tableWords = 1 << 15;

std::vector<SampledProgram> programs(unsigned cores) {
  std::vector<SampledProgram> all;
  all.push_back({"mix", 8192 * cores, [=](H &harness) {
                   for (unsigned i = 0; i < cores; ++i)
                     harness.call(
                         i, "mix",
                         {8000, H::address(8192 * i), 8192 * 8 - 8, i + 1});
                 }});
  // All of the table at first, and a small part of it later.
  all.push_back({"gather", tableWords + gathered * cores, [=](H &harness) {
                   std::mt19937_64 random(3);
                   for (unsigned i = 0; i < cores; ++i) {
                     uint64_t indices = tableWords + gathered * i;
                     for (uint64_t k = 0; k < gathered; ++k)
                       harness.data[indices + k] =
                           random() % (k < gathered / 2 ? tableWords : 1024);
                     harness.call(
                         i, "gather",
                         {gathered, H::address(0), H::address(indices), 0});
                   }
                 }});
  // Stores to lines that stay in the L1D.
  all.push_back({"increments", 512 * cores, [=](H &harness) {
                   for (unsigned i = 0; i < cores; ++i)
                     harness.call(i, "increments",
                                  {150, H::address(512 * i), lineBytes, 64});
                 }});
  return all;
}

Tick endOf(Machine &machine) {
  Tick end = 0;
  for (unsigned i = 0; i < machine.description().cores; ++i)
    end = std::max(end, machine.core(i).finishedAt());
  return end;
}
} // namespace

TEST(SampledRun, TheTimeOfAllLiesInTheInterval) {
  for (unsigned cores : {1, 4})
    for (const SampledProgram &program : programs(cores)) {
      SCOPED_TRACE(::testing::Message() << program.name << " on " << cores);
      MachineParameters parameters;
      parameters.cores = cores;
      H full(parameters, program.words), sampled(parameters, program.words);
      program.begin(full);
      program.begin(sampled);
      full.run();
      SamplingParameters sampling;
      sampling.period = 3000;
      sampling.window = 300;
      sampling.warmUp = 300;
      SampledRun run(sampled.machine, sampling);
      EXPECT_EQ(llvm::toString(run.run()), "");
      EXPECT_EQ(sampled.data, full.data);
      for (unsigned i = 0; i < cores; ++i) {
        EXPECT_EQ(sampled.emulators[i]->state().x[3],
                  full.emulators[i]->state().x[3]);
        EXPECT_TRUE(sampled.machine.core(i).finished());
      }
      auto time = static_cast<double>(endOf(full.machine));
      EXPECT_LE(run.estimate().low, time);
      EXPECT_GE(run.estimate().high, time);
      EXPECT_LE(run.estimate().low, run.estimate().ticks);
      EXPECT_GE(run.estimate().high, run.estimate().ticks);
      // It says something.
      EXPECT_NEAR(run.estimate().ticks, time, 0.25 * time);
      EXPECT_LT(run.estimate().high - run.estimate().low, time);
      EXPECT_GE(run.windows(), 8 * cores);
      uint64_t detailed = 0, executed = 0;
      for (unsigned i = 0; i < cores; ++i) {
        detailed += sampled.machine.core(i).counters().instructions;
        executed += sampled.emulators[i]->executed();
      }
      EXPECT_EQ(run.instructions(), executed);
      EXPECT_EQ(run.detailedInstructions(), detailed);
      EXPECT_LT(detailed, executed / 2);
    }
}

TEST(SampledRun, ShortRunsTakeAsLongAsTheyDo) {
  MachineParameters parameters;
  parameters.cores = 2;
  SampledProgram program = programs(2)[0];
  H full(parameters, program.words), sampled(parameters, program.words);
  program.begin(full);
  program.begin(sampled);
  full.run();
  SamplingParameters sampling;
  sampling.period = 1 << 20;
  SampledRun run(sampled.machine, sampling);
  EXPECT_EQ(llvm::toString(run.run()), "");
  auto time = static_cast<double>(endOf(full.machine));
  EXPECT_EQ(run.estimate().ticks, time);
  EXPECT_EQ(run.estimate().low, time);
  EXPECT_EQ(run.estimate().high, time);
  EXPECT_EQ(run.windows(), 0u);
  EXPECT_EQ(run.instructions(), run.detailedInstructions());
}

TEST(SampledRun, SaysWhatIsTooShort) {
  MachineParameters parameters;
  parameters.cores = 1;
  SampledProgram program = programs(1)[0];
  H harness(parameters, program.words);
  program.begin(harness);
  SamplingParameters sampling;
  sampling.period = 100000;
  SampledRun run(harness.machine, sampling);
  std::string error = llvm::toString(run.run());
  EXPECT_NE(error.find("instructions has less than two windows: run it in "
                       "full, or with a shorter period than 100000"),
            std::string::npos)
      << error;
  sampling.period = 1000;
  EXPECT_EQ(llvm::toString(sampling.validate()),
            "a period of 1000 instructions is less than twice the 12000 in "
            "detail");
  sampling.window = 0;
  EXPECT_EQ(llvm::toString(sampling.validate()),
            "a window to be measured has no instructions");
}
