//===- DecoupledRun.h - One execution of a decoupled program ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_DECOUPLEDRUN_H
#define EMBER_RUNTIME_LIB_DECOUPLEDRUN_H

#include "Invocation.h"
#include "ember/Runtime/Queue.h"

#include <stddef.h>

// Named in Queue.h, where it is opaque.
struct ember_run {
  const ember_dae_program *program;
  void *env;
  ember_queues *queues = nullptr;

  // Lets the other side go on, until it has changed `side->wakeups` from
  // `wakeups` or for no reason. This is all that the schedules differ in once
  // a run has started.
  void (*block)(ember_run *run, ember_queue_side *side,
                int32_t wakeups) = nullptr;
  void *schedule = nullptr; // what `block` needs

  ember::runtime::Ledger *blocks = nullptr; // of the caller's invocation
  ember::runtime::Frame *accessFrame = nullptr;
  ember::runtime::Frame *computeFrame = nullptr;

  int32_t stopped = 0; // both sides are to leave. Atomic
  int32_t failed = 0;  // `error` is taken. Atomic
  ember_error error;   // of the side that failed first
};

namespace ember::runtime {

// The memory of the rings, kept from run to run.
class QueueMemory {
public:
  QueueMemory() = default;
  ~QueueMemory();
  QueueMemory(const QueueMemory &) = delete;
  QueueMemory &operator=(const QueueMemory &) = delete;

  // Sets up empty queues for `run`, of `capacity` operands and tokens. Returns
  // false if there is not enough memory.
  bool prepare(ember_run &run, int64_t capacity);

private:
  ember_queues queues;
  char *rings = nullptr;
  size_t ringBytes = 0;
};

// Runs one side to its end, on the stack and thread of that side. A failure in
// it is recorded in the run and stops the other side.
void runAccessSide(ember_run &run);
void runComputeSide(ember_run &run);

// Ends a side: what it did becomes visible, and the other side learns that
// there is no more to come.
void endSide(ember_run &run, ember_queue_side &side);

// After both sides have ended: what was pushed and not popped is a failure.
void checkNothingIsLeft(ember_run &run);

// Makes both sides leave at their next wait.
void stopSides(ember_run &run);

// Leaves `side` without a failure of its own, because the run has stopped.
[[noreturn]] void leaveSide(ember_run &run, const ember_queue_side &side);

// Fails `side` with code EMBER_QUEUE and a message that names the program.
[[noreturn]] __attribute__((format(printf, 3, 4))) void
failSide(ember_run &run, const ember_queue_side &side, const char *format, ...);

// Run both sides to their ends, access on a pooled thread or both on this
// one. Return false, having run nothing, where memory or threads ran out.
bool runOnThreads(ember_run &run, int64_t capacity);
bool runOnFibers(ember_run &run, int64_t capacity);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_DECOUPLEDRUN_H
