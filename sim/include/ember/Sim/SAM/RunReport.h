//===- RunReport.h - What a run of a graph was like -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counts of a run as text and as JSON, and its tokens as a trace for
// Perfetto.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_RUNREPORT_H
#define EMBER_SIM_SAM_RUNREPORT_H

#include "ember/Sim/SAM/Run.h"

#include "llvm/Support/JSON.h"

namespace ember::sim {
class PerfettoTrace;
}

namespace ember::sim::sam {

/// {"cycles": 359, "tokens": 812, "blocks": {"scan_Bi": {"kind": ..., "busy":
/// ...,
///  "outputs": {"crd": {"data": 29, ...}}}}, "criticalChain": [...]}
llvm::json::Object statisticsOf(const Graph &graph, const Run &run);

/// A table of blocks, and the critical chain in words where it is known.
void printRun(const Graph &graph, const Run &run, llvm::raw_ostream &os);

/// A track an output, on which each token is a nanosecond for its cycle. The
/// run has kept its streams.
void traceRun(const Graph &graph, const Run &run, PerfettoTrace &trace);

/// A picture in SVG: a row for each block, coloured where it shows tokens, of
/// data above and others below. The run has kept its streams.
void writeGantt(const Graph &graph, const Run &run, llvm::raw_ostream &os);

} // namespace ember::sim::sam

#endif
