//===- QueueFastPath.cpp - The queue functions as LLVM bitcode ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to bitcode only. The definitions are external, so that a linker of
// modules finds them for the declarations of generated code; they inline at
// every optimisation level.
//
//===----------------------------------------------------------------------===//

#define EMBER_QUEUE_FUNCTION extern "C" __attribute__((always_inline))
#include "ember/Runtime/Queue.h"
