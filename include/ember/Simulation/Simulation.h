//===- Simulation.h - Runs a program on a simulated machine -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a function for the cores of a described machine, runs it there cycle
// by cycle, and says what each part of the machine did.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_SIMULATION_H
#define EMBER_SIMULATION_SIMULATION_H

#include "ember/Driver/Run.h"
#include "ember/Sim/Machine/MachineParameters.h"
#include "ember/Sim/Machine/SampledRun.h"
#include "ember/Sim/Trace/TraceWindow.h"
#include "ember/Simulation/GuestProcess.h"
#include "ember/Simulation/Progress.h"

namespace ember {

/// What stands beside each core.
enum class SimulatedUnit : uint8_t {
  none,
  /// A Tensor Marshaling Unit, which runs the access programs.
  tmu,
  /// An engine that prefetches rows, for plain loops.
  indirection,
};

/// Files that show what happened in a part of a run.
struct TraceOptions {
  /// For ui.perfetto.dev and for Konata; empty for none.
  std::string events, pipeline;
  sim::TraceWindow window;
};

struct SimulationOptions {
  /// For whose cores; what it says of a processor is the machine's.
  CompileOptions compile;
  sim::MachineParameters machine;
  SimulatedUnit unit = SimulatedUnit::none;
  TraceOptions trace;
  /// Only parts of the run take time, and the time of all is estimated.
  std::optional<sim::SamplingParameters> sampling;
};

struct SimulationResult {
  /// Whose memory the results are in.
  std::unique_ptr<GuestProcess> process;
  /// What each part counted, as docs/simulator.md says.
  llvm::json::Object statistics;
  /// Seconds that the simulation took on this machine.
  double seconds = 0;
  /// Whether results are known to be those of this processor.
  bool isCompared = false;
};

/// The same arguments several times, as runs change them.
struct SimulationArguments {
  KernelArguments run;
  /// For the comparison, which configurations of units do without.
  std::optional<KernelArguments> reference;
  /// For a run without time before, which counts the instructions that
  /// progress is measured by.
  std::optional<KernelArguments> counted;
};

/// Runs `entry` of `source` on `arguments`. Results that are not, bit by bit,
/// those of this processor are an error. `progress` is told how far the run is,
/// if there are arguments to count with.
llvm::Expected<SimulationResult> simulate(Source &source, Entry entry,
                                          SimulationArguments &arguments,
                                          const SimulationOptions &options,
                                          Progress &progress);

} // namespace ember

#endif // EMBER_SIMULATION_SIMULATION_H
