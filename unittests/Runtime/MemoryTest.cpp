//===- MemoryTest.cpp - Memory of kernels, and who frees it ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <malloc.h>

#include <cstring>
#include <functional>
#include <vector>

using namespace ember::test;

// Bytes that the C library has given out.
static int64_t bytesInUse() {
  struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Runs `fail` often enough for a leak of its 10000 byte blocks to show.
static void expectNoLeak(const std::function<void()> &fail) {
  fail();
  int64_t before = bytesInUse();
  for (int64_t i = 0; i < 100; ++i)
    fail();
  EXPECT_LT(bytesInUse(), before + 100000);
}

TEST(MemoryTest, AlignmentAndSize) {
  invoke([] {
    for (int64_t alignment : {1, 2, 8, 16, 32, 64, 128, 4096}) {
      for (int64_t bytes : {0, 1, 7, 64, 1000, 100000}) {
        void *memory = ember_alloc(bytes, alignment);
        EXPECT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
        std::memset(memory, 0xff, bytes);
        ember_free(memory);
      }
    }
  });
}

TEST(MemoryTest, FreeingNull) { ember_free(nullptr); }

TEST(MemoryTest, OutsideOfInvocations) {
  void *memory = ember_alloc(100, 64);
  std::memset(memory, 1, 100);
  ember_free(memory);
}

TEST(MemoryTest, ExhaustionIsAFailure) {
  for (int64_t bytes :
       {int64_t(-1), INT64_MIN, INT64_MAX, INT64_MAX - 100, int64_t(1) << 60}) {
    for (int64_t alignment : {8, 64}) {
      ember_error error = invoke([=] { ember_alloc(bytes, alignment); });
      EXPECT_EQ(error.code, EMBER_MEMORY);
      EXPECT_EQ(std::string(error.message), "out of memory: cannot allocate " +
                                                std::to_string(bytes) +
                                                " bytes");
    }
  }
}

TEST(MemoryTest, ResultsOutliveTheInvocation) {
  std::vector<void *> results;
  results.reserve(100);
  invoke([&] {
    for (int64_t i = 0; i < 100; ++i)
      results.push_back(ember_alloc(64, 64));
  });
  for (void *result : results) {
    std::memset(result, 1, 64);
    ember_free(result);
  }
}

// In any order, from the middle of the list of blocks, too.
TEST(MemoryTest, FreeingWithinTheInvocation) {
  void *blocks[7];
  for (int64_t stride : {1, 2, 3, 4, 5, 6}) {
    invoke([&] {
      for (void *&block : blocks)
        block = ember_alloc(64, 64);
      for (int64_t i = 0; i < 5; ++i)
        ember_free(blocks[i * stride % 7]);
    });
    for (int64_t i = 5; i < 7; ++i)
      ember_free(blocks[i * stride % 7]);
  }
}

// Leaks are seen by the address sanitizer, and in plain builds here.
TEST(MemoryTest, FailureFreesBlocks) {
  auto fail = [] {
    invoke([] {
      for (int64_t i = 0; i < 10; ++i)
        ember_alloc(10000, 64);
      void *freed = ember_alloc(1000, 64);
      ember_free(freed);
      ember_fail_message("failure");
    });
  };
  expectNoLeak(fail);
}

TEST(MemoryTest, FailureFreesResultsOfNestedInvocations) {
  auto fail = [] {
    invoke([] {
      ember_alloc(10000, 64);
      invoke([] {
        ember_alloc(10000, 64);
        invoke([] { ember_alloc(10000, 64); });
      });
      ember_fail_message("failure");
    });
  };
  expectNoLeak(fail);
}

TEST(MemoryTest, FailureOfARunFreesBlocksOfBothSides) {
  for (int32_t schedule : {EMBER_SCHEDULE_THREADS, EMBER_SCHEDULE_FIBERS}) {
    ScopedConfig config(4, schedule);
    DecoupledProgram program{[](ember_queues *queues) {
                               for (int64_t i = 0;; ++i) {
                                 if (i < 10)
                                   ember_alloc(10000, 64);
                                 push(queues, i);
                               }
                             },
                             [](ember_queues *queues) {
                               ember_alloc(10000, 64);
                               for (int64_t i = 0; i < 100; ++i)
                                 pop(queues);
                               ember_fail_message("failure");
                             }};
    program.run();
    int64_t before = bytesInUse();
    for (int64_t i = 0; i < 100; ++i)
      EXPECT_STREQ(program.run().message, "failure");
    EXPECT_LT(bytesInUse(), before + 200000);
  }
}

// Under the address sanitizer, too, memory runs out by a null pointer.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
