//===- OccupancyTrace.cpp - What is in use, over time ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Trace/OccupancyTrace.h"

using namespace ember::sim;

OccupancyTrace::OccupancyTrace(PerfettoTrace &trace,
                               const Statistics &statistics)
    : trace(trace) {
  for (const auto &[path, occupancy] : statistics.occupancies()) {
    auto [part, name] = llvm::StringRef(path).rsplit('.');
    counters.push_back({occupancy, trace.addTrack(part, name), name.str()});
  }
}

void OccupancyTrace::sample(Tick now) {
  next = now - now % interval + interval;
  if (!trace.traces(now))
    return;
  for (Counter &counter : counters) {
    uint64_t value = counter.occupancy->current();
    if (value != counter.last)
      trace.counter(counter.track, counter.name, now, value);
    counter.last = value;
  }
}
