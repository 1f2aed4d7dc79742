//===- ParallelLoops.cpp - Loops in parts, on several threads -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iterations of all loops, one loop behind the other, are a line on which
// each takes as much room as it costs. The line is cut into parts of the same
// length. There are more parts than threads, so that a thread which is slow, or
// whose rows are in no cache, does not keep the others waiting.
//
//===----------------------------------------------------------------------===//

#include "Configuration.h"
#include "Invocation.h"
#include "Team.h"
#include "WorkerPool.h"

#include "ember/Runtime/LoopCost.h"

#include <alloca.h>
#include <sched.h>

using namespace ember::runtime;

static constexpr int64_t partsOfThread = 4;

namespace {
// All loops of one call, and who has taken how much of them.
class PartedLoops {
public:
  PartedLoops(void (*body)(void *, const ember_range *), void *env,
              const ember_loop *loops, int64_t count)
      : body(body), env(env), loops(loops), count(count) {
    for (int64_t k = 0; k < count; ++k) {
      if (loops[k].upper <= loops[k].lower)
        continue;
      iterations += double(loops[k].upper) - double(loops[k].lower);
      total = LoopCost(loops[k], total).upTo(loops[k].upper);
    }
    Frame *frame = currentFrame();
    blocks = frame ? frame->blocks : nullptr;
    if (!frame || frame->isPart)
      return;
    ember_config config = currentConfiguration();
    configuredThreads = config.threads;
    bool isCounted = iterations >= 2 && iterations < double(INT64_MAX / 2);
    threads = isCounted ? threadsFor(total, config) : 1;
    if (threads < 2)
      return;
    double worth = total / double(config.workOfThread);
    parts = least(threads * partsOfThread, least(worth, iterations));
    threads = least(threads, parts);
  }

  static int64_t threadsFor(double work, const ember_config &config) {
    double worth = work / double(config.workOfThread);
    // Also where the costs are no numbers.
    if (config.threads < 2 || !(worth >= 2))
      return 1;
    return least(config.threads, worth);
  }

  int64_t threadCount() const { return threads; }
  int64_t mostThreads() const { return configuredThreads; }

  // Runs everything on this thread.
  void runAll();

  // Runs one part after the other that nobody else has taken.
  void runParts();

  // After all threads are done: fails if a part has.
  void failIfFailed() {
    if (failedPart < parts)
      failWith(error);
  }

private:
  static int64_t least(double a, double b) { return int64_t(a < b ? a : b); }

  bool runPart(int64_t part, Frame &frame);
  bool runPartOnce(int64_t part, Frame &frame);
  void recordFailure(int64_t part, const ember_error &partError);

  void (*body)(void *, const ember_range *);
  void *env;
  const ember_loop *loops;
  int64_t count;
  Ledger *blocks; // of the caller's invocation

  double iterations = 0, total = 0;
  int64_t configuredThreads = 1, threads = 1, parts = 1;

  int64_t nextPart = 0;           // Atomic
  int64_t failedPart = INT64_MAX; // first one that has failed. Atomic
  int32_t lock = 0;               // of `failedPart` and `error`
  ember_error error;              // of that part
};
} // namespace

// Returns whether the part returned. A function of its own, so that no local
// variable of a caller is clobbered by the second return of _setjmp.
__attribute__((noinline)) bool PartedLoops::runPartOnce(int64_t part,
                                                        Frame &frame) {
  if (_setjmp(frame.target) != 0)
    return false;
  auto *ranges =
      static_cast<ember_range *>(alloca(count * sizeof(ember_range)));
  double first = total * double(part) / double(parts);
  double last = total * double(part + 1) / double(parts);
  double before = 0;
  for (int64_t k = 0; k < count; ++k) {
    ranges[k] = {loops[k].lower, loops[k].lower};
    if (loops[k].upper <= loops[k].lower)
      continue;
    LoopCost cost(loops[k], before);
    if (part > 0)
      ranges[k].lower = cost.startAt(first);
    ranges[k].upper = part + 1 < parts ? cost.startAt(last) : loops[k].upper;
    before = cost.upTo(loops[k].upper);
  }
  body(env, ranges);
  return true;
}

