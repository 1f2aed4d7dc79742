//===- WorkerPool.h - Threads that wait for something to run ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_WORKERPOOL_H
#define EMBER_RUNTIME_LIB_WORKERPOOL_H

#include "DecoupledRun.h"

#include <pthread.h>
#include <unistd.h>

namespace ember::runtime {

// A thread, with queues for the decoupled runs it works for. Either idle in the
// pool, or working for the one run that took it.
class Worker {
public:
  // Starts a thread; null if that is not possible.
  static Worker *start();

  // Whether the thread exists in this process: the memory of a worker survives
  // a fork, its thread does not.
  bool isAlive() const { return process == getpid(); }

  // Runs task(argument) while the caller does something else.
  void begin(void (*task)(void *), void *argument);
  // Takes the task back, unless the thread has begun it. A thread that sleeps
  // takes a while to wake up.
  void cancel();
  void waitUntilIdle();

  // Ends the thread, which must be idle, if it is alive.
  ~Worker();

  QueueMemory queues;

private:
  enum State : int32_t { Idle, Assigned, Working, Exiting };

  Worker() = default;
  static void *threadMain(void *worker);
  void work();
  void setState(State next);
  bool changeState(State current, State next);
  State waitWhile(State current);

  pthread_t thread;
  pid_t process = 0;
  void (*task)(void *) = nullptr;
  void *argument = nullptr;
  uint64_t mode = 0;    // of floating point, in the thread that gave the task
  int32_t state = Idle; // Atomic
  int32_t sleepers = 0; // threads that sleep until `state` changes. Atomic
};

// An idle worker, newly started if there is none; null if no thread can be
// started.
Worker *takeWorker();

// Gives an idle worker back.
void returnWorker(Worker *worker);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_WORKERPOOL_H
