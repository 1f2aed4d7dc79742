//===- MessagesTest.cpp - Whether errors tell the truth -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Messages.h"
#include "gtest/gtest.h"

using namespace ember::fuzz;

namespace {

TEST(Messages, areComparedWithTheArguments) {
  Program program;
  program.functions.emplace_back();
  program.functions[0].parameterNames = {"ids"};
  Input ids;
  ids.element = Scalar::I32;
  ids.isMemRef = true;
  ids.shape = {3};
  ids.bits = {5, 0xffffffff, 2};
  program.inputs = {ids};
  auto untruth = [&](const char *message) {
    return findUntruth(program, message);
  };
  EXPECT_EQ(untruth("index -1 at position 1 of 'ids' is out of range"), "");
  EXPECT_NE(untruth("index -1 at position 2 of 'ids' is out of range"), "");
  EXPECT_NE(untruth("index 5 at position 3 of 'ids' is out of range"), "");
  EXPECT_EQ(untruth("offsets decrease: 'ids'[0] is 5 but 'ids'[1] is -1"), "");
  EXPECT_NE(untruth("offsets decrease: 'ids'[1] is -1 but 'ids'[2] is 2"), "");
  EXPECT_EQ(untruth("index 7 at position 0 of 'offsets' is out of range"), "");
  EXPECT_EQ(untruth("an assertion"), "");
}

} // namespace
