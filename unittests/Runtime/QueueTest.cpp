//===- QueueTest.cpp - Operands and tokens arrive as they were pushed -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

using namespace ember::test;

static constexpr int64_t manyOperands = isInstrumented ? 100000 : 1000000;

namespace {
class QueueTest : public testing::TestWithParam<std::tuple<Schedule, int64_t>> {
protected:
  int64_t capacity() const { return std::get<1>(GetParam()); }
  ScopedConfig config{std::get<1>(GetParam()),
                      std::get<0>(GetParam()).schedule};
};

// Operands of pseudo-random sizes and contents, the same on both sides.
class OperandSequence {
public:
  explicit OperandSequence(uint32_t seed, int64_t minBytes, int64_t maxBytes)
      : engine(seed), sizes(minBytes, maxBytes) {}

  int64_t nextSize() { return sizes(engine); }
  unsigned char nextByte() { return static_cast<unsigned char>(engine()); }

  void fill(void *operand, int64_t bytes) {
    std::memset(operand, nextByte(), bytes);
  }
  bool matches(const void *operand, int64_t bytes) {
    unsigned char expected = nextByte();
    for (int64_t i = 0; i < bytes; ++i)
      if (static_cast<const unsigned char *>(operand)[i] != expected)
        return false;
    return true;
  }

private:
  std::mt19937 engine;
  std::uniform_int_distribution<int64_t> sizes;
};
} // namespace

TEST_P(QueueTest, OnlyDone) {
  int64_t token = 0;
  DecoupledProgram program{
      [](ember_queues *queues) { ember_token_push(queues, EMBER_DONE); },
      [&](ember_queues *queues) { token = ember_token_pop(queues); },
      /*maxOperandBytes=*/0};
  EXPECT_STREQ(program.run().message, "");
  EXPECT_EQ(token, EMBER_DONE);
}

