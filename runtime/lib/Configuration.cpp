//===- Configuration.cpp - What ember_configure has set -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value is read and written on its own: calls that run while another
// thread configures see some of the new values.
//
//===----------------------------------------------------------------------===//

#include "Configuration.h"

#include <sched.h>
#include <stdlib.h>

using namespace ember::runtime;

static int64_t configuredCapacity = EMBER_DEFAULT_QUEUE_CAPACITY;
static int32_t configuredSchedule = EMBER_SCHEDULE_THREADS;
static int32_t configuredThreads = EMBER_DEFAULT_THREADS;
static int64_t configuredWork = EMBER_DEFAULT_WORK_OF_THREAD;

void ember_configure(const ember_config *config) {
  int64_t capacity = EMBER_DEFAULT_QUEUE_CAPACITY;
  int32_t schedule = EMBER_SCHEDULE_THREADS;
  int32_t threads = EMBER_DEFAULT_THREADS;
  int64_t work = EMBER_DEFAULT_WORK_OF_THREAD;
  if (config && config->queueCapacity >= 1)
    capacity = config->queueCapacity;
  if (config && config->schedule == EMBER_SCHEDULE_FIBERS)
    schedule = EMBER_SCHEDULE_FIBERS;
  if (config && config->threads >= 1)
    threads = config->threads;
  if (config && config->workOfThread >= 1)
    work = config->workOfThread;
  __atomic_store_n(&configuredCapacity, capacity, __ATOMIC_RELAXED);
  __atomic_store_n(&configuredSchedule, schedule, __ATOMIC_RELAXED);
  __atomic_store_n(&configuredThreads, threads, __ATOMIC_RELAXED);
  __atomic_store_n(&configuredWork, work, __ATOMIC_RELAXED);
}

// What the variable says, if that is a positive number.
static int32_t threadsOfVariable(const char *name) {
  const char *text = getenv(name);
  long number = text ? strtol(text, nullptr, 10) : 0;
  return number >= 1 && number <= EMBER_MAX_THREADS ? number : 0;
}

static int32_t threadsOfProcess() {
  if (int32_t threads = threadsOfVariable("EMBER_NUM_THREADS"))
    return threads;
  if (int32_t threads = threadsOfVariable("OMP_NUM_THREADS"))
    return threads;
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) != 0)
    return 1;
  int32_t count = CPU_COUNT(&processors);
  return count < EMBER_MAX_THREADS ? count : EMBER_MAX_THREADS;
}

ember_config ember::runtime::currentConfiguration() {
  static int32_t processThreads = 0; // once known. Atomic
  ember_config config;
  config.queueCapacity = __atomic_load_n(&configuredCapacity, __ATOMIC_RELAXED);
  config.schedule = __atomic_load_n(&configuredSchedule, __ATOMIC_RELAXED);
  config.threads = __atomic_load_n(&configuredThreads, __ATOMIC_RELAXED);
  config.workOfThread = __atomic_load_n(&configuredWork, __ATOMIC_RELAXED);
  if (config.threads == EMBER_DEFAULT_THREADS) {
    config.threads = __atomic_load_n(&processThreads, __ATOMIC_RELAXED);
    if (config.threads == 0) {
      config.threads = threadsOfProcess();
      __atomic_store_n(&processThreads, config.threads, __ATOMIC_RELAXED);
    }
  }
  if (config.threads > EMBER_MAX_THREADS)
    config.threads = EMBER_MAX_THREADS;
  return config;
}
