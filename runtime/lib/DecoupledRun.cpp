//===- DecoupledRun.cpp - Both sides of a program, to their ends ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the schedules have in common: each side runs in a frame of its own, the
// first failure wins, and what is left in the queues at the end is a failure.
//
//===----------------------------------------------------------------------===//

#include "DecoupledRun.h"
#include "Configuration.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

using namespace ember::runtime;

static int64_t defaultCapacity(int64_t operandBytes) {
  if (operandBytes <= EMBER_DEFAULT_QUEUE_BYTES / EMBER_MAX_DEFAULT_CAPACITY)
    return EMBER_MAX_DEFAULT_CAPACITY;
  if (operandBytes >= EMBER_DEFAULT_QUEUE_BYTES / EMBER_MIN_DEFAULT_CAPACITY)
    return EMBER_MIN_DEFAULT_CAPACITY;
  return EMBER_DEFAULT_QUEUE_BYTES / operandBytes;
}

//===----------------------------------------------------------------------===//
// Sides
//===----------------------------------------------------------------------===//

using SideFunction = void (*)(void *env, ember_queues *queues);

// Returns whether the side returned. A function of its own, so that no local
// variable of a caller is clobbered by the second return of _setjmp.
__attribute__((noinline)) static bool callSide(ember_run &run, Frame &frame,
                                               SideFunction function) {
  if (_setjmp(frame.target) != 0)
    return false;
  function(run.env, run.queues);
  return true;
}

// The first failure is the one that is reported: the other side may fail as a
// consequence.
static void recordFailure(ember_run &run, const ember_error &error) {
  if (!__atomic_exchange_n(&run.failed, 1, __ATOMIC_ACQ_REL))
    run.error = error;
}

static void runSide(ember_run &run, ember_queue_side &side, Frame *&frameOfSide,
                    SideFunction function) {
  Frame frame;
  frame.previous = currentFrame();
  frame.blocks = run.blocks;
  frame.error.code = EMBER_OK;
  frameOfSide = &frame;
  setCurrentFrame(&frame);
  bool returned = callSide(run, frame, function);
  setCurrentFrame(frame.previous);

  if (!returned) {
    if (frame.error.code != EMBER_OK)
      recordFailure(run, frame.error);
    stopSides(run);
  }
  endSide(run, side);
}

void ember::runtime::runAccessSide(ember_run &run) {
  runSide(run, run.queues->access, run.accessFrame, run.program->access);
}

void ember::runtime::runComputeSide(ember_run &run) {
  runSide(run, run.queues->compute, run.computeFrame, run.program->compute);
}

static Frame *frameOf(ember_run &run, const ember_queue_side &side) {
  return &side == &run.queues->access ? run.accessFrame : run.computeFrame;
}

void ember::runtime::leaveSide(ember_run &run, const ember_queue_side &side) {
  unwindTo(frameOf(run, side));
}

void ember::runtime::failSide(ember_run &run, const ember_queue_side &side,
                              const char *format, ...) {
  char details[sizeof(ember_error::message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(details, sizeof(details), format, arguments);
  va_end(arguments);

  Frame *frame = frameOf(run, side);
  formatError(frame->error, EMBER_QUEUE, "decoupled program '%.100s': %s",
              run.program->name, details);
  unwindTo(frame);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void ember::runtime::checkNothingIsLeft(ember_run &run) {
  if (run.failed)
    return;
  int64_t left[EMBER_RINGS];
  for (int32_t ring = 0; ring < EMBER_RINGS; ++ring)
    left[ring] = run.queues->access.rings[ring].position -
                 run.queues->compute.rings[ring].position;
  if (left[EMBER_DATA_RING] == 0 && left[EMBER_TOKEN_RING] == 0)
    return;
  run.failed = 1;
  formatError(run.error, EMBER_QUEUE,
              "decoupled program '%.100s': %" PRId64
              " bytes of operands and %" PRId64
              " tokens were pushed but never popped",
              run.program->name, left[EMBER_DATA_RING],
              left[EMBER_TOKEN_RING] / static_cast<int64_t>(sizeof(int64_t)));
}

void ember_dae_run(const ember_dae_program *program, void *env) {
  ember_config config = currentConfiguration();
  int64_t capacity = config.queueCapacity;
  if (capacity == EMBER_DEFAULT_QUEUE_CAPACITY && program->queueCapacity >= 1)
    capacity = program->queueCapacity;
  if (capacity == EMBER_DEFAULT_QUEUE_CAPACITY)
    capacity = defaultCapacity(program->maxOperandBytes);

  ember_run run;
  run.program = program;
  run.env = env;
  if (Frame *frame = currentFrame())
    run.blocks = frame->blocks;

  bool hasRun =
      config.schedule == EMBER_SCHEDULE_THREADS && runOnThreads(run, capacity);
  if (!hasRun && !runOnFibers(run, capacity))
    fail(EMBER_MEMORY,
         "decoupled program '%.100s': cannot allocate queues of %" PRId64
         " operands of %" PRId64 " bytes",
         program->name, capacity, program->maxOperandBytes);
  if (run.failed)
    failWith(run.error);
}
