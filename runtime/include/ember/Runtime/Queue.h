//===- Queue.h - The fast path of the decoupling queues ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One data queue and one token queue join the access side (producer) of a
// decoupled program to its compute side (consumer). The functions below inline
// into compiled kernels: they are also compiled to LLVM bitcode, which the
// compiler links into a module before it optimises it. Whatever waits, wakes
// or fails is an external call.
//
// Both queues are rings of bytes with positions that only grow. An operand
// takes its size rounded up to 8 bytes. It is always contiguous: one that
// would cross the end of the ring runs on into memory behind it, which is as
// long as the ring, and the next one starts where it would have ended in the
// ring.
//
// The two sides are mirror images. Each has a position up to which it has
// filled (or emptied) a ring, and a limit it must not pass: what the other side
// has published, plus the size of the ring for the access side. A side
// publishes its positions in batches, and always before it waits and at its
// end, so that neither can wait for something the other one has done already.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_QUEUE_H
#define EMBER_RUNTIME_QUEUE_H

#include "ember/Runtime/Runtime.h"

// Static in C and C++ users; the bitcode defines them as external functions.
#ifndef EMBER_QUEUE_FUNCTION
#define EMBER_QUEUE_FUNCTION static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The token that ends a program.
#define EMBER_DONE ((int64_t)-1)

enum { EMBER_DATA_RING = 0, EMBER_TOKEN_RING = 1, EMBER_RINGS = 2 };

// A side's own view of one ring. Only the thread of that side touches it.
typedef struct ember_ring_view {
  char *cursor;      // where the position is in memory
  char *end;         // of the ring
  int64_t bytes;     // size of the ring
  int64_t position;  // bytes filled (or emptied) since the start
  int64_t limit;     // the position must not pass this, as far as we know
  int64_t publishAt; // publish when the position gets here
  int64_t batch;     // distance between two such points
} ember_ring_view;

// What belongs to one side, in three groups on cache lines of their own. Pairs
// of lines, because processors fetch them in pairs.
typedef struct ember_queue_side {
  // Its own views, and how long it spins before it sleeps.
  ember_ring_view rings[EMBER_RINGS] __attribute__((aligned(128)));
  int64_t spinNanoseconds;
  // Positions that the other side may rely on. Atomic.
  int64_t published[EMBER_RINGS] __attribute__((aligned(128)));
  // What this side sleeps for, and whether it has ended. Rarely written, read
  // by the other side whenever it publishes. Atomic.
  int64_t waitingFor __attribute__((aligned(128)));
  int32_t wakeups;
  int32_t ended;
} ember_queue_side;

struct ember_queues {
  ember_queue_side access;
  ember_queue_side compute;
  struct ember_run *run; // the execution these queues serve
};

// Returns once `size` bytes fit below the limit of the side's ring, or does
// not return: the run has failed or fails here.
void ember_queue_wait(ember_queues *queues, ember_queue_side *side,
                      int32_t ring, int64_t size);

// Lets the other side see the positions of `side`, and wakes it if it sleeps
// and there is now enough for it to do.
void ember_queue_publish(ember_queues *queues, ember_queue_side *side);

static inline __attribute__((always_inline)) int64_t
ember_queue_round(int64_t bytes) {
  return (bytes + 7) & ~(int64_t)7;
}

static inline __attribute__((always_inline)) char *
ember_queue_reserve(ember_queues *queues, ember_queue_side *side, int32_t ring,
                    int64_t size) {
  ember_ring_view *view = &side->rings[ring];
  if (__builtin_expect(view->limit - view->position < size, 0))
    ember_queue_wait(queues, side, ring, size);
  return view->cursor;
}

static inline __attribute__((always_inline)) void
ember_queue_advance(ember_queues *queues, ember_queue_side *side, int32_t ring,
                    int64_t size) {
  ember_ring_view *view = &side->rings[ring];
  char *next = view->cursor + size;
  view->cursor = next >= view->end ? next - view->bytes : next;
  view->position += size;
  if (__builtin_expect(view->position >= view->publishAt, 0))
    ember_queue_publish(queues, side);
}

//===----------------------------------------------------------------------===//
// The access side
//===----------------------------------------------------------------------===//

// Room for an operand of `bytes` at most; ember_data_commit with the same size
// pushes it.
EMBER_QUEUE_FUNCTION void *ember_data_acquire(ember_queues *queues,
                                              int64_t bytes) {
  return ember_queue_reserve(queues, &queues->access, EMBER_DATA_RING,
                             ember_queue_round(bytes));
}

EMBER_QUEUE_FUNCTION void ember_data_commit(ember_queues *queues,
                                            int64_t bytes) {
  ember_queue_advance(queues, &queues->access, EMBER_DATA_RING,
                      ember_queue_round(bytes));
}

EMBER_QUEUE_FUNCTION void ember_token_push(ember_queues *queues, int64_t id) {
  char *slot = ember_queue_reserve(queues, &queues->access, EMBER_TOKEN_RING,
                                   (int64_t)sizeof(int64_t));
  *(int64_t *)slot = id;
  ember_queue_advance(queues, &queues->access, EMBER_TOKEN_RING,
                      (int64_t)sizeof(int64_t));
}

//===----------------------------------------------------------------------===//
// The compute side
//===----------------------------------------------------------------------===//

// The oldest operand, of `bytes`; ember_data_release with the same size pops
// it, after which its memory may be overwritten.
EMBER_QUEUE_FUNCTION void *ember_data_wait(ember_queues *queues,
                                           int64_t bytes) {
  return ember_queue_reserve(queues, &queues->compute, EMBER_DATA_RING,
                             ember_queue_round(bytes));
}

EMBER_QUEUE_FUNCTION void ember_data_release(ember_queues *queues,
                                             int64_t bytes) {
  ember_queue_advance(queues, &queues->compute, EMBER_DATA_RING,
                      ember_queue_round(bytes));
}

// The oldest token; EMBER_DONE at the end of the program.
EMBER_QUEUE_FUNCTION int64_t ember_token_pop(ember_queues *queues) {
  char *slot = ember_queue_reserve(queues, &queues->compute, EMBER_TOKEN_RING,
                                   (int64_t)sizeof(int64_t));
  int64_t id = *(int64_t *)slot;
  ember_queue_advance(queues, &queues->compute, EMBER_TOKEN_RING,
                      (int64_t)sizeof(int64_t));
  return id;
}

#ifdef __cplusplus
}
#endif

#endif // EMBER_RUNTIME_QUEUE_H
