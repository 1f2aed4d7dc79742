//===- DRAMTrace.h - Banks on a Perfetto trace ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A track for each bank, with a slice for each time for which a row was open
// and instants for reads, writes and refreshes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_DRAMTRACE_H
#define EMBER_SIM_TRACE_DRAMTRACE_H

#include "ember/Sim/Memory/DRAMCommand.h"
#include "ember/Sim/Trace/PerfettoTrace.h"

#include <vector>

namespace ember::sim {

class DRAMTrace final : public DRAMObserver {
public:
  DRAMTrace(PerfettoTrace &trace, const DRAMGeometry &geometry);

  void command(const DRAMEvent &event) override;

  /// Ends the slices of rows that are still open.
  void finish(Tick end);

private:
  struct Bank {
    PerfettoTrace::Track track;
    bool open = false;
    uint64_t row = 0;
    Tick since = 0;
  };

  void close(Bank &bank, Tick at);

  PerfettoTrace &trace;
  const DRAMGeometry geometry;
  std::vector<Bank> banks;
};

} // namespace ember::sim

#endif
