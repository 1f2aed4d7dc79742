//===- EngineTest.cpp - Events in order
//------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Engine/Engine.h"

#include "gtest/gtest.h"

#include <random>
#include <utility>
#include <vector>

using namespace ember::sim;

namespace {
/// Notes when it was called, and with what.
struct Recorder : EventHandler {
  explicit Recorder(Engine &engine) : engine(engine) {}
  void handle(uint64_t argument) override {
    calls.push_back({engine.now(), argument});
  }
  Engine &engine;
  std::vector<std::pair<Tick, uint64_t>> calls;
};

/// Schedules an event a random time later, again and again.
struct Repeater final : EventHandler {
  Repeater(Engine &engine, unsigned seed) : engine(engine), random(seed) {}
  void handle(uint64_t due) override {
    EXPECT_EQ(engine.now(), due);
    if (!left--)
      return;
    Tick at = engine.now() + (random() % 4 ? random() % 300 : random() % 20000);
    engine.schedule(at, *this, at);
  }
  Engine &engine;
  std::mt19937 random;
  int left = 2000;
};
} // namespace

TEST(Engine, HandlesEventsInTheOrderOfTheirTicks) {
  Engine engine;
  Recorder recorder(engine);
  for (Tick at : {70000, 5, 4096, 0, 4095, 8192, 5, 63, 64})
    engine.schedule(at, recorder, at);
  EXPECT_FALSE(engine.empty());
  while (engine.step()) {
  }
  std::vector<std::pair<Tick, uint64_t>> expected;
  for (Tick at : {0, 5, 5, 63, 64, 4095, 4096, 8192, 70000})
    expected.push_back({at, at});
  EXPECT_EQ(recorder.calls, expected);
  EXPECT_EQ(engine.handled(), expected.size());
  EXPECT_TRUE(engine.empty());
}

TEST(Engine, KeepsTheOrderOfSchedulingWithinATick) {
  Engine engine;
  Recorder recorder(engine);
  engine.schedule(10000, recorder, 1);
  engine.schedule(9000, recorder, 0);
  engine.step();
  // Now near enough for the wheel, where the first one already stands.
  engine.schedule(10000, recorder, 2);
  engine.step();
  EXPECT_EQ(recorder.calls.size(), 3u);
  EXPECT_EQ(recorder.calls[1].second, 1u);
  EXPECT_EQ(recorder.calls[2].second, 2u);
}

TEST(Engine, TakesEventsForTheCurrentTick) {
  Engine engine;
  Recorder recorder(engine);
  struct Chain : EventHandler {
    void handle(uint64_t argument) override {
      engine->schedule(engine->now(), *next, argument);
    }
    Engine *engine;
    EventHandler *next;
  } chain;
  chain.engine = &engine;
  chain.next = &recorder;
  engine.schedule(3, chain, 7);
  engine.step();
  EXPECT_EQ(recorder.calls, (std::vector<std::pair<Tick, uint64_t>>{{3, 7}}));
}

TEST(Engine, HandlesEachOfManyEventsWhenItIsDue) {
  Engine engine;
  std::vector<Repeater> repeaters;
  repeaters.reserve(20);
  for (unsigned seed = 0; seed < 20; ++seed) {
    repeaters.emplace_back(engine, seed);
    engine.schedule(seed, repeaters.back(), seed);
  }
  Tick before = 0;
  while (engine.step()) {
    EXPECT_GE(engine.now(), before);
    before = engine.now();
  }
  EXPECT_EQ(engine.handled(), 20u * 2001u);
}

TEST(Engine, StopsAtAnEnd) {
  Engine engine;
  Recorder recorder(engine);
  for (Tick at : {1, 50, 51, 9000})
    engine.schedule(at, recorder, at);
  engine.runUntil(50);
  EXPECT_EQ(recorder.calls.size(), 2u);
  engine.runUntil(100000);
  EXPECT_EQ(recorder.calls.size(), 4u);
}

TEST(Clock, HasItsEdgesAtMultiplesOfItsPeriod) {
  Clock clock(5);
  EXPECT_EQ(clock.edge(0), 0u);
  EXPECT_EQ(clock.edge(1), 5u);
  EXPECT_EQ(clock.edge(5), 5u);
  EXPECT_EQ(clock.after(6, 2), 20u);
  EXPECT_DOUBLE_EQ(clock.gigahertz(), 2.4);
  EXPECT_EQ(ticksOf(15), 180u);
  EXPECT_EQ(ticksOf(0.01), 1u);
}
