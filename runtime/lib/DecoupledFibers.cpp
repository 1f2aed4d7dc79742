//===- DecoupledFibers.cpp - The two sides in turns on one thread ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The deterministic schedule: the access side starts, on a stack of its own,
// and the sides change over whenever one has to wait, so that equal programs
// run through equal interleavings. Also the way out where no thread can be
// started.
//
//===----------------------------------------------------------------------===//

#include "DecoupledRun.h"
#include "SanitizerFibers.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

using namespace ember::runtime;

static constexpr size_t stackBytes = size_t(1) << 20;

namespace {
// A stack with an inaccessible page below it, so that running off its end is
// a fault and not a corruption.
class GuardedStack {
public:
  GuardedStack() : guardBytes(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    void *memory =
        mmap(nullptr, guardBytes + stackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return;
    base = static_cast<char *>(memory);
    mprotect(base, guardBytes, PROT_NONE);
  }
  ~GuardedStack() {
    if (base)
      munmap(base, guardBytes + stackBytes);
  }
  GuardedStack(const GuardedStack &) = delete;
  GuardedStack &operator=(const GuardedStack &) = delete;

  bool isValid() const { return base; }
  char *bottom() const { return base + guardBytes; }

private:
  char *base = nullptr;
  size_t guardBytes;
};

struct Fiber {
  ucontext_t context;
  SanitizedStack sanitized;
  Frame *frame = nullptr; // the innermost one, while switched away
};

struct FiberPair {
  Fiber access;
  Fiber compute; // on the stack of the caller
  ember_run *run;
  bool hasAccessEnded = false;
};
} // namespace

static void switchTo(Fiber &from, Fiber &to, bool isLast = false) {
  from.frame = currentFrame();
  setCurrentFrame(to.frame);
  aboutToSwitch(from.sanitized, to.sanitized, isLast);
  swapcontext(&from.context, &to.context);
  haveSwitched(from.sanitized, to.sanitized);
}

static void letOtherRun(ember_run *run, ember_queue_side *side, int32_t) {
  FiberPair &pair = *static_cast<FiberPair *>(run->schedule);
  if (side == &run->queues->access)
    switchTo(pair.access, pair.compute);
  else
    switchTo(pair.compute, pair.access);
}

// makecontext passes integers only.
static void accessMain(unsigned high, unsigned low) {
  uintptr_t bits = (static_cast<uintptr_t>(high) << 32) | low;
  FiberPair &pair = *reinterpret_cast<FiberPair *>(bits);
  haveSwitched(pair.access.sanitized, pair.compute.sanitized);
  runAccessSide(*pair.run);
  pair.hasAccessEnded = true;
  switchTo(pair.access, pair.compute, /*isLast=*/true);
}

bool ember::runtime::runOnFibers(ember_run &run, int64_t capacity) {
  GuardedStack stack;
  QueueMemory queues;
  if (!stack.isValid() || !queues.prepare(run, capacity))
    return false;
  run.queues->access.spinNanoseconds = 0;
  run.queues->compute.spinNanoseconds = 0;

  FiberPair pair;
  pair.run = &run;
  run.schedule = &pair;
  run.block = letOtherRun;

  getcontext(&pair.access.context);
  pair.access.context.uc_stack.ss_sp = stack.bottom();
  pair.access.context.uc_stack.ss_size = stackBytes;
  pair.access.context.uc_link = nullptr;
  pair.access.sanitized.bottom = stack.bottom();
  pair.access.sanitized.size = stackBytes;
  if (__tsan_create_fiber) {
    pair.access.sanitized.threadState = __tsan_create_fiber(0);
    pair.compute.sanitized.threadState = __tsan_get_current_fiber();
  }
  uintptr_t bits = reinterpret_cast<uintptr_t>(&pair);
  makecontext(&pair.access.context, reinterpret_cast<void (*)()>(accessMain), 2,
              static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits));

  switchTo(pair.compute, pair.access);
  runComputeSide(run);
  // The access side waits for room it will not get, or has been stopped: it
  // leaves when it runs again.
  if (!pair.hasAccessEnded)
    switchTo(pair.compute, pair.access);
  if (__tsan_destroy_fiber)
    __tsan_destroy_fiber(pair.access.sanitized.threadState);
  checkNothingIsLeft(run);
  return true;
}