// Returns whether the part returned. The error is the first one in order.
bool PartedLoops::runPart(int64_t part, Frame &frame) {
  frame.order = Frame::MayReorder;
  if (runPartOnce(part, frame))
    return true;
  if (frame.order != Frame::HasReordered)
    return false;
  frame.order = Frame::InOrder;
  return runPartOnce(part, frame);
}

void PartedLoops::runAll() {
  Frame frame;
  frame.previous = currentFrame();
  frame.blocks = blocks;
  if (frame.previous) {
    frame.isPart = frame.previous->isPart;
    frame.stack = frame.previous->stack;
  }
  parts = 1;
  setCurrentFrame(&frame);
  bool returned = runPart(0, frame);
  setCurrentFrame(frame.previous);
  if (!returned)
    failWith(frame.error);
}

void PartedLoops::recordFailure(int64_t part, const ember_error &partError) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
    sched_yield();
  if (part < __atomic_load_n(&failedPart, __ATOMIC_RELAXED)) {
    error = partError;
    __atomic_store_n(&failedPart, part, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

void PartedLoops::runParts() {
  Frame frame;
  frame.previous = currentFrame();
  frame.blocks = blocks;
  frame.isPart = true;
  setCurrentFrame(&frame);
  for (;;) {
    int64_t part = __atomic_fetch_add(&nextPart, 1, __ATOMIC_RELAXED);
    // A part in front of the one that failed may fail too, and goes first.
    if (part >= parts || part > __atomic_load_n(&failedPart, __ATOMIC_RELAXED))
      break;
    if (!runPart(part, frame))
      recordFailure(part, frame.error);
  }
  setCurrentFrame(frame.previous);
}

//===----------------------------------------------------------------------===//
// How many workers there are
//===----------------------------------------------------------------------===//

// All calls of the process together have as many workers as one may have: more
// would only take turns on the same processors.
static int64_t busyWorkers = 0;  // Atomic
static pid_t countedProcess = 0; // whose workers these are. Atomic

// Returns how many of `wanted` workers a call may take, of `most` in all.
static int64_t reserveWorkers(int64_t wanted, int64_t most) {
  // The workers of a process that was forked are not those of the fork.
  pid_t process = getpid();
  if (__atomic_exchange_n(&countedProcess, process, __ATOMIC_RELAXED) !=
      process)
    __atomic_store_n(&busyWorkers, 0, __ATOMIC_RELAXED);
  int64_t busy = __atomic_load_n(&busyWorkers, __ATOMIC_RELAXED);
  int64_t granted;
  do {
    granted = wanted < most - busy ? wanted : most - busy;
    if (granted <= 0)
      return 0;
  } while (!__atomic_compare_exchange_n(&busyWorkers, &busy, busy + granted,
                                        /*weak=*/true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return granted;
}

static void releaseWorkers(int64_t count) {
  __atomic_fetch_sub(&busyWorkers, count, __ATOMIC_RELAXED);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

int64_t ember_threads_for(int64_t work) {
  Frame *frame = currentFrame();
  if (!frame || frame->isPart)
    return 1;
  return PartedLoops::threadsFor(double(work), currentConfiguration());
}

static void workerMain(void *loops) {
  static_cast<PartedLoops *>(loops)->runParts();
}

void ember_parallel(void (*body)(void *env, const ember_range *ranges),
                    void *env, const ember_loop *loops, int64_t count) {
  PartedLoops parted(body, env, loops, count);
  int64_t others =
      reserveWorkers(parted.threadCount() - 1, parted.mostThreads() - 1);
  if (others <= 0)
    return parted.runAll();
  if (runOnTeam(others + 1, workerMain, &parted)) {
    releaseWorkers(others);
    return parted.failIfFailed();
  }

  auto **workers = static_cast<Worker **>(alloca(others * sizeof(Worker *)));
  int64_t begun = 0;
  while (begun < others) {
    Worker *worker = takeWorker();
    if (!worker)
      break;
    worker->begin(workerMain, &parted);
    workers[begun++] = worker;
  }
  parted.runParts();
  for (int64_t i = 0; i < begun; ++i) {
    workers[i]->cancel();
    workers[i]->waitUntilIdle();
    returnWorker(workers[i]);
  }
  releaseWorkers(others);
  parted.failIfFailed();
}
