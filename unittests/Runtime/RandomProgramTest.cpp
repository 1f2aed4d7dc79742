//===- RandomProgramTest.cpp - Random sides under both schedules ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether two sides that only push and pop end, wait for each other or do not
// match depends on the capacity but not on how they interleave. So the threads
// must report exactly what the deterministic fibers report.
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ember::test;

namespace {
// A push or pop of an operand of that many bytes, or of a token if 0.
using Step = int32_t;

struct RandomProgram {
  std::vector<Step> pushes;
  std::vector<Step> pops;
  int64_t capacity;
};

struct Outcome {
  std::string message;
  int64_t wrong = 0; // operands and tokens that are not what was pushed

  bool operator==(const Outcome &) const = default;
};
} // namespace

static constexpr int64_t maxOperandBytes = 64;

static RandomProgram randomProgram(std::mt19937 &engine) {
  auto random = [&](int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(engine);
  };
  RandomProgram program;
  program.capacity = random(1, 5);
  int32_t length = random(1, 400);
  for (int32_t i = 0; i < length; ++i)
    program.pushes.push_back(random(0, 3) == 0 ? 0
                                               : random(1, maxOperandBytes));

  // The compute side takes each queue in order, but may go back and forth
  // between the two; sometimes it takes too much or too little.
  program.pops = program.pushes;
  for (int32_t swaps = random(0, 60); swaps > 0; --swaps) {
    int32_t at = random(0, length - 1);
    for (int32_t i = at; i + 1 < std::min(length, at + random(1, 8)); ++i)
      if ((program.pops[i] == 0) != (program.pops[i + 1] == 0))
        std::swap(program.pops[i], program.pops[i + 1]);
  }
  int32_t mismatch = random(0, 9);
  if (mismatch == 0)
    program.pops.resize(random(0, length));
  if (mismatch == 1)
    program.pops.push_back(random(0, 1) * 8);
  return program;
}

static Outcome outcomeOf(const RandomProgram &random, int32_t schedule) {
  ScopedConfig config(random.capacity, schedule);
  Outcome outcome;
  DecoupledProgram program{
      [&](ember_queues *queues) {
        int64_t operands = 0, tokens = 0;
        for (Step bytes : random.pushes) {
          if (bytes == 0) {
            ember_token_push(queues, tokens++);
            continue;
          }
          std::memset(ember_data_acquire(queues, bytes),
                      static_cast<int>(operands++ & 0xff), bytes);
          ember_data_commit(queues, bytes);
        }
      },
      [&](ember_queues *queues) {
        int64_t operands = 0, tokens = 0;
        for (Step bytes : random.pops) {
          if (bytes == 0) {
            outcome.wrong += ember_token_pop(queues) != tokens++;
            continue;
          }
          unsigned char *operand =
              static_cast<unsigned char *>(ember_data_wait(queues, bytes));
          for (int64_t i = 0; i < bytes; ++i)
            outcome.wrong += operand[i] != (operands & 0xff);
          ember_data_release(queues, bytes);
          ++operands;
        }
      },
      maxOperandBytes};
  outcome.message = program.run().message;
  return outcome;
}

TEST(RandomProgramTest, ThreadsReportWhatFibersReport) {
  std::mt19937 engine(11);
  int64_t ended = 0, deadlocks = 0;
  int64_t programs = isInstrumented ? 300 : 3000;
  for (int64_t i = 0; i < programs; ++i) {
    RandomProgram program = randomProgram(engine);
    Outcome expected = outcomeOf(program, EMBER_SCHEDULE_FIBERS);
    ASSERT_EQ(expected.wrong, 0);
    ended += expected.message.empty();
    deadlocks += expected.message.find("deadlock") != std::string::npos;
    for (int32_t repetition = 0; repetition < 3; ++repetition) {
      Outcome outcome = outcomeOf(program, EMBER_SCHEDULE_THREADS);
      ASSERT_EQ(outcome.message, expected.message) << i;
      ASSERT_EQ(outcome.wrong, 0) << i;
    }
  }
  // The test would be worth little if nearly all ended alike.
  EXPECT_GT(ended, programs / 10);
  EXPECT_GT(deadlocks, programs / 10);
  EXPECT_GT(programs - ended - deadlocks, programs / 50);
}
