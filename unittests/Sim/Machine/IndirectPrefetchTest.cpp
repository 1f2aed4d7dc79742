//===- IndirectPrefetchTest.cpp - An engine that prefetches rows ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineHarness.h"

#include "ember/Sim/Indirection/IndirectPrefetchEngine.h"

using namespace ember::sim;

namespace {
constexpr uint64_t registers = 0x700000000;

/// A core that sums the first words of rows of 64 bytes, each when the one
/// before is there.
struct RowsHarness {
  static constexpr uint64_t count = 1000, tableRows = 4096, wordsOfRow = 8;
  static constexpr uint64_t descriptor = 0, indices = 8;
  static constexpr uint64_t table = indices + count;

  explicit RowsHarness(bool hasEngine, const MachineParameters &parameters =
                                           withoutPrefetchers())
      : harness(parameters, table + tableRows * wordsOfRow) {
    for (uint64_t i = 0; i < count; ++i)
      harness.data[indices + i] = i * 2654435761u % tableRows;
    for (uint64_t row = 0; row < tableRows; ++row)
      harness.data[table + row * wordsOfRow] = row;
    uint64_t words[] = {MachineHarness::address(indices), 8,  count,
                        MachineHarness::address(table),   64, 64};
    llvm::copy(words, harness.data.begin() + descriptor);
    if (!hasEngine)
      return;
    Machine &machine = harness.machine;
    engine.emplace("engine", machine.description().indirection,
                   machine.unitPorts(0, 1), harness.guest);
    llvm::cantFail(engine->map(registers));
    machine.attach(0, *engine, "indirection");
  }

  uint64_t run() {
    Emulator &emulator = harness.call(0, "rows",
                                      {count, MachineHarness::address(table),
                                       MachineHarness::address(indices), 0, 0,
                                       engine ? registers : 0,
                                       MachineHarness::address(descriptor)});
    uint64_t cycles = harness.run();
    sum = emulator.state().x[3];
    harness.machine.drain();
    return cycles;
  }
  int64_t counted(llvm::StringRef name) {
    llvm::json::Object all = harness.machine.statistics();
    return *all.getObject("core0")->getObject("indirection")->getInteger(name);
  }

  MachineHarness harness;
  std::optional<IndirectPrefetchEngine> engine;
  uint64_t sum = 0;
};
} // namespace

TEST(IndirectPrefetch, RowsAreThereBeforeTheyAreAskedFor) {
  RowsHarness plain(false), helped(true);
  uint64_t before = plain.run(), after = helped.run();
  EXPECT_EQ(helped.sum, plain.sum);
  // A row from memory, or one from the L2.
  EXPECT_GT(before, RowsHarness::count * 150);
  EXPECT_LT(after, RowsHarness::count * 50);
  EXPECT_EQ(helped.counted("lookups"), 1);
  // All rows but the first one, and all lines of indices.
  EXPECT_EQ(helped.counted("rowLines"), RowsHarness::count - 1);
  EXPECT_EQ(helped.counted("indexLines"), RowsHarness::count / 8);
  EXPECT_EQ(helped.counted("dropped"), 0);
  EXPECT_TRUE(helped.engine->isIdle());
}

TEST(IndirectPrefetch, ALongerDistanceHidesMore) {
  MachineParameters near = withoutPrefetchers();
  near.indirection.distance = 1;
  near.indirection.outstanding = 1;
  RowsHarness narrow(true, near), wide(true);
  EXPECT_GT(narrow.run(), 2 * wide.run());
  EXPECT_EQ(narrow.sum, wide.sum);
}

TEST(IndirectPrefetch, RowsThatDoNotExistAreLeftOut) {
  RowsHarness rows(true);
  // What is not looked up may be anything.
  uint64_t words[] = {MachineHarness::address(RowsHarness::indices),
                      8,
                      RowsHarness::count,
                      MachineHarness::address(0),
                      1 << 20,
                      64};
  llvm::copy(words, rows.harness.data.begin());
  rows.run();
  EXPECT_GT(rows.counted("outside"), 0);
  EXPECT_EQ(rows.counted("outside") + rows.counted("rowLines"),
            RowsHarness::count - 1);
}

TEST(IndirectPrefetch, WhatDoesNotFitTheQueueIsDropped) {
  MachineParameters small = withoutPrefetchers();
  small.indirection.queue = 2;
  RowsHarness rows(true, small);
  rows.run();
  EXPECT_GT(rows.counted("dropped"), 0);
  EXPECT_TRUE(rows.engine->isIdle());
}

TEST(IndirectPrefetch, WrongDescriptionsAreErrors) {
  RowsHarness rows(true);
  rows.harness.data[1] = 3;
  rows.harness.call(0, "rows",
                    {8, MachineHarness::address(RowsHarness::table),
                     MachineHarness::address(RowsHarness::indices), 0, 0,
                     registers, MachineHarness::address(0)});
  EXPECT_EQ(llvm::toString(rows.harness.machine.run()),
            "engine: indices of 3 bytes");
}
