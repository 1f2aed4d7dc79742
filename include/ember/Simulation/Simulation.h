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
  /// The same program is run by this processor, too.
  bool compare = true;
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

/// Runs `entry` of `source` on `arguments`. `reference` are the same arguments
/// again, for the comparison, which configurations of units do without; null
/// for none. Results that are not, bit by bit,
/// those of this processor are an error.
llvm::Expected<SimulationResult> simulate(Source &source, Entry entry,
                                          KernelArguments &arguments,
                                          KernelArguments *reference,
                                          const SimulationOptions &options);

} // namespace ember

#endif // EMBER_SIMULATION_SIMULATION_H
