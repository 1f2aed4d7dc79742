//===- DecoupledFailureTest.cpp - Programs that fail or do not match ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace ember::test;

namespace {
class DecoupledFailureTest : public testing::TestWithParam<Schedule> {
protected:
  // Runs `program` often, as its sides meet in many ways, at `capacity`;
  // each time it has to fail with `code` and a message that contains `part`.
  void expectFailure(const DecoupledProgram &program, int64_t capacity,
                     int32_t code, const std::string &part) {
    ScopedConfig config(capacity, GetParam().schedule);
    for (int32_t i = 0; i < (isInstrumented ? 30 : 300); ++i) {
      ember_error error = program.run();
      ASSERT_EQ(error.code, code) << error.message;
      ASSERT_NE(std::string(error.message).find(part), std::string::npos)
          << error.message;
    }
    // What a failure leaves behind must not disturb the next run.
    int64_t sum = 0;
    DecoupledProgram sound = sumBelow(10, sum);
    EXPECT_STREQ(sound.run().message, "");
    EXPECT_EQ(sum, 45);
  }

  void expectMismatch(const DecoupledProgram &program, int64_t capacity,
                      const std::string &part) {
    expectFailure(program, capacity, EMBER_QUEUE,
                  "decoupled program 'test': " + part);
  }
};

// Pushes and pops that many operands and tokens.
DecoupledProgram counts(int64_t pushes, int64_t tokenPushes, int64_t pops,
                        int64_t tokenPops) {
  return {[=](ember_queues *queues) {
            for (int64_t i = 0; i < pushes; ++i)
              push(queues, i);
            for (int64_t i = 0; i < tokenPushes; ++i)
              ember_token_push(queues, i);
          },
          [=](ember_queues *queues) {
            for (int64_t i = 0; i < pops; ++i)
              pop(queues);
            for (int64_t i = 0; i < tokenPops; ++i)
              ember_token_pop(queues);
          }};
}
} // namespace

TEST_P(DecoupledFailureTest, OperandsLeft) {
  expectMismatch(counts(3, 0, 1, 0), 8,
                 "16 bytes of operands and 0 tokens were pushed but never "
                 "popped");
}

TEST_P(DecoupledFailureTest, TokensLeft) {
  expectMismatch(counts(0, 3, 0, 2), 8,
                 "0 bytes of operands and 1 tokens were pushed but never "
                 "popped");
}

TEST_P(DecoupledFailureTest, NothingPopped) {
  expectMismatch(counts(3, 3, 0, 0), 8,
                 "24 bytes of operands and 3 tokens were pushed but never "
                 "popped");
}

TEST_P(DecoupledFailureTest, OperandsLeftThatDoNotFit) {
  for (int64_t capacity : {1, 2, 5})
    expectMismatch(counts(10, 0, 3, 0), capacity,
                   "the access side pushes an operand after the compute side "
                   "has ended");
}

TEST_P(DecoupledFailureTest, TokensLeftThatDoNotFit) {
  for (int64_t capacity : {1, 2, 5})
    expectMismatch(counts(0, 10, 0, 3), capacity,
                   "the access side pushes a token after the compute side has "
                   "ended");
}

TEST_P(DecoupledFailureTest, OperandsMissing) {
  for (int64_t capacity : {1, 2, 100})
    expectMismatch(counts(3, 0, 4, 0), capacity,
                   "the compute side pops an operand of 8 bytes after the "
                   "access side has ended and left 0 bytes");
}

TEST_P(DecoupledFailureTest, TokensMissing) {
  for (int64_t capacity : {1, 2, 100})
    expectMismatch(counts(0, 3, 0, 4), capacity,
                   "the compute side pops a token after the access side has "
                   "ended");
}

TEST_P(DecoupledFailureTest, NothingPushed) {
  expectMismatch(counts(0, 0, 1, 0), 1, "the compute side pops an operand");
  expectMismatch(counts(0, 0, 0, 1), 1, "the compute side pops a token");
}

TEST_P(DecoupledFailureTest, PartOfAnOperand) {
  DecoupledProgram program{[](ember_queues *queues) { push(queues, 0); },
                           [](ember_queues *queues) {
                             ember_data_wait(queues, 16);
                             ember_data_release(queues, 16);
                           },
                           /*maxOperandBytes=*/16};
  expectMismatch(program, 4,
                 "the compute side pops an operand of 16 bytes after the "
                 "access side has ended and left 8 bytes");
}

TEST_P(DecoupledFailureTest, OperandLargerThanTheQueue) {
  DecoupledProgram pushesTooMuch{
      [](ember_queues *queues) { ember_data_acquire(queues, 17); },
      [](ember_queues *) {}};
  expectMismatch(pushesTooMuch, 2,
                 "an operand of 24 bytes does not fit a data queue of 16 "
                 "bytes");
  DecoupledProgram popsTooMuch{
      [](ember_queues *) {},
      [](ember_queues *queues) { ember_data_wait(queues, 1000); }};
  expectMismatch(popsTooMuch, 2, "an operand of 1000 bytes does not fit");
}

