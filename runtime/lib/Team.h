//===- Team.h - The program's own threads, where they are awake -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LIB_TEAM_H
#define EMBER_RUNTIME_LIB_TEAM_H

#include <stdint.h>

namespace ember::runtime {

// Runs task(argument) on `threads` threads of the calling thread's team, or on
// as many as it has, the caller among them; returns when they are done. False,
// and nothing has run, where threads of the pool are the better choice.
bool runOnTeam(int64_t threads, void (*task)(void *), void *argument);

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LIB_TEAM_H
