//===- MemoryControllerTest.cpp - Policies of controllers -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryHarness.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember::sim;

static unsigned count(const MemoryHarness &harness, DRAMCommand command) {
  return llvm::count_if(harness.checker.seen(), [&](const DRAMEvent &event) {
    return event.command == command;
  });
}

TEST(MemoryController, ServesRowHitsBeforeOlderRequests) {
  MemoryHarness harness(oneController());
  uint64_t first = harness.send(0, place(0, 0, 0));
  uint64_t conflict = harness.send(0, place(0, 0, 1));
  uint64_t hit = harness.send(0, place(0, 0, 0, 1));
  harness.run();
  harness.expectLegal();
  EXPECT_LT(harness.completed[first], harness.completed[hit]);
  EXPECT_LT(harness.completed[hit], harness.completed[conflict]);
  EXPECT_EQ(count(harness, DRAMCommand::activate), 2u);
}

TEST(MemoryController, LetsNoRequestStarve) {
  // One row is asked for without end, the other row of its bank once.
  auto latencyOf = [](double ageCap) {
    MemoryParameters parameters = oneController();
    parameters.controller.ageCap = ageCap;
    MemoryHarness harness(parameters);
    uint64_t other = harness.send(ticksOf(100), place(0, 0, 1));
    const AddressMapping &mapping = harness.memory.mapping();
    uint32_t column = 0;
    harness.stream(3000, 32, [&] {
      return std::pair(mapping.lineAt(place(0, 0, 0, ++column % 16)),
                       Access::read);
    });
    harness.expectLegal();
    return nanosecondsOf(harness.completed[other]) - 100;
  };
  // After the cap what is left is at most a conflict behind the last hit.
  double conflict = 20 + (17 + 17 + 17 + 4 + 2) / 1.2;
  for (double cap : {200.0, 1000.0, 5000.0}) {
    EXPECT_GT(latencyOf(cap), cap);
    EXPECT_LT(latencyOf(cap), cap + conflict + 10) << cap;
  }
  EXPECT_GT(latencyOf(1e9), 10000);
}

TEST(MemoryController, HoldsWritesUntilThereAreMany) {
  MemoryParameters parameters = oneController();
  parameters.controller.writeHigh = 20;
  parameters.controller.writeLow = 5;
  MemoryHarness harness(parameters);
  // Reads without a pause, and a write each 40 ns.
  for (unsigned i = 0; i < 600; ++i)
    harness.send(ticksOf(6 * i), place(i % 4, 0, 0, i / 4 % 16));
  for (unsigned i = 0; i < 90; ++i)
    harness.send(ticksOf(40 * i), place(i % 4, 1, 0, i / 4 % 16), Access::fill);
  harness.run();
  harness.expectLegal();
  // How many lines each turn to writes wrote.
  std::vector<unsigned> turns;
  bool writing = false;
  for (const DRAMEvent &event : harness.checker.seen()) {
    if (event.command == DRAMCommand::read)
      writing = false;
    if (event.command != DRAMCommand::write)
      continue;
    if (!writing)
      turns.push_back(0);
    writing = true;
    ++turns.back();
  }
  EXPECT_EQ(harness.completions, 690u);
  EXPECT_EQ(harness.memory.total(&MemoryCounters::writes) +
                harness.memory.total(&MemoryCounters::mergedWrites),
            90u);
  ASSERT_GE(turns.size(), 4u);
  // From 20 down to 5 of two bursts each, all but the last turn, which is at
  // rest; a line more or less has one of its bursts in the next turn.
  for (unsigned bursts : llvm::ArrayRef(turns).drop_back().drop_back())
    EXPECT_NEAR(bursts, 2 * 15, 4);
}

TEST(MemoryController, AnswersReadsFromWritesThatWait) {
  MemoryParameters parameters = oneController();
  MemoryHarness harness(parameters);
  uint64_t write = harness.send(0, place(0, 0, 0), Access::fill);
  uint64_t again = harness.send(1, place(0, 0, 0), Access::fill);
  uint64_t read = harness.send(2, place(0, 0, 0));
  harness.run();
  harness.expectLegal();
  // Writes are there once they are in the queue.
  EXPECT_EQ(harness.completed[write], ticksOf(10));
  EXPECT_EQ(harness.completed[again], ticksOf(10) + 1);
  EXPECT_EQ(harness.completed[read], ticksOf(10) + 2 + ticksOf(10));
  EXPECT_EQ(harness.memory.total(&MemoryCounters::forwardedReads), 1u);
  EXPECT_EQ(harness.memory.total(&MemoryCounters::mergedWrites), 1u);
  EXPECT_EQ(harness.memory.total(&MemoryCounters::bytesWritten), lineBytes);
  EXPECT_EQ(harness.memory.total(&MemoryCounters::bytesRead), 0u);
}