TEST_P(QueueTest, TokensKeepTheirOrder) {
  int64_t wrong = 0;
  DecoupledProgram program{[](ember_queues *queues) {
                             for (int64_t i = 0; i < 20000; ++i)
                               ember_token_push(queues, i * i);
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [&](ember_queues *queues) {
                             for (int64_t i = 0; i < 20000; ++i)
                               wrong += ember_token_pop(queues) != i * i;
                             wrong += ember_token_pop(queues) != EMBER_DONE;
                           }};
  EXPECT_STREQ(program.run().message, "");
  EXPECT_EQ(wrong, 0);
}

TEST_P(QueueTest, OperandsOfRandomSizes) {
  for (int64_t minBytes : {int64_t(8), int64_t(1)}) {
    int64_t wrong = 0;
    OperandSequence pushed(17, minBytes, 128), popped(17, minBytes, 128);
    DecoupledProgram program{
        [&](ember_queues *queues) {
          for (int64_t i = 0; i < 20000; ++i) {
            int64_t bytes = pushed.nextSize();
            pushed.fill(ember_data_acquire(queues, bytes), bytes);
            ember_data_commit(queues, bytes);
          }
          ember_token_push(queues, EMBER_DONE);
        },
        [&](ember_queues *queues) {
          for (int64_t i = 0; i < 20000; ++i) {
            int64_t bytes = popped.nextSize();
            wrong += !popped.matches(ember_data_wait(queues, bytes), bytes);
            ember_data_release(queues, bytes);
          }
          ember_token_pop(queues);
        },
        /*maxOperandBytes=*/128};
    EXPECT_STREQ(program.run().message, "");
    EXPECT_EQ(wrong, 0);
  }
}

// A token announces operands that follow it: legal at any capacity.
TEST_P(QueueTest, TokensBeforeTheirOperands) {
  int64_t wrong = 0;
  DecoupledProgram program{[](ember_queues *queues) {
                             for (int64_t i = 0; i < 5000; ++i) {
                               ember_token_push(queues, i % 5);
                               for (int64_t j = 0; j < i % 5; ++j)
                                 push(queues, i + j);
                             }
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [&](ember_queues *queues) {
                             for (int64_t i = 0; i < 5000; ++i) {
                               int64_t count = ember_token_pop(queues);
                               wrong += count != i % 5;
                               for (int64_t j = 0; j < count; ++j)
                                 wrong += pop(queues) != i + j;
                             }
                             wrong += ember_token_pop(queues) != EMBER_DONE;
                           }};
  EXPECT_STREQ(program.run().message, "");
  EXPECT_EQ(wrong, 0);
}

// The smallest capacity for operands that precede their token is their number.
TEST_P(QueueTest, OperandsBeforeTheirToken) {
  int64_t perToken = std::min<int64_t>(capacity(), 7);
  int64_t wrong = 0;
  DecoupledProgram program{[&](ember_queues *queues) {
                             for (int64_t i = 0; i < 5000; ++i) {
                               for (int64_t j = 0; j < perToken; ++j)
                                 push(queues, i + j);
                               ember_token_push(queues, i);
                             }
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [&](ember_queues *queues) {
                             for (int64_t i = 0; i < 5000; ++i) {
                               wrong += ember_token_pop(queues) != i;
                               for (int64_t j = 0; j < perToken; ++j)
                                 wrong += pop(queues) != i + j;
                             }
                             ember_token_pop(queues);
                           }};
  EXPECT_STREQ(program.run().message, "");
  EXPECT_EQ(wrong, 0);
}

// Long pauses on one side make the other one sleep.
TEST_P(QueueTest, SidesThatPause) {
  for (bool isAccessSlow : {false, true}) {
    int64_t wrong = 0;
    auto pauseSometimes = [](bool isSlow, int64_t i) {
      if (isSlow && i % 100 == 50)
        usleep(500);
    };
    DecoupledProgram program{[&](ember_queues *queues) {
                               for (int64_t i = 0; i < 2000; ++i) {
                                 pauseSometimes(isAccessSlow, i);
                                 ember_token_push(queues, i);
                                 push(queues, i);
                               }
                               ember_token_push(queues, EMBER_DONE);
                             },
                             [&](ember_queues *queues) {
                               for (int64_t i = 0; i < 2000; ++i) {
                                 pauseSometimes(!isAccessSlow, i);
                                 wrong += ember_token_pop(queues) != i;
                                 wrong += pop(queues) != i;
                               }
                               ember_token_pop(queues);
                             }};
    EXPECT_STREQ(program.run().message, "");
    EXPECT_EQ(wrong, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Capacities, QueueTest,
    testing::Combine(testing::Values(Schedule{EMBER_SCHEDULE_THREADS},
                                     Schedule{EMBER_SCHEDULE_FIBERS}),
                     testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 64, 512,
                                     4096)),
    [](const auto &info) {
      return testing::PrintToString(std::get<0>(info.param)) + "_" +
             std::to_string(std::get<1>(info.param));
    });

// Pushes `count` operands of 64 bytes, a token for every 16.
static DecoupledProgram manyRows(int64_t count, int64_t &wrong) {
  return {[count](ember_queues *queues) {
            for (int64_t i = 0; i < count; ++i) {
              if (i % 16 == 0)
                ember_token_push(queues, i);
              int64_t *row =
                  static_cast<int64_t *>(ember_data_acquire(queues, 64));
              for (int64_t j = 0; j < 8; ++j)
                row[j] = i + j;
              ember_data_commit(queues, 64);
            }
            ember_token_push(queues, EMBER_DONE);
          },
          [count, &wrong](ember_queues *queues) {
            for (int64_t i = 0; i < count; ++i) {
              if (i % 16 == 0)
                wrong += ember_token_pop(queues) != i;
              const int64_t *row =
                  static_cast<int64_t *>(ember_data_wait(queues, 64));
              for (int64_t j = 0; j < 8; ++j)
                wrong += row[j] != i + j;
              ember_data_release(queues, 64);
            }
            wrong += ember_token_pop(queues) != EMBER_DONE;
          },
          /*maxOperandBytes=*/64};
}

TEST(QueueVolumeTest, ManyOperands) {
  for (int64_t capacity : {1, 2, 16, 512}) {
    ScopedConfig config(capacity, EMBER_SCHEDULE_THREADS);
    int64_t wrong = 0;
    EXPECT_STREQ(manyRows(manyOperands, wrong).run().message, "");
    EXPECT_EQ(wrong, 0);
  }
}

// Both threads on one processor: neither may spin for long.
TEST(QueueVolumeTest, OneProcessor) {
  std::thread caller([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    for (int64_t capacity : {1, 16, 512}) {
      ScopedConfig config(capacity, EMBER_SCHEDULE_THREADS);
      int64_t wrong = 0;
      EXPECT_STREQ(manyRows(manyOperands / 10, wrong).run().message, "");
      EXPECT_EQ(wrong, 0);
    }
  });
  caller.join();
}

TEST(QueueVolumeTest, ManyRunsInARow) {
  for (int64_t i = 0; i < 5000; ++i) {
    int64_t wrong = 0;
    ASSERT_STREQ(manyRows(i % 7, wrong).run().message, "");
    ASSERT_EQ(wrong, 0);
  }
}

TEST(QueueVolumeTest, ManyRunsAtOnce) {
  std::vector<std::thread> callers;
  std::vector<int64_t> wrong(12);
  for (int64_t &mine : wrong)
    callers.emplace_back([&mine] {
      for (int64_t i = 0; i < 100; ++i)
        mine += manyRows(i * 10, mine).run().code != EMBER_OK;
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, std::vector<int64_t>(12));
}

TEST(QueueConfigTest, CapacityThatCannotBeAllocated) {
  for (int32_t schedule : {EMBER_SCHEDULE_THREADS, EMBER_SCHEDULE_FIBERS}) {
    for (int64_t capacity : {INT64_MAX, int64_t(1) << 58}) {
      ScopedConfig config(capacity, schedule);
      int64_t wrong = 0;
      ember_error error = manyRows(10, wrong).run();
      EXPECT_EQ(error.code, EMBER_MEMORY);
      EXPECT_NE(std::strstr(error.message, "cannot allocate queues"), nullptr);
    }
  }
}

// How many operands of that size the access side pushes before it waits.
static int64_t operandsAhead(int64_t bytes) {
  constexpr int64_t count = 2 * EMBER_MAX_DEFAULT_CAPACITY;
  int64_t pushed = 0, ahead = 0;
  DecoupledProgram program{[&](ember_queues *queues) {
                             for (; pushed < count; ++pushed) {
                               ember_data_acquire(queues, bytes);
                               ember_data_commit(queues, bytes);
                             }
                           },
                           [&](ember_queues *queues) {
                             ahead = pushed;
                             for (int64_t i = 0; i < count; ++i) {
                               ember_data_wait(queues, bytes);
                               ember_data_release(queues, bytes);
                             }
                           },
                           bytes};
  EXPECT_STREQ(program.run().message, "");
  return ahead;
}

TEST(QueueConfigTest, CapacityBelowOneSelectsTheDefault) {
  for (int64_t capacity : {int64_t(0), int64_t(-5), INT64_MIN}) {
    ScopedConfig config(capacity, EMBER_SCHEDULE_FIBERS);
    EXPECT_EQ(operandsAhead(8), EMBER_MAX_DEFAULT_CAPACITY);
    EXPECT_EQ(operandsAhead(64), EMBER_MAX_DEFAULT_CAPACITY);
    EXPECT_EQ(operandsAhead(512), EMBER_DEFAULT_QUEUE_BYTES / 512);
    EXPECT_EQ(operandsAhead(1 << 16), EMBER_MIN_DEFAULT_CAPACITY);
  }
  ScopedConfig config(3, EMBER_SCHEDULE_FIBERS);
  EXPECT_EQ(operandsAhead(8), 3);
}

// The fixed order of the fibers: access runs until the queue is full, compute
// until it is empty.
TEST(FiberOrderTest, SidesChangeOverWhenTheyWait) {
  ScopedConfig config(3, EMBER_SCHEDULE_FIBERS);
  char order[32] = {};
  int32_t length = 0;
  DecoupledProgram program{[&](ember_queues *queues) {
                             for (int64_t i = 0; i < 7; ++i) {
                               ember_data_acquire(queues, 8);
                               order[length++] = 'a';
                               ember_data_commit(queues, 8);
                             }
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [&](ember_queues *queues) {
                             for (int64_t i = 0; i < 7; ++i) {
                               pop(queues);
                               order[length++] = 'c';
                             }
                             ember_token_pop(queues);
                           }};
  EXPECT_STREQ(program.run().message, "");
  EXPECT_STREQ(order, "aaacccaaacccac");
}
