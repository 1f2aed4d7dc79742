//===- Isolate.h - Code that may crash or hang ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_FUZZ_CAMPAIGN_ISOLATE_H
#define EMBER_LIB_FUZZ_CAMPAIGN_ISOLATE_H

#include <functional>
#include <string>
#include <sys/types.h>

namespace ember::fuzz {

/// A process forked from this one, and the lines it writes.
struct Child {
  pid_t pid = -1;
  int lines = -1;
};

/// Writes one line to the parent.
using SendLine = std::function<void(const std::string &)>;

/// Runs `work` in a child process; ends the program if there can be none.
Child startChild(const std::function<void(const SendLine &)> &work);

/// Ends a child at once. Does nothing for one that could not be started: its
/// pid would name every process there is.
void killChild(const Child &child);

/// The processors' time that all threads of a child have taken, in seconds.
double cpuSeconds(const Child &child);

/// How a child ended: empty after a normal end, else "signal 11: Segmentation
/// fault" or "exit status 1".
std::string waitForChild(const Child &child);

struct IsolatedRun {
  std::string output;
  std::string death;
  bool hasTimedOut = false;
};

/// Runs `work` in a child and waits, at most `seconds`.
IsolatedRun runIsolated(const std::function<void(const SendLine &)> &work,
                        double seconds);

} // namespace ember::fuzz

#endif // EMBER_LIB_FUZZ_CAMPAIGN_ISOLATE_H
