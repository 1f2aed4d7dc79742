//===- Progress.h - How far a simulation is ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_PROGRESS_H
#define EMBER_SIMULATION_PROGRESS_H

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdint>

namespace ember {

/// Says which part of a run's instructions is done and what time is left, as
/// far as the time so far tells: on one line of a terminal that is written
/// again, elsewhere on a line for each tenth.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  /// The stream outlives it.
  Progress(llvm::raw_ostream &os, bool isTerminal)
      : os(os), isTerminal(isTerminal) {}
  ~Progress();

  /// A run of so many instructions begins.
  void begin(uint64_t instructions, Clock::time_point now = Clock::now());
  /// So many of them are done.
  void update(uint64_t instructions, Clock::time_point now = Clock::now());
  /// The line of a terminal is free again.
  void end();

private:
  llvm::raw_ostream &os;
  const bool isTerminal;
  uint64_t total = 0;
  Clock::time_point since, said;
  /// Elsewhere than on a terminal.
  uint64_t tenths = 0;
  bool hasLine = false;
};

} // namespace ember

#endif // EMBER_SIMULATION_PROGRESS_H
