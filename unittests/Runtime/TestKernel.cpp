//===- TestKernel.cpp - A kernel library to load and unload ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Queue.h"

static void access(void *env, ember_queues *queues) {
  int64_t count = *static_cast<int64_t *>(env);
  for (int64_t i = 0; i < count; ++i) {
    *static_cast<int64_t *>(ember_data_acquire(queues, 8)) = i;
    ember_data_commit(queues, 8);
    ember_token_push(queues, 0);
  }
  ember_token_push(queues, EMBER_DONE);
}

static void compute(void *env, ember_queues *queues) {
  int64_t sum = 0;
  while (ember_token_pop(queues) != EMBER_DONE) {
    sum += *static_cast<int64_t *>(ember_data_wait(queues, 8));
    ember_data_release(queues, 8);
  }
  *static_cast<int64_t *>(env) = sum;
}

static void packedSum(void **args) {
  ember_dae_program program = {access, compute, 8, "sum",
                               EMBER_DEFAULT_QUEUE_CAPACITY};
  ember_dae_run(&program, args[0]);
}

// Replaces the number at args[0] by the sum of the numbers below it.
extern "C" EMBER_EXPORT int32_t ember_kernel_sum(void **args,
                                                 ember_error *error) {
  return ember_invoke(packedSum, args, error);
}
