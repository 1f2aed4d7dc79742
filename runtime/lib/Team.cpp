//===- Team.cpp - The program's own threads, where they are awake ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of an OpenMP team go on running for a while after each parallel
// region, some milliseconds in libgomp, to be there when the next one begins.
// A thread of the pool then finds no processor, and a sleeping one is not given
// any until the members are interrupted; the members themselves would begin at
// once. Members that sleep, or that other programs keep from running, are worse
// than the pool: a region ends only when each has come, and a thread of the
// pool that has not begun is not waited for.
//
// OpenMP does not say which it is, but the processor time of a member does:
// it goes on only while the member runs.
//
//===----------------------------------------------------------------------===//

#include "Team.h"
#include "FloatingPointMode.h"
#include "ember/Runtime/Runtime.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

using namespace ember::runtime;

// Each thread of the program has a team of its own. A thread that calls so
// rarely is not given one that it may not have.
static constexpr int32_t callsBeforeTeam = 16;

using Run = decltype(ember_team::run);
using Size = decltype(ember_team::size);

static Run runMembers = nullptr; // Atomic
static Size teamSize = nullptr;  // Atomic
static pid_t teamProcess = 0;    // Atomic

// The processor time of a member of this thread's team, once one was seen.
static thread_local bool isMemberKnown = false;
static thread_local clockid_t memberClock;
static thread_local int32_t callsWithoutTeam = 0;

void ember_use_team(const ember_team *team) {
  __atomic_store_n(&runMembers, static_cast<Run>(nullptr), __ATOMIC_SEQ_CST);
  if (!team || !team->run || !team->size)
    return;
  __atomic_store_n(&teamSize, team->size, __ATOMIC_RELAXED);
  __atomic_store_n(&teamProcess, getpid(), __ATOMIC_RELAXED);
  __atomic_store_n(&runMembers, team->run, __ATOMIC_RELEASE);
}

namespace {
// What the members are given.
struct Region {
  void (*task)(void *);
  void *argument;
  uint64_t mode; // of floating point, in the calling thread
  pthread_t caller;
  int64_t seats;     // for members that may still begin. Atomic
  int32_t hasMember; // whether one has begun. Atomic
  clockid_t clock;   // of the first one
};
} // namespace

// Whether a member is running at this moment. One stands for all of them: they
// began to wait at the same time.
static bool isMemberRunning() {
  timespec first, second;
  if (clock_gettime(memberClock, &first) != 0 ||
      clock_gettime(memberClock, &second) != 0) {
    isMemberKnown = false; // It has ended.
    return false;
  }
  return first.tv_nsec != second.tv_nsec || first.tv_sec != second.tv_sec;
}

static bool shallRun(int64_t threads, Size size) {
  // The threads of a process that was forked are not there in the fork, and a
  // region would wait for them.
  if (__atomic_load_n(&teamProcess, __ATOMIC_RELAXED) != getpid())
    return false;
  // A much smaller team has been made so to leave the processors to the pool.
  int64_t members = size();
  if (members < 2 || 2 * members < threads)
    return false;
  if (isMemberKnown)
    return isMemberRunning();
  if (++callsWithoutTeam < callsBeforeTeam)
    return false;
  callsWithoutTeam = 0;
  return true;
}

// Runs on each member. Those too many leave at once; a smaller region would end
// the threads that are too many for it.
static void memberMain(void *argument) {
  auto &region = *static_cast<Region *>(argument);
  if (pthread_equal(pthread_self(), region.caller))
    return region.task(region.argument);
  if (!__atomic_exchange_n(&region.hasMember, 1, __ATOMIC_RELAXED))
    pthread_getcpuclockid(pthread_self(), &region.clock);
  if (__atomic_fetch_sub(&region.seats, 1, __ATOMIC_RELAXED) <= 0)
    return;
  // The thread is the program's, and goes on with the mode it came with.
  uint64_t before = floatingPointMode();
  setFloatingPointMode(region.mode);
  region.task(region.argument);
  setFloatingPointMode(before);
}

bool ember::runtime::runOnTeam(int64_t threads, void (*task)(void *),
                               void *argument) {
  Run run = __atomic_load_n(&runMembers, __ATOMIC_ACQUIRE);
  if (!run || !shallRun(threads, __atomic_load_n(&teamSize, __ATOMIC_RELAXED)))
    return false;
  Region region = {task,        argument, floatingPointMode(), pthread_self(),
                   threads - 1, 0,        clockid_t()};
  run(memberMain, &region, /*threads=*/0, /*flags=*/0);
  if (region.hasMember) {
    isMemberKnown = true;
    memberClock = region.clock;
  }
  return true;
}
