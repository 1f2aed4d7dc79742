//===- Queue.cpp - Waiting, waking and publishing on queues ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fast path in Queue.h leaves to calls.
//
// A side that has to wait spins for a little while. Then it announces what it
// waits for in `waitingFor`, looks once more, and sleeps; the other side reads
// the announcement after each publication and wakes it. Announcement and
// publication are sequentially consistent, so that at least one of the two
// sees the other's.
//
// A side that has announced its wait has published everything and moves no
// further until the other side's positions reach its target. So if each has
// announced a wait which the positions of the other do not satisfy, neither
// will ever move: the later one to announce sees this and fails the run.
//
//===----------------------------------------------------------------------===//

#include "DecoupledRun.h"
#include "Waiting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

using namespace ember::runtime;

// The bounds adapt: spinning costs more than it gains where both sides share a
// processor.
static constexpr int64_t minSpinNanoseconds = 200;
static constexpr int64_t maxSpinNanoseconds = 8000;

// Positions are published at the latest after this many bytes, so that the
// other side has work while there is some. Each publication costs a transfer
// of a cache line or two.
static constexpr int64_t maxBatchBytes = 2048;

// Larger rings are replaced when much smaller ones would do.
static constexpr size_t maxKeptBytes = size_t(16) << 20;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

QueueMemory::~QueueMemory() { free(rings); }

static void setUpRing(ember_ring_view &access, ember_ring_view &compute,
                      char *memory, int64_t bytes) {
  int64_t batch = bytes / 4 < maxBatchBytes ? bytes / 4 : maxBatchBytes;
  access = {.cursor = memory,
            .end = memory + bytes,
            .bytes = bytes,
            .position = 0,
            .limit = bytes,
            .publishAt = batch,
            .batch = batch};
  compute = access;
  compute.limit = 0;
}

bool QueueMemory::prepare(ember_run &run, int64_t capacity) {
  int64_t operandBytes = run.program->maxOperandBytes;
  if (operandBytes < 8)
    operandBytes = 8;
  int64_t dataBytes, tokenBytes, bytes;
  if (operandBytes > INT64_MAX - 8 ||
      __builtin_mul_overflow(ember_queue_round(operandBytes), capacity,
                             &dataBytes) ||
      __builtin_mul_overflow(int64_t(sizeof(int64_t)), capacity, &tokenBytes) ||
      __builtin_mul_overflow(dataBytes, 2, &bytes) ||
      __builtin_add_overflow(bytes, tokenBytes, &bytes))
    return false;

  size_t needed = static_cast<size_t>(bytes);
  if (ringBytes < needed ||
      (ringBytes > maxKeptBytes && ringBytes / 2 > needed)) {
    free(rings);
    ringBytes = 0;
    void *memory = nullptr;
    if (posix_memalign(&memory, 128, needed) != 0)
      memory = nullptr;
    rings = static_cast<char *>(memory);
    if (!rings)
      return false;
    ringBytes = needed;
  }

  memset(&queues, 0, sizeof(queues));
  setUpRing(queues.access.rings[EMBER_DATA_RING],
            queues.compute.rings[EMBER_DATA_RING], rings, dataBytes);
  setUpRing(queues.access.rings[EMBER_TOKEN_RING],
            queues.compute.rings[EMBER_TOKEN_RING], rings + 2 * dataBytes,
            tokenBytes);
  queues.access.spinNanoseconds = maxSpinNanoseconds;
  queues.compute.spinNanoseconds = maxSpinNanoseconds;
  queues.run = &run;
  run.queues = &queues;
  return true;
}

//===----------------------------------------------------------------------===//
// Announcements
//===----------------------------------------------------------------------===//

static ember_queue_side &otherSide(ember_queues &queues,
                                   const ember_queue_side &side) {
  return &side == &queues.access ? queues.compute : queues.access;
}

// A ring and the position that the other side has to reach in it, in one word;
// 0 stands for no wait, as targets are positive.
static int64_t announcement(int32_t ring, int64_t target) {
  return (target << 1) | ring;
}
static int32_t ringOf(int64_t waitingFor) { return waitingFor & 1; }
static int64_t targetOf(int64_t waitingFor) { return waitingFor >> 1; }

static int64_t publishedBy(const ember_queue_side &side, int32_t ring) {
  return __atomic_load_n(&side.published[ring], __ATOMIC_SEQ_CST);
}

