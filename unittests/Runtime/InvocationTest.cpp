//===- InvocationTest.cpp - Failures and where they lead ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

using namespace ember::test;

TEST(InvocationTest, Success) {
  bool hasRun = false;
  ember_error error = invoke([&] { hasRun = true; });
  EXPECT_TRUE(hasRun);
  EXPECT_EQ(error.code, EMBER_OK);
  EXPECT_STREQ(error.message, "");
}

TEST(InvocationTest, IndexMessages) {
  auto message = [](const char *what, const char *source, int64_t position) {
    ember_error error =
        invoke([=] { ember_fail_index(what, source, -1000, 100, position); });
    EXPECT_EQ(error.code, EMBER_INDEX);
    return std::string(error.message);
  };
  const char *what = "dimension 0 of 'weight'";
  EXPECT_EQ(message(what, "'indices'", 5),
            "index -1000 at position 5 of 'indices' is out of range for "
            "dimension 0 of 'weight' of size 100");
  EXPECT_EQ(message(what, "'indices'", -1),
            "index -1000 in 'indices' is out of range for dimension 0 of "
            "'weight' of size 100");
  EXPECT_EQ(message(what, "", 5),
            "index -1000 is out of range for dimension 0 of 'weight' of size "
            "100");
  EXPECT_EQ(message(nullptr, nullptr, -1),
            "index -1000 is out of range for a dimension of size 100");
}

TEST(InvocationTest, SegmentMessages) {
  ember_error error = invoke([] { ember_fail_segment("'offsets'", 3, 7, 5); });
  EXPECT_EQ(error.code, EMBER_SEGMENT);
  EXPECT_STREQ(error.message,
               "offsets decrease: 'offsets'[3] is 7 but 'offsets'[4] is 5");
  error = invoke([] { ember_fail_segment("'offsets'", -1, 7, 5); });
  EXPECT_STREQ(error.message, "offsets decrease: a segment of 'offsets' begins "
                              "at 7 but ends at 5");
  error = invoke([] { ember_fail_segment(nullptr, -1, 7, 5); });
  EXPECT_STREQ(error.message, "offsets decrease: a segment of the offsets "
                              "begins at 7 but ends at 5");
}

TEST(InvocationTest, AssertionMessages) {
  ember_error error = invoke([] { ember_fail_message("100% wrong: %s"); });
  EXPECT_EQ(error.code, EMBER_ASSERT);
  EXPECT_STREQ(error.message, "100% wrong: %s");
  EXPECT_STREQ(invoke([] { ember_fail_message(nullptr); }).message,
               "assertion failed");
}

TEST(InvocationTest, LongMessagesAreCut) {
  static const std::string text(5000, 'x');
  ember_error error = invoke([] { ember_fail_message(text.c_str()); });
  EXPECT_EQ(std::string(error.message),
            std::string(sizeof(error.message) - 1, 'x'));
}

TEST(InvocationTest, NoErrorWanted) {
  auto failing = [](void **) { ember_fail_message("unseen"); };
  EXPECT_EQ(ember_invoke(failing, nullptr, nullptr), EMBER_ASSERT);
  auto passing = [](void **) {};
  EXPECT_EQ(ember_invoke(passing, nullptr, nullptr), EMBER_OK);
}

TEST(InvocationTest, FailureEndsTheInnermostInvocation) {
  ember_error inner = {}, innermost = {};
  bool isReached = false;
  ember_error outer = invoke([&] {
    inner = invoke([&] {
      innermost = invoke([] { ember_fail_message("innermost"); });
      ember_fail_message("inner");
    });
    isReached = true;
  });
  EXPECT_STREQ(innermost.message, "innermost");
  EXPECT_STREQ(inner.message, "inner");
  EXPECT_TRUE(isReached);
  EXPECT_EQ(outer.code, EMBER_OK);
}

TEST(InvocationTest, ThreadsFailOnTheirOwn) {
  std::vector<int64_t> wrong(8);
  std::vector<std::thread> threads;
  for (int64_t &mine : wrong)
    threads.emplace_back([&mine] {
      for (int64_t i = 0; i < 1000; ++i) {
        ember_error error = invoke([i] {
          void *block = ember_alloc(i, 16);
          if (i % 2)
            ember_fail_index("a dimension", "", i, 0, -1);
          ember_free(block);
        });
        mine += (error.code == EMBER_INDEX) != (i % 2);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int64_t>(8));
}

TEST(InvocationDeathTest, FailureOutsideOfInvocations) {
  EXPECT_DEATH(ember_fail_message("lost"),
               "failure outside of an invocation: lost");
}
