//===- DecoupledProgram.cpp - Decoupled programs in C++, for tests --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledProgram.h"

using namespace ember::test;

static void callAccess(void *env, ember_queues *queues) {
  static_cast<const DecoupledProgram *>(env)->access(queues);
}

static void callCompute(void *env, ember_queues *queues) {
  static_cast<const DecoupledProgram *>(env)->compute(queues);
}

void DecoupledProgram::runInside() const {
  ember_dae_program program = {callAccess, callCompute, maxOperandBytes, "test",
                               EMBER_DEFAULT_QUEUE_CAPACITY};
  ember_dae_run(&program, const_cast<DecoupledProgram *>(this));
}

static void callBody(void **args) {
  (*static_cast<const std::function<void()> *>(args[0]))();
}

ember_error ember::test::invoke(const std::function<void()> &body) {
  void *args[] = {const_cast<std::function<void()> *>(&body)};
  ember_error error;
  int32_t code = ember_invoke(callBody, args, &error);
  if (code != error.code)
    error.code = -1;
  return error;
}

ember_error DecoupledProgram::run() const {
  return invoke([this] { runInside(); });
}

ScopedConfig::ScopedConfig(int64_t capacity, int32_t schedule) {
  ember_config config = {capacity, schedule, EMBER_DEFAULT_THREADS,
                         EMBER_DEFAULT_WORK_OF_THREAD};
  ember_configure(&config);
}

ScopedConfig::~ScopedConfig() { ember_configure(nullptr); }

std::ostream &ember::test::operator<<(std::ostream &os, Schedule schedule) {
  return os << (schedule.schedule == EMBER_SCHEDULE_FIBERS ? "Fibers"
                                                           : "Threads");
}

void ember::test::push(ember_queues *queues, int64_t operand) {
  *static_cast<int64_t *>(ember_data_acquire(queues, 8)) = operand;
  ember_data_commit(queues, 8);
}

int64_t ember::test::pop(ember_queues *queues) {
  int64_t operand = *static_cast<int64_t *>(ember_data_wait(queues, 8));
  ember_data_release(queues, 8);
  return operand;
}

DecoupledProgram ember::test::sumBelow(int64_t count, int64_t &sum) {
  return {[count](ember_queues *queues) {
            for (int64_t i = 0; i < count; ++i)
              push(queues, i);
            ember_token_push(queues, EMBER_DONE);
          },
          [count, &sum](ember_queues *queues) {
            for (int64_t i = 0; i < count; ++i)
              sum += pop(queues);
            ember_token_pop(queues);
          }};
}
