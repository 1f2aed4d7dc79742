//===- Runtime.h - What compiled kernels call -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface between compiled kernels, their callers and the runtime
// archive that is linked into every kernel library. The runtime needs nothing
// but the C library: no C++ runtime, no start-up objects.
//
// Names of arguments (`what`, `source`, `nameA`, ...) are printed as given:
// whoever emits the call adds the quotes, e.g. "'weight'" or "argument 2".
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_RUNTIME_H
#define EMBER_RUNTIME_RUNTIME_H

#include <stdint.h>

// The runtime is compiled with hidden visibility, so that several kernel
// libraries in one process never share or interpose their copies of it. These
// functions are the exception: callers look them up in the kernel library.
#define EMBER_EXPORT __attribute__((visibility("default")))
#define EMBER_NORETURN __attribute__((noreturn, cold))

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Invocations and failures
//===----------------------------------------------------------------------===//

enum {
  EMBER_OK = 0,
  EMBER_INDEX = 1,   // an index is out of range
  EMBER_SEGMENT = 2, // offsets decrease
  EMBER_OVERLAP = 3, // a written argument overlaps another one
  EMBER_SHAPE = 4,   // an argument's size is not the declared one
  EMBER_QUEUE = 5,   // the two sides of a decoupled program do not match
  EMBER_ASSERT = 6,  // an assertion of the program does not hold
  EMBER_MEMORY = 7   // memory or threads ran out
};

typedef struct ember_error {
  int32_t code;
  char message[1020];
} ember_error;

// Runs fn(args) and returns EMBER_OK, or the code of the first ember_fail_*
// reached in it, with the details in *error (which may be null). A failure
// ends the innermost invocation of its thread and frees what ember_alloc gave
// out in it; blocks that outlive a successful invocation belong to the
// enclosing one, or, where there is none, to the caller. Invocations nest, and
// any number of threads may be in one at a time.
int32_t ember_invoke(void (*fn)(void **args), void **args, ember_error *error);

// "index 1000 at position 5 of 'indices' is out of range for dimension 0 of
// 'weight' of size 100": `what` is "dimension 0 of 'weight'", `source` is
// "'indices'" or "" where the index was not loaded, `position` is -1 where it
// is not known.
EMBER_NORETURN void ember_fail_index(const char *what, const char *source,
                                     int64_t value, int64_t size,
                                     int64_t position);

// "offsets decrease: 'offsets'[3] is 7 but 'offsets'[4] is 5"; where
// `position` is -1: "offsets decrease: a segment of 'offsets' begins at 7 but
// ends at 5".
EMBER_NORETURN void ember_fail_segment(const char *source, int64_t position,
                                       int64_t begin, int64_t end);

// An assertion of the program, with code EMBER_ASSERT.
EMBER_NORETURN void ember_fail_message(const char *message);

// Has messages of failures in this invocation call things by other names from
// now on: `*names` is null, or points to pairs of texts, one behind the other,
// of which the first one stands for the second one; an empty text ends them.
// What `names` points to may change, and stays where it is until the invocation
// ends.
void ember_rename(const char *const *names);

// At the entry of a function that may call itself: fails with EMBER_MEMORY when
// the calls have used up what a kernel may take of the stack.
void ember_check_recursion(void);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Memory for a kernel: `alignment` is a power of two (at least 16 is given).
// Never null: fails with EMBER_MEMORY. The caller of a kernel frees what a
// returned memref points to with ember_free; freeing null does nothing.
void *ember_alloc(int64_t bytes, int64_t alignment);
EMBER_EXPORT void ember_free(void *memory);

//===----------------------------------------------------------------------===//
// Checks at the entry of a kernel
//===----------------------------------------------------------------------===//

// Descriptors are {void *allocated; void *aligned; int64_t offset;
// int64_t sizes[rank]; int64_t strides[rank]}.

// Fails with EMBER_OVERLAP if an element of `a`, which the kernel writes,
// shares a byte with an element of `b`. Interleaved views of one buffer that
// share no element pass.
void ember_check_disjoint(const void *a, int32_t rankA, int64_t elementBytesA,
                          const char *nameA, const void *b, int32_t rankB,
                          int64_t elementBytesB, const char *nameB);

// In the place of a number that may be any.
#define EMBER_ANY INT64_MIN

// Checks what the types of `count` arguments say of their descriptors, and code
// therefore does not read from these. Of each, `layouts` has the number of the
// argument, where in `names` its name begins, the rank, and what offset, sizes
// and strides are, or EMBER_ANY. Fails with EMBER_SHAPE because of a size, and
// with EMBER_ASSERT because of anything else. Where there is one row or none at
// all, how far apart rows are does not matter, and libraries leave odd numbers
// there.
void ember_check_layouts(void *const *args, const int64_t *layouts,
                         int64_t count, const char *names);

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

// A loop whose iterations may run in any order and at once, and what they cost.
// Iteration i takes `cost` operations and, if there are offsets, `segmentCost`
// more for each element between offset i and offset i + 1.
typedef struct ember_loop {
  int64_t lower, upper;
  // Parts begin at `lower` plus a multiple of this: iterations that run at
  // once.
  int64_t group;
  int64_t cost;
  int64_t segmentCost;
  // The offsets, null if there are none: integers of `offsetBytes`, 4 or 8,
  // `offsetStride` bytes apart. That of iteration i is offset `firstOffset` + i
  // of `offsetCount`.
  const void *offsets;
  int64_t offsetBytes, offsetStride;
  int64_t firstOffset, offsetCount;
} ember_loop;

