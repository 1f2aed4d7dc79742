//===- LargeStack.cpp - Room for deeply nested programs -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/LargeStack.h"
#include "llvm/Support/thread.h"

int ember::runOnLargeStack(llvm::function_ref<int()> body) {
  // Address space only; pages come as they are used.
  constexpr unsigned stackBytes = 1u << 30;
  int status = 1;
  llvm::thread worker(std::optional<unsigned>(stackBytes),
                      [&] { status = body(); });
  worker.join();
  return status;
}
