//===- DecoupledProgram.h - Decoupled programs in C++ -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write the two sides of a program as lambdas instead of compiling them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_UNITTESTS_RUNTIME_DECOUPLEDPROGRAM_H
#define EMBER_UNITTESTS_RUNTIME_DECOUPLEDPROGRAM_H

#include "ember/Runtime/Queue.h"

#include <functional>
#include <ostream>

namespace ember::test {

// Instrumented builds run the same tests on less data.
#ifdef EMBER_TESTS_ARE_INSTRUMENTED
inline constexpr bool isInstrumented = true;
#else
inline constexpr bool isInstrumented = false;
#endif

// Failures leave the sides by longjmp: they must hold nothing that has a
// destructor at a point where they may fail.
struct DecoupledProgram {
  std::function<void(ember_queues *)> access;
  std::function<void(ember_queues *)> compute;
  int64_t maxOperandBytes = 8;

  // Runs the program in an invocation of its own.
  ember_error run() const;

  // Runs the program in the current invocation.
  void runInside() const;
};

// Calls `body` in an invocation.
ember_error invoke(const std::function<void()> &body);

// What is configured for the lifetime of this object.
class ScopedConfig {
public:
  ScopedConfig(int64_t capacity, int32_t schedule);
  ~ScopedConfig();
};

struct Schedule {
  int32_t schedule;
  friend std::ostream &operator<<(std::ostream &os, Schedule schedule);
};

void push(ember_queues *queues, int64_t operand);
int64_t pop(ember_queues *queues);

// Sends the numbers below `count` through the queues and adds them to `sum`.
DecoupledProgram sumBelow(int64_t count, int64_t &sum);

} // namespace ember::test

#endif // EMBER_UNITTESTS_RUNTIME_DECOUPLEDPROGRAM_H
