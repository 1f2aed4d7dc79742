//===- ParallelLoopsTest.cpp - Loops in parts on several threads ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

// Counts how often each iteration of each loop runs.
struct LoopRun {
  std::vector<ember_loop> loops;
  std::vector<std::vector<int32_t>> counts;
  std::function<void(size_t, int64_t)> each = [](size_t, int64_t) {};
  int32_t parts = 0; // Atomic
  std::mutex lock;
  std::vector<ember_range> firstRanges; // those of the first loop

  void add(ember_loop loop) {
    loops.push_back(loop);
    counts.emplace_back(std::max<int64_t>(loop.upper - loop.lower, 0));
  }

  static void body(void *env, const ember_range *ranges) {
    LoopRun &run = *static_cast<LoopRun *>(env);
    __atomic_fetch_add(&run.parts, 1, __ATOMIC_RELAXED);
    {
      std::lock_guard guard(run.lock);
      if (!run.loops.empty())
        run.firstRanges.push_back(ranges[0]);
    }
    for (size_t k = 0; k < run.loops.size(); ++k)
      for (int64_t i = ranges[k].lower; i < ranges[k].upper; ++i) {
        __atomic_fetch_add(&run.counts[k][i - run.loops[k].lower], 1,
                           __ATOMIC_RELAXED);
        run.each(k, i);
      }
  }

  ember_error invoke() {
    static auto packed = [](void **args) {
      LoopRun &run = *static_cast<LoopRun *>(args[0]);
      ember_parallel(body, &run, run.loops.data(), run.loops.size());
    };
    void *args[] = {this};
    ember_error error;
    ember_invoke([](void **arguments) { packed(arguments); }, args, &error);
    return error;
  }

  bool ranEachOnce() const {
    for (const auto &ofLoop : counts)
      for (int32_t count : ofLoop)
        if (count != 1)
          return false;
    return true;
  }
};

ember_loop plainLoop(int64_t lower, int64_t upper, int64_t cost) {
  return {lower, upper, 1, cost, 0, nullptr, 0, 0, 0, 0};
}

template <typename Offset>
ember_loop segmentLoop(int64_t lower, int64_t upper,
                       const std::vector<Offset> &offsets,
                       int64_t firstOffset = 0) {
  return {lower,
          upper,
          1,
          1,
          10,
          offsets.data(),
          sizeof(Offset),
          sizeof(Offset),
          firstOffset,
          static_cast<int64_t>(offsets.size())};
}

class ParallelLoopsTest : public testing::Test {
protected:
  void configure(int32_t threads, int64_t work = 1) {
    ember_config config = {EMBER_DEFAULT_QUEUE_CAPACITY, EMBER_SCHEDULE_THREADS,
                           threads, work};
    ember_configure(&config);
  }
  ~ParallelLoopsTest() override { ember_configure(nullptr); }
};

} // namespace

TEST_F(ParallelLoopsTest, EveryIterationRunsOnce) {
  std::mt19937 random(7);
  for (int32_t round = 0; round < 300; ++round) {
    configure(1 + random() % 6, 1 + random() % 50);
    LoopRun run;
    std::vector<std::vector<int32_t>> offsets;
    offsets.reserve(5);
    for (uint32_t count = random() % 5; count > 0; --count) {
      int64_t lower = int64_t(random() % 20) - 10;
      int64_t upper = lower + int64_t(random() % 100) - 5;
      if (random() % 2 == 0 || upper < lower) {
        run.add(plainLoop(lower, upper, random() % 20));
        run.loops.back().group = 1 + random() % 9;
        continue;
      }
      std::vector<int32_t> ends(upper - lower + 1 + random() % 3);
      for (size_t i = 1; i < ends.size(); ++i)
        ends[i] = ends[i - 1] + (random() % 8 == 0 ? random() % 500 : 0);
      offsets.push_back(ends);
      run.add(segmentLoop(lower, upper, offsets.back(), -lower));
    }
    EXPECT_EQ(run.invoke().code, EMBER_OK);
    EXPECT_TRUE(run.ranEachOnce());
  }
}

TEST_F(ParallelLoopsTest, PartsBeginWithGroups) {
  configure(3);
  LoopRun run;
  run.add(plainLoop(-7, 1000, 3));
  run.loops.back().group = 16;
  EXPECT_EQ(run.invoke().code, EMBER_OK);
  EXPECT_TRUE(run.ranEachOnce());
  EXPECT_EQ(run.parts, 12);
  for (auto [lower, upper] : run.firstRanges)
    EXPECT_EQ((lower + 7) % 16, 0);
}

TEST_F(ParallelLoopsTest, PartsFollowTheSegments) {
  configure(2);
  std::vector<int64_t> offsets(101, 1000000);
  offsets[0] = 0; // all in the first segment
  LoopRun run;
  run.add(segmentLoop(0, 100, offsets));
  EXPECT_EQ(run.invoke().code, EMBER_OK);
  EXPECT_TRUE(run.ranEachOnce());
  std::vector<int64_t> lengths;
  for (auto [lower, upper] : run.firstRanges)
    if (lower == 0 && upper > 0)
      lengths.push_back(upper);
  EXPECT_EQ(lengths, std::vector<int64_t>{1});
}