TEST(MemoryController, TurnsRequestsAwayAndCallsBackLater) {
  struct Asker final : Requester {
    void complete(const Request &) override { ++completions; }
    void retry() override {
      ++retries;
      retriedAt = engine->now();
    }
    Engine *engine = nullptr;
    unsigned completions = 0;
    unsigned retries = 0;
    Tick retriedAt = 0;
  } asker;
  Engine engine;
  asker.engine = &engine;
  MemoryParameters parameters = oneController();
  parameters.controller.readQueue = 4;
  MemorySystem memory(engine, parameters);
  Request request;
  request.requester = &asker;
  for (unsigned i = 0; i < 4; ++i, ++request.line)
    EXPECT_TRUE(memory.accept(request));
  EXPECT_FALSE(memory.accept(request));
  EXPECT_FALSE(memory.accept(request));
  request.access = Access::fill;
  EXPECT_TRUE(memory.accept(request));
  EXPECT_NE(memory.waits().size() + 1, 0u);
  while (engine.step()) {
  }
  EXPECT_EQ(asker.retries, 1u);
  EXPECT_GT(asker.retriedAt, ticksOf(10));
  EXPECT_EQ(asker.completions, 5u);
  EXPECT_EQ(memory.waits(), "");
}

TEST(MemoryController, NamesWhatWaits) {
  Engine engine;
  MemorySystem memory(engine, plainMemory());
  Request request;
  request.line = 0x40;
  EXPECT_TRUE(memory.accept(request));
  engine.runUntil(ticksOf(15));
  EXPECT_EQ(memory.waits(), "memory channel 0.0: 1 reads and 0 writes, the "
                            "oldest of line 0x40 since 0 ns\n");
}

TEST(MemoryController, ClosesRowsByPolicy) {
  auto run = [](PagePolicy policy) {
    MemoryParameters parameters = oneController();
    parameters.controller.page = policy;
    MemoryHarness harness(parameters);
    harness.send(0, place(0, 0, 0));
    harness.send(ticksOf(500), place(0, 0, 0, 1));
    harness.send(ticksOf(1000), place(0, 0, 1));
    harness.run();
    harness.expectLegal();
    return std::tuple(harness.memory.total(&MemoryCounters::rowHits),
                      harness.memory.total(&MemoryCounters::rowMisses),
                      harness.memory.total(&MemoryCounters::rowConflicts));
  };
  EXPECT_EQ(run(PagePolicy::open), std::tuple(1u, 1u, 1u));
  EXPECT_EQ(run(PagePolicy::closed), std::tuple(0u, 3u, 0u));
  EXPECT_EQ(run(PagePolicy::adaptive), std::tuple(1u, 1u, 1u));
}

TEST(MemoryController, LearnsForHowLongToKeepARow) {
  // Ever another row, each 400 ns: an open row is never of use, and a bank that
  // learns soon closes it before the next request.
  auto conflicts = [](PagePolicy policy) {
    MemoryParameters parameters = oneController();
    parameters.controller.page = policy;
    MemoryHarness harness(parameters);
    for (unsigned i = 0; i < 100; ++i)
      harness.send(ticksOf(400 * i), place(0, 0, i));
    harness.run();
    harness.expectLegal();
    return harness.memory.total(&MemoryCounters::rowConflicts);
  };
  EXPECT_EQ(conflicts(PagePolicy::open), 99u);
  EXPECT_EQ(conflicts(PagePolicy::closed), 0u);
  EXPECT_LT(conflicts(PagePolicy::adaptive), 5u);
}

TEST(MemoryController, RefreshesAsOftenAsItHasTo) {
  for (Refresh refresh : {Refresh::allBanks, Refresh::perBank})
    for (bool stagger : {false, true})
      for (uint64_t ranks : {1, 2}) {
        MemoryParameters parameters = plainMemory();
        parameters.geometry.ranks = ranks;
        parameters.controller.refresh = refresh;
        parameters.controller.staggerRefresh = stagger;
        MemoryHarness harness(parameters);
        std::mt19937_64 random(11);
        harness.stream(6000, 16, [&] {
          return std::pair(random() % 100000, Access::read);
        });
        harness.expectLegal();
        harness.memory.settle();
        Tick slack = ticksOf(200);
        harness.checker.checkRefreshes(harness.lastCompletion, slack);
        harness.expectLegal();
        // The first refreshes are spread over an interval, or are at its end.
        double intervals = harness.nanoseconds() / 3900;
        double ofInterval =
            16.0 * ranks * (refresh == Refresh::perBank ? 16 : 1);
        EXPECT_GT(intervals, 5);
        EXPECT_NEAR(harness.memory.total(&MemoryCounters::refreshes),
                    (intervals - 0.5) * ofInterval, 1.1 * ofInterval);
      }
}

TEST(MemoryController, IsInIdleNothingThatHappens) {
  MemoryHarness harness(hbm2());
  harness.send(0, place(0, 0, 0));
  harness.run();
  EXPECT_TRUE(harness.engine.empty());
  EXPECT_LT(harness.engine.now(), ticksOf(100));
}