typedef struct ember_range {
  int64_t lower, upper;
} ember_range;

// Runs all iterations of `count` loops, of which none needs what another one
// does. body(env, ranges) runs iterations ranges[k].lower to ranges[k].upper of
// each loop k, in order. Where there is enough to do, the loops one behind the
// other are cut into parts of equal work, and threads of the pool take one part
// after the other, so which thread runs an iteration is left open. A part that
// fails keeps those behind it from starting; the first part that failed fails
// here. Inside of a part, parallel loops run on the thread of the part.
void ember_parallel(void (*body)(void *env, const ember_range *ranges),
                    void *env, const ember_loop *loops, int64_t count);

// How many threads ember_parallel takes at most for so much work.
int64_t ember_threads_for(int64_t work);

// Iterations that change places with one another.
enum { EMBER_ORDERED_ITERATIONS = 256 };

// In which order to run `count` iterations, at most EMBER_ORDERED_ITERATIONS,
// whose segments begin at offset `first` of `offsetCount`: fills `order` with
// their numbers. Short segments of one length stand side by side, so that the
// processor foresees where each ends. Offsets are
// as those of ember_loop.
//
// To be called in a body that ember_parallel runs. A part that fails is run
// once more, with all iterations in order, for the first error.
void ember_order_segments(const void *offsets, int64_t offsetBytes,
                          int64_t offsetStride, int64_t first,
                          int64_t offsetCount, int64_t count, uint8_t *order);

//===----------------------------------------------------------------------===//
// Decoupled execution
//===----------------------------------------------------------------------===//

// A bounded queue of operands and a bounded queue of tokens, from the access
// side to the compute side: see Queue.h.
typedef struct ember_queues ember_queues;

typedef struct ember_dae_program {
  void (*access)(void *env, ember_queues *queues);
  void (*compute)(void *env, ember_queues *queues);
  int64_t maxOperandBytes; // of the largest operand; 0 if there is none
  const char *name;        // for messages
  int64_t queueCapacity;   // as in ember_config, which goes first
} ember_dae_program;

// Runs both sides to their ends. The access side's last act is to push the
// token EMBER_DONE. A failure on either side stops both and then fails in the
// invocation of the caller, with the first message. Operands or tokens left
// over, a side that waits for one that has ended, and two sides that wait for
// each other are failures with code EMBER_QUEUE.
void ember_dae_run(const ember_dae_program *program, void *env);

enum {
  EMBER_SCHEDULE_THREADS = 0, // access on a pooled thread, compute on ours
  EMBER_SCHEDULE_FIBERS = 1   // both on this thread, in a fixed order
};

// EMBER_DEFAULT_QUEUE_CAPACITY leaves the choice to the runtime: as many
// operands as fit a data queue that stays in the cache of a core, within these
// bounds.
enum {
  EMBER_DEFAULT_QUEUE_CAPACITY = 0,
  EMBER_DEFAULT_QUEUE_BYTES = 1 << 18,
  EMBER_MIN_DEFAULT_CAPACITY = 16,
  EMBER_MAX_DEFAULT_CAPACITY = 4096
};

// EMBER_DEFAULT_THREADS are those that EMBER_NUM_THREADS or OMP_NUM_THREADS of
// the environment say, or else as many as there are processors to run on.
enum { EMBER_DEFAULT_THREADS = 0, EMBER_MAX_THREADS = 256 };

// Less work than this many operations is not worth waking another thread for.
enum { EMBER_DEFAULT_WORK_OF_THREAD = 1 << 17 };

typedef struct ember_config {
  int64_t queueCapacity; // operands of the largest size, and tokens; below 1:
                         // EMBER_DEFAULT_QUEUE_CAPACITY
  int32_t schedule;
  int32_t threads;      // of parallel loops; below 1: EMBER_DEFAULT_THREADS
  int64_t workOfThread; // below 1: EMBER_DEFAULT_WORK_OF_THREAD
} ember_config;

// Sets what decoupled runs and parallel loops that start from now on use, in
// the whole process; null restores the defaults.
EMBER_EXPORT void ember_configure(const ember_config *config);

// Threads of the program that parallel loops may run on too: an OpenMP team.
// run(member, argument, 0, 0) calls member(argument) on each thread of the
// calling thread's team, the caller among them, and returns when all are done:
// GOMP_parallel, which libgomp and LLVM's libomp have. size() is how many
// threads these are: omp_get_max_threads.
typedef struct ember_team {
  void (*run)(void (*member)(void *argument), void *argument, unsigned threads,
              unsigned flags);
  int (*size)(void);
} ember_team;

// From now on, parallel loops run on the team wherever its threads are still
// running, as they do for a while after a parallel region of the program, and
// on threads of the pool otherwise. Results are the same. Not in processes
// forked afterwards, where the team is not; null: never. The functions must
// stay loaded as long as the kernel library.
EMBER_EXPORT void ember_use_team(const ember_team *team);

#ifdef __cplusplus
}
#endif

#endif // EMBER_RUNTIME_RUNTIME_H
