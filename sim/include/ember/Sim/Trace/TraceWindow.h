//===- TraceWindow.h - Which part of a run is traced ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_TRACEWINDOW_H
#define EMBER_SIM_TRACE_TRACEWINDOW_H

#include "ember/Sim/Engine/Time.h"

#include <limits>

namespace ember::sim {

/// The ticks from the first to the last one, both included.
struct TraceWindow {
  Tick first = 0;
  Tick last = std::numeric_limits<Tick>::max();

  static TraceWindow ofNanoseconds(double from, double to) {
    return {ticksOf(from), ticksOf(to)};
  }
  bool contains(Tick at) const { return at >= first && at <= last; }
  bool overlaps(Tick from, Tick to) const {
    return to >= first && from <= last;
  }
};

} // namespace ember::sim

#endif