TEST_P(DecoupledFailureTest, TokenBehindTooManyOperands) {
  DecoupledProgram program{[](ember_queues *queues) {
                             push(queues, 0);
                             push(queues, 1);
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [](ember_queues *queues) {
                             ember_token_pop(queues);
                             pop(queues);
                             pop(queues);
                           }};
  expectMismatch(program, 1,
                 "deadlock: the access side waits for room in the data queue "
                 "while the compute side waits for a token (the queues hold 8 "
                 "bytes of operands and 1 tokens)");
  ScopedConfig config(2, GetParam().schedule);
  EXPECT_STREQ(program.run().message, "");
}

TEST_P(DecoupledFailureTest, OperandBehindTooManyTokens) {
  DecoupledProgram program{[](ember_queues *queues) {
                             for (int64_t i = 0; i < 4; ++i)
                               ember_token_push(queues, i);
                             push(queues, 1);
                           },
                           [](ember_queues *queues) {
                             pop(queues);
                             for (int64_t i = 0; i < 4; ++i)
                               ember_token_pop(queues);
                           }};
  expectMismatch(program, 3,
                 "deadlock: the access side waits for room for a token while "
                 "the compute side waits for an operand");
  ScopedConfig config(4, GetParam().schedule);
  EXPECT_STREQ(program.run().message, "");
}

TEST_P(DecoupledFailureTest, DeadlockAfterMuchTraffic) {
  DecoupledProgram program{[](ember_queues *queues) {
                             for (int64_t i = 0; i < 500; ++i) {
                               ember_token_push(queues, i);
                               push(queues, i);
                             }
                             for (int64_t i = 0; i < 6; ++i)
                               push(queues, i);
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [](ember_queues *queues) {
                             while (ember_token_pop(queues) != EMBER_DONE)
                               pop(queues);
                           }};
  for (int64_t capacity : {1, 3, 5})
    expectMismatch(program, capacity, "deadlock");
}

//===----------------------------------------------------------------------===//
// Failures of the program
//===----------------------------------------------------------------------===//

static const char *const indexMessage =
    "index 1000 at position 5 of 'indices' is out of range for dimension 0 of "
    "'weight' of size 100";

static void failOnIndex() {
  ember_fail_index("dimension 0 of 'weight'", "'indices'", 1000, 100, 5);
}

// One side fails after `before` operands while the other goes on for ever.
static DecoupledProgram failing(bool isAccessFailing, int64_t before) {
  return {[=](ember_queues *queues) {
            for (int64_t i = 0; !isAccessFailing || i < before; ++i)
              push(queues, i);
            failOnIndex();
          },
          [=](ember_queues *queues) {
            for (int64_t i = 0; isAccessFailing || i < before; ++i)
              pop(queues);
            failOnIndex();
          }};
}

TEST_P(DecoupledFailureTest, EitherSideFails) {
  for (bool isAccessFailing : {true, false})
    for (int64_t before : {0, 1, 5, 100, 1000})
      for (int64_t capacity : {1, 4, 512})
        expectFailure(failing(isAccessFailing, before), capacity, EMBER_INDEX,
                      indexMessage);
}

TEST_P(DecoupledFailureTest, TheOtherSideSleeps) {
  DecoupledProgram accessFails{[](ember_queues *) {
                                 usleep(200);
                                 failOnIndex();
                               },
                               [](ember_queues *queues) { pop(queues); }};
  expectFailure(accessFails, 1, EMBER_INDEX, indexMessage);
  DecoupledProgram computeFails{[](ember_queues *queues) {
                                  for (int64_t i = 0; i < 2; ++i)
                                    push(queues, i);
                                },
                                [](ember_queues *) {
                                  usleep(200);
                                  failOnIndex();
                                }};
  expectFailure(computeFails, 1, EMBER_INDEX, indexMessage);
}

TEST_P(DecoupledFailureTest, TheFirstOfTwoFailuresCounts) {
  DecoupledProgram program{[](ember_queues *queues) {
                             push(queues, 0);
                             ember_fail_segment("'offsets'", 3, 7, 5);
                           },
                           [](ember_queues *queues) {
                             pop(queues);
                             usleep(1000); // the access side is faster
                             ember_fail_message("second");
                           }};
  ScopedConfig config(1, GetParam().schedule);
  ember_error error = program.run();
  EXPECT_EQ(error.code, EMBER_SEGMENT);
  EXPECT_STREQ(error.message,
               "offsets decrease: 'offsets'[3] is 7 but 'offsets'[4] is 5");
}

TEST_P(DecoupledFailureTest, NestedInvocationInASide) {
  ember_error inner = {};
  DecoupledProgram program{[](ember_queues *queues) {
                             push(queues, 5);
                             ember_token_push(queues, EMBER_DONE);
                           },
                           [&](ember_queues *queues) {
                             inner =
                                 invoke([] { ember_fail_message("inner"); });
                             // A mismatch ends the run, not just the invocation
                             // it happens in.
                             invoke([&] {
                               ember_alloc(100, 8);
                               pop(queues);
                               pop(queues);
                             });
                             ember_fail_message("not reached");
                           }};
  expectMismatch(program, 4, "the compute side pops an operand");
  EXPECT_STREQ(inner.message, "inner");
}

TEST_P(DecoupledFailureTest, NestedRuns) {
  int64_t sum = 0;
  DecoupledProgram inner{[](ember_queues *queues) {
                           for (int64_t i = 0; i < 100; ++i)
                             push(queues, i);
                           ember_token_push(queues, EMBER_DONE);
                         },
                         [&](ember_queues *queues) {
                           for (int64_t i = 0; i < 100; ++i)
                             sum += pop(queues);
                           ember_token_pop(queues);
                         }};
  DecoupledProgram outer{[](ember_queues *queues) {
                           for (int64_t i = 0; i < 50; ++i)
                             push(queues, i);
                           ember_token_push(queues, EMBER_DONE);
                         },
                         [&](ember_queues *queues) {
                           for (int64_t i = 0; i < 50; ++i) {
                             inner.runInside();
                             sum += pop(queues);
                           }
                           ember_token_pop(queues);
                         }};
  ScopedConfig config(3, GetParam().schedule);
  EXPECT_STREQ(outer.run().message, "");
  EXPECT_EQ(sum, 50 * 4950 + 49 * 25);

  // And on the access side.
  std::swap(outer.access, outer.compute);
  DecoupledProgram failingOuter{[&](ember_queues *queues) {
                                  inner.runInside();
                                  failing(true, 3).runInside();
                                  push(queues, 1);
                                },
                                [](ember_queues *queues) { pop(queues); }};
  expectFailure(failingOuter, 3, EMBER_INDEX, indexMessage);
}

TEST_P(DecoupledFailureTest, ManyFailingRunsAtOnce) {
  ScopedConfig config(4, GetParam().schedule);
  std::atomic<int64_t> wrong = 0;
  std::vector<std::thread> callers;
  for (int64_t thread = 0; thread < 8; ++thread)
    callers.emplace_back([&, thread] {
      for (int64_t i = 0; i < 100; ++i) {
        ember_error error = failing((i + thread) % 2, i).run();
        wrong += std::strcmp(error.message, indexMessage) != 0;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

// Blocks of both sides belong to the invocation of the caller.
TEST_P(DecoupledFailureTest, MemoryOfSides) {
  void *blocks[3] = {};
  DecoupledProgram program{[&](ember_queues *queues) {
                             for (int64_t i = 0; i < 1000; ++i)
                               ember_free(ember_alloc(64, 64));
                             blocks[0] = ember_alloc(64, 64);
                             blocks[1] = ember_alloc(64, 64);
                             push(queues, 0);
                             for (int64_t i = 0; i < 1000; ++i)
                               ember_free(ember_alloc(64, 64));
                           },
                           [&](ember_queues *queues) {
                             for (int64_t i = 0; i < 1000; ++i)
                               ember_free(ember_alloc(64, 64));
                             pop(queues);
                             ember_free(blocks[1]);
                             blocks[2] = ember_alloc(64, 64);
                           }};
  ScopedConfig config(4, GetParam().schedule);
  EXPECT_STREQ(program.run().message, "");
  ember_free(blocks[0]);
  ember_free(blocks[2]);

  DecoupledProgram failingProgram = program;
  failingProgram.compute = [&](ember_queues *queues) {
    program.compute(queues);
    failOnIndex();
  };
  expectFailure(failingProgram, 4, EMBER_INDEX, indexMessage);
}

#if defined(__x86_64__)
TEST_P(DecoupledFailureTest, BothSidesRoundAsTheCallerDoes) {
  unsigned before = _mm_getcsr();
  unsigned modes[2] = {};
  DecoupledProgram program{
      [&](ember_queues *) { modes[0] = _mm_getcsr() & ~0x3fu; },
      [&](ember_queues *) { modes[1] = _mm_getcsr() & ~0x3fu; }};
  ScopedConfig config(4, GetParam().schedule);
  for (unsigned mode : {0x9fc0u, 0x3f80u, 0x1f80u}) {
    _mm_setcsr(mode);
    program.run();
    _mm_setcsr(before);
    EXPECT_EQ(modes[0], mode);
    EXPECT_EQ(modes[1], mode);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Schedules, DecoupledFailureTest,
                         testing::Values(Schedule{EMBER_SCHEDULE_THREADS},
                                         Schedule{EMBER_SCHEDULE_FIBERS}),
                         testing::PrintToStringParamName());