// Nothing is read behind the offsets, and what is no order is some order.
TEST_F(ParallelLoopsTest, OddOffsets) {
  configure(3);
  std::vector<std::vector<int64_t>> cases = {
      {0, 5},
      {9, 3, 7, 1, 8, 2, 0, 4, 6},
      {INT64_MIN, INT64_MAX, 0, INT64_MIN},
      {}};
  for (const std::vector<int64_t> &offsets : cases) {
    LoopRun run;
    run.add(segmentLoop(0, 8, offsets));
    EXPECT_EQ(run.invoke().code, EMBER_OK);
    for (int32_t count : run.counts[0])
      EXPECT_GE(count, 1);
  }
  LoopRun run;
  run.add(segmentLoop(INT64_MAX - 3, INT64_MAX, cases[1], INT64_MAX));
  EXPECT_EQ(run.invoke().code, EMBER_OK);
  EXPECT_TRUE(run.ranEachOnce());
}

TEST_F(ParallelLoopsTest, TheFirstFailureIsReported) {
  for (int32_t threads : {1, 2, 5}) {
    configure(threads);
    for (int32_t round = 0; round < 100; ++round) {
      LoopRun run;
      run.add(plainLoop(0, 1000, 1));
      run.each = [](size_t, int64_t i) {
        if (i >= 300)
          ember_fail_message(std::to_string(i).c_str());
      };
      ember_error error = run.invoke();
      EXPECT_EQ(error.code, EMBER_ASSERT);
      EXPECT_STREQ(error.message, "300");
    }
  }
}

TEST_F(ParallelLoopsTest, MemoryOfFailedPartsIsFreed) {
  configure(3);
  for (int32_t round = 0; round < 50; ++round) {
    LoopRun run;
    run.add(plainLoop(0, 64, 1));
    run.each = [](size_t, int64_t i) {
      void *block = ember_alloc(1000, 8);
      if (i % 7 == 3)
        ember_fail_message("stop");
      ember_free(block);
    };
    EXPECT_EQ(run.invoke().code, EMBER_ASSERT);
  }
}

// A part that runs loops of its own does so on its thread.
TEST_F(ParallelLoopsTest, NestedLoops) {
  configure(4);
  LoopRun outer;
  outer.add(plainLoop(0, 40, 1));
  std::vector<LoopRun> inner(40);
  for (LoopRun &run : inner)
    run.add(plainLoop(0, 50, 1));
  outer.each = [&](size_t, int64_t i) {
    std::thread::id thread = std::this_thread::get_id();
    inner[i].each = [thread](size_t, int64_t) {
      if (std::this_thread::get_id() != thread)
        ember_fail_message("another thread");
    };
    ember_parallel(LoopRun::body, &inner[i], inner[i].loops.data(), 1);
  };
  EXPECT_STREQ(outer.invoke().message, "");
  EXPECT_TRUE(outer.ranEachOnce());
  for (const LoopRun &run : inner)
    EXPECT_TRUE(run.ranEachOnce());
}

TEST_F(ParallelLoopsTest, CallersAtOnce) {
  configure(3);
  std::vector<std::thread> callers;
  std::vector<int32_t> sound(4);
  for (int32_t &isSound : sound)
    callers.emplace_back([&isSound] {
      isSound = true;
      for (int32_t round = 0; round < 100; ++round) {
        LoopRun run;
        run.add(plainLoop(0, 100, 5));
        run.add(plainLoop(-5, 20, 1));
        isSound &= run.invoke().code == EMBER_OK && run.ranEachOnce();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(std::accumulate(sound.begin(), sound.end(), 0), 4);
}

// They share the workers of one, and what none is left for runs all the same.
TEST_F(ParallelLoopsTest, CallersShareWorkers) {
  configure(2);
  LoopRun outer;
  outer.add(plainLoop(0, 2, 1));
  std::atomic<int32_t> inside = 0;
  bool isSound = false;
  outer.each = [&](size_t, int64_t) {
    // Both parts are running now: the worker is taken.
    if (++inside < 2)
      while (inside < 2)
        std::this_thread::yield();
    else
      std::thread([&] {
        LoopRun run;
        run.add(plainLoop(0, 100, 1));
        isSound = run.invoke().code == EMBER_OK && run.ranEachOnce() &&
                  run.parts == 1;
      }).join();
  };
  EXPECT_EQ(outer.invoke().code, EMBER_OK);
  EXPECT_TRUE(isSound);
}

TEST_F(ParallelLoopsTest, LittleWorkStaysOnOneThread) {
  configure(8, 1000);
  LoopRun run;
  run.add(plainLoop(0, 100, 19));
  EXPECT_EQ(run.invoke().code, EMBER_OK);
  EXPECT_EQ(run.parts, 1);
  EXPECT_TRUE(run.ranEachOnce());
}