static bool isSatisfied(int64_t waitingFor, const ember_queue_side &other) {
  return publishedBy(other, ringOf(waitingFor)) >= targetOf(waitingFor);
}

static bool hasEnded(const ember_queue_side &side) {
  return __atomic_load_n(&side.ended, __ATOMIC_SEQ_CST);
}

static bool isStopped(const ember_run &run) {
  return __atomic_load_n(&run.stopped, __ATOMIC_SEQ_CST);
}

static void wake(ember_queue_side &side) {
  __atomic_fetch_add(&side.wakeups, 1, __ATOMIC_SEQ_CST);
  futexWake(&side.wakeups);
}

static void wakeIfWaiting(ember_queue_side &side) {
  if (__atomic_load_n(&side.waitingFor, __ATOMIC_SEQ_CST))
    wake(side);
}

static void publish(ember_queue_side &side) {
  for (ember_ring_view &view : side.rings)
    view.publishAt = view.position + view.batch;
  // Only the last store needs to be sequentially consistent, provided that the
  // other side reads the two in the opposite order; see refreshLimits.
  __atomic_store_n(&side.published[EMBER_DATA_RING],
                   side.rings[EMBER_DATA_RING].position, __ATOMIC_RELEASE);
  __atomic_store_n(&side.published[EMBER_TOKEN_RING],
                   side.rings[EMBER_TOKEN_RING].position, __ATOMIC_SEQ_CST);
}

// Wakes the other side if it sleeps for something that has been published.
static void wakeOther(ember_queues &queues, ember_queue_side &side) {
  ember_queue_side &other = otherSide(queues, side);
  int64_t waitingFor = __atomic_load_n(&other.waitingFor, __ATOMIC_SEQ_CST);
  if (!waitingFor || !isSatisfied(waitingFor, side))
    return;
  // Once: until the other side runs, there may be many more publications.
  if (__atomic_compare_exchange_n(&other.waitingFor, &waitingFor, 0,
                                  /*weak=*/false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST))
    wake(other);
}

static bool isHalfFull(const ember_queues &queues) {
  for (int32_t ring = 0; ring < EMBER_RINGS; ++ring)
    if (publishedBy(queues.access, ring) - publishedBy(queues.compute, ring) >=
        queues.access.rings[ring].bytes / 2)
      return true;
  return false;
}

// From the fast path: this side goes on, so one that sleeps had better do so
// until there is enough to be worth a switch of threads. It is woken at the
// latest when this side waits or ends.
void ember_queue_publish(ember_queues *queues, ember_queue_side *side) {
  publish(*side);
  const ember_queue_side &other = otherSide(*queues, *side);
  if (__builtin_expect(!__atomic_load_n(&other.waitingFor, __ATOMIC_SEQ_CST),
                       1))
    return;
  bool isCompute = side == &queues->compute;
  if (isHalfFull(*queues) != isCompute)
    wakeOther(*queues, *side);
}

void ember::runtime::endSide(ember_run &run, ember_queue_side &side) {
  publish(side);
  __atomic_store_n(&side.ended, 1, __ATOMIC_SEQ_CST);
  wakeIfWaiting(otherSide(*run.queues, side));
}

