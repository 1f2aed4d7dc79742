//===- WorkerPool.cpp - Threads that wait for something to run ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pool takes no lock, so a fork at any moment leaves it usable in the
// child, where the workers it finds turn out to be without threads and are
// dropped. When the kernel library is unloaded, or the process exits, the
// idle threads are joined: none may be left in code that is about to vanish.
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"
#include "FloatingPointMode.h"
#include "Waiting.h"

#include <new>
#include <signal.h>
#include <stdlib.h>

using namespace ember::runtime;

// A worker that was just used is likely to be used again at once.
static constexpr int64_t idleSpinNanoseconds = 20000;

static constexpr size_t stackBytes = size_t(1) << 20;

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

void Worker::setState(State next) {
  __atomic_store_n(&state, next, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST))
    futexWake(&state);
}

bool Worker::changeState(State current, State next) {
  int32_t expected = current;
  return __atomic_compare_exchange_n(&state, &expected, next, /*weak=*/false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

Worker::State Worker::waitWhile(State current) {
  auto hasChanged = [&] {
    return __atomic_load_n(&state, __ATOMIC_SEQ_CST) != current;
  };
  if (!spinUntil(idleSpinNanoseconds, hasChanged)) {
    __atomic_fetch_add(&sleepers, 1, __ATOMIC_SEQ_CST);
    while (!hasChanged())
      futexWait(&state, current);
    __atomic_fetch_sub(&sleepers, 1, __ATOMIC_SEQ_CST);
  }
  return static_cast<State>(__atomic_load_n(&state, __ATOMIC_SEQ_CST));
}

void Worker::work() {
  while (waitWhile(Idle) != Exiting) {
    if (!changeState(Assigned, Working))
      continue;
    setFloatingPointMode(mode);
    task(argument);
    setState(Idle);
  }
}

void *Worker::threadMain(void *worker) {
  pthread_setname_np(pthread_self(), "ember-worker");
  static_cast<Worker *>(worker)->work();
  return nullptr;
}

void Worker::begin(void (*newTask)(void *), void *newArgument) {
  task = newTask;
  argument = newArgument;
  mode = floatingPointMode();
  setState(Assigned);
}

void Worker::cancel() { changeState(Assigned, Idle); }

void Worker::waitUntilIdle() {
  while (waitWhile(Assigned) != Idle)
    waitWhile(Working);
}

// Signals are for the threads of the application; those that a faulty access
// raises itself cannot be put off.
static void blockSignals(sigset_t *previous) {
  sigset_t blocked;
  sigfillset(&blocked);
  static constexpr int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                   SIGTRAP, SIGABRT, SIGSYS};
  for (int signal : faults)
    sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, previous);
}

Worker *Worker::start() {
  void *memory = nullptr;
  if (posix_memalign(&memory, alignof(Worker), sizeof(Worker)) != 0)
    return nullptr;
  Worker *worker = new (memory) Worker;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  sigset_t previous;
  blockSignals(&previous);
  int failed = pthread_create(&worker->thread, &attributes, threadMain, worker);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed) {
    worker->~Worker();
    free(memory);
    return nullptr;
  }
  worker->process = getpid();
  return worker;
}

Worker::~Worker() {
  if (!isAlive())
    return;
  setState(Exiting);
  pthread_join(thread, nullptr);
}

static void destroy(Worker *worker) {
  worker->~Worker();
  free(worker);
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

static constexpr int32_t maxIdleWorkers = 64;
static Worker *idleWorkers[maxIdleWorkers]; // null where there is none. Atomic
static int32_t isClosed = 0;                // Atomic

static Worker *takeIdleWorker() {
  for (Worker *&place : idleWorkers) {
    if (!__atomic_load_n(&place, __ATOMIC_RELAXED))
      continue;
    if (Worker *worker = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQ_REL))
      return worker;
  }
  return nullptr;
}

Worker *ember::runtime::takeWorker() {
  while (Worker *worker = takeIdleWorker()) {
    if (worker->isAlive())
      return worker;
    destroy(worker);
  }
  return Worker::start();
}

void ember::runtime::returnWorker(Worker *worker) {
  if (!__atomic_load_n(&isClosed, __ATOMIC_SEQ_CST)) {
    for (Worker *&place : idleWorkers) {
      Worker *expected = nullptr;
      if (__atomic_compare_exchange_n(&place, &expected, worker,
                                      /*weak=*/false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
        return;
    }
  }
  destroy(worker);
}

__attribute__((destructor)) static void closePool() {
  __atomic_store_n(&isClosed, 1, __ATOMIC_SEQ_CST);
  while (Worker *worker = takeIdleWorker())
    destroy(worker);
}
