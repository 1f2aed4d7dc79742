//===- TMUTrace.h - A TMU on a Perfetto trace -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks of the layers, with a slice for each fiber, of the requests, with one
// for each line on its way, and of the chunks, which are filled, written, and
// held by the core.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_TMUTRACE_H
#define EMBER_SIM_TMU_TMUTRACE_H

#include "ember/Sim/Trace/PerfettoTrace.h"

#include <string>
#include <vector>

namespace ember::sim {

class TMUTrace {
public:
  TMUTrace(PerfettoTrace &trace, llvm::StringRef name)
      : trace(trace), name(name) {}

  /// A layer walked a fiber of so many steps.
  void fiber(unsigned layer, Tick from, Tick to, uint64_t steps);
  /// A line was asked for and came; so many requests are numbered again.
  void request(uint32_t number, uint64_t line, Tick from, Tick to);
  /// A chunk was in a state.
  void chunk(uint64_t buffer, llvm::StringRef state, uint64_t number, Tick from,
             Tick to);

private:
  PerfettoTrace::Track track(std::vector<PerfettoTrace::Track> &tracks,
                             llvm::StringRef kind, size_t number);

  PerfettoTrace &trace;
  const std::string name;
  std::vector<PerfettoTrace::Track> layers, requests, chunks;
};

} // namespace ember::sim

#endif