void ember::runtime::stopSides(ember_run &run) {
  __atomic_store_n(&run.stopped, 1, __ATOMIC_SEQ_CST);
  wakeIfWaiting(run.queues->access);
  wakeIfWaiting(run.queues->compute);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static void refreshLimits(ember_queues &queues, ember_queue_side &side) {
  const ember_queue_side &other = otherSide(queues, side);
  bool isAccess = &side == &queues.access;
  for (int32_t ring = EMBER_RINGS - 1; ring >= 0; --ring) {
    ember_ring_view &view = side.rings[ring];
    view.limit = publishedBy(other, ring) + (isAccess ? view.bytes : 0);
  }
}

static bool fits(ember_queues &queues, ember_queue_side &side, int32_t ring,
                 int64_t size) {
  refreshLimits(queues, side);
  const ember_ring_view &view = side.rings[ring];
  return view.limit - view.position >= size;
}

// The other side has ended, and will never do what `side` waits for.
[[noreturn]] static void failOnEnd(ember_run &run, const ember_queue_side &side,
                                   int32_t ring, int64_t size) {
  bool isData = ring == EMBER_DATA_RING;
  if (&side == &run.queues->access)
    failSide(run, side,
             "the access side pushes %s after the compute side has ended",
             isData ? "an operand" : "a token");
  if (!isData)
    failSide(run, side,
             "the compute side pops a token after the access side has ended");
  const ember_ring_view &view = side.rings[ring];
  failSide(run, side,
           "the compute side pops an operand of %" PRId64
           " bytes after the access side has ended and left %" PRId64 " bytes",
           size, view.limit - view.position);
}

static const char *describeWait(bool isAccess, int64_t waitingFor) {
  bool isData = ringOf(waitingFor) == EMBER_DATA_RING;
  if (isAccess)
    return isData ? "for room in the data queue" : "for room for a token";
  return isData ? "for an operand" : "for a token";
}

[[noreturn]] static void failOnDeadlock(ember_run &run,
                                        const ember_queue_side &side,
                                        int64_t waitingFor,
                                        int64_t otherWaitingFor) {
  bool isAccess = &side == &run.queues->access;
  failSide(run, side,
           "deadlock: the access side waits %s while the compute side waits "
           "%s (the queues hold %" PRId64 " bytes of operands and %" PRId64
           " tokens)",
           describeWait(true, isAccess ? waitingFor : otherWaitingFor),
           describeWait(false, isAccess ? otherWaitingFor : waitingFor),
           side.rings[EMBER_DATA_RING].bytes,
           side.rings[EMBER_TOKEN_RING].bytes /
               static_cast<int64_t>(sizeof(int64_t)));
}

// Announces the wait, and sleeps until it is over.
static void sleepUntilFits(ember_run &run, ember_queue_side &side, int32_t ring,
                           int64_t size) {
  ember_queues &queues = *run.queues;
  ember_queue_side &other = otherSide(queues, side);
  const ember_ring_view &view = side.rings[ring];
  int64_t lead = &side == &queues.access ? view.bytes : 0;
  int64_t waitingFor = announcement(ring, view.position + size - lead);
  __atomic_store_n(&side.waitingFor, waitingFor, __ATOMIC_SEQ_CST);
  while (true) {
    int32_t wakeups = __atomic_load_n(&side.wakeups, __ATOMIC_SEQ_CST);
    // Before looking at the ring: what a side did before its end counts.
    bool otherEnded = hasEnded(other);
    if (fits(queues, side, ring, size))
      break;
    if (isStopped(run))
      leaveSide(run, side);
    if (otherEnded)
      failOnEnd(run, side, ring, size);
    // The announcement of the other side has to be read before its positions.
    int64_t otherWaitingFor =
        __atomic_load_n(&other.waitingFor, __ATOMIC_SEQ_CST);
    if (otherWaitingFor && !isSatisfied(otherWaitingFor, side) &&
        !isSatisfied(waitingFor, other))
      failOnDeadlock(run, side, waitingFor, otherWaitingFor);
    run.block(&run, &side, wakeups);
  }
  __atomic_store_n(&side.waitingFor, 0, __ATOMIC_SEQ_CST);
}

void ember_queue_wait(ember_queues *queues, ember_queue_side *side,
                      int32_t ring, int64_t size) {
  ember_run &run = *queues->run;
  if (size > side->rings[ring].bytes)
    failSide(run, *side,
             "an operand of %" PRId64
             " bytes does not fit a data queue of %" PRId64 " bytes",
             size, side->rings[ring].bytes);
  if (fits(*queues, *side, ring, size))
    return;
  if (isStopped(run))
    leaveSide(run, *side);
  publish(*side);
  wakeOther(*queues, *side);

  if (side->spinNanoseconds > 0) {
    bool hasFit = spinUntil(side->spinNanoseconds, [&] {
      return fits(*queues, *side, ring, size) || isStopped(run);
    });
    int64_t next =
        hasFit ? side->spinNanoseconds * 2 : side->spinNanoseconds / 2;
    if (next > maxSpinNanoseconds)
      next = maxSpinNanoseconds;
    side->spinNanoseconds =
        next < minSpinNanoseconds ? minSpinNanoseconds : next;
    if (hasFit && !isStopped(run))
      return;
  }
  sleepUntilFits(run, *side, ring, size);
}
