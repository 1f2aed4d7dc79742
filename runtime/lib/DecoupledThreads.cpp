//===- DecoupledThreads.cpp - The two sides as two threads ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecoupledRun.h"
#include "Waiting.h"
#include "WorkerPool.h"

using namespace ember::runtime;

static void sleepOnFutex(ember_run *, ember_queue_side *side, int32_t wakeups) {
  futexWait(&side->wakeups, wakeups);
}

static void accessMain(void *run) {
  runAccessSide(*static_cast<ember_run *>(run));
}

bool ember::runtime::runOnThreads(ember_run &run, int64_t capacity) {
  Worker *worker = takeWorker();
  if (!worker)
    return false;
  if (!worker->queues.prepare(run, capacity)) {
    returnWorker(worker);
    return false;
  }
  run.block = sleepOnFutex;
  worker->begin(accessMain, &run);
  runComputeSide(run);
  worker->waitUntilIdle();
  checkNothingIsLeft(run);
  returnWorker(worker);
  return true;
}
