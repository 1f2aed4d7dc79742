//===- OccupancyTrace.h - What is in use, over time -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter for everything whose occupancy a machine counts: queues, MSHRs,
// reorder buffers, messages on their way. It has a point at each sample at
// which there is another number than before.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_OCCUPANCYTRACE_H
#define EMBER_SIM_TRACE_OCCUPANCYTRACE_H

#include "ember/Sim/Engine/Statistics.h"
#include "ember/Sim/Trace/PerfettoTrace.h"

#include <vector>

namespace ember::sim {

class OccupancyTrace {
public:
  /// Of all that the registry knows so far.
  OccupancyTrace(PerfettoTrace &trace, const Statistics &statistics);

  /// Called as time passes.
  void advance(Tick now) {
    if (now >= next)
      sample(now);
  }

private:
  static constexpr Tick interval = 10 * ticksPerNanosecond;
  static constexpr uint64_t unknown = ~uint64_t{0};

  struct Counter {
    const Occupancy *occupancy;
    PerfettoTrace::Track track;
    std::string name;
    uint64_t last = unknown;
  };

  void sample(Tick now);

  PerfettoTrace &trace;
  std::vector<Counter> counters;
  Tick next = 0;
};

} // namespace ember::sim

#endif
