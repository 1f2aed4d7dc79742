//===- SampledRun.h - Long runs, of which parts take time -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Systematic sampling, as in SMARTS (Wunderlich, Wenisch, Falsafi and Hoe, ISCA
// 2003). A run begins in detail. Then all cores go on without time for most of
// a period, and in detail again, for some instructions so that queues fill, and
// for a window that is measured; and so on. The first periods are shorter, so
// that short runs have windows, too. All are longer or shorter by up to a half,
// at random but the same in each run: programs have periods of their own.
//
// A window stands for the instructions around it, up to half of the way to the
// next one. From how much windows differ follows an interval for the time of
// each core; that of the run is from the latest of the cores' lower bounds to
// the latest of their upper ones, which all hold together as often as is said.
// The latest of several uncertain times is too late on average: before that,
// what cores differ by is taken back as far as it is not more than windows make
// them differ (as empirical Bayes estimates do).
//
// What no interval knows of: what fast-forwarding leaves in caches that time
// would not, or the other way round; and how cores that take lines from each
// other fall into step, which they lose when time stands still.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_SAMPLEDRUN_H
#define EMBER_SIM_MACHINE_SAMPLEDRUN_H

#include "ember/Sim/Machine/Machine.h"

#include <random>

namespace ember::sim {

/// In instructions of the fastest core.
struct SamplingParameters {
  uint64_t period = 100000;
  /// That are measured.
  uint64_t window = 8000;
  /// In detail before each window.
  uint64_t warmUp = 4000;

  llvm::Error validate() const;
};

class SampledRun {
public:
  static constexpr double confidence = 0.95;
  /// By which an interval is wider at both ends, as a part of the time that was
  /// not simulated in detail: windows that agree may all be off.
  static constexpr double bias = 0.02;

  /// `parameters` are valid; the machine has no units.
  SampledRun(Machine &machine, const SamplingParameters &parameters)
      : machine(machine), parameters(parameters) {}

  /// As `Machine::run`; where that is called several times, so is this.
  llvm::Error run();

  /// Of all runs so far, in ticks.
  struct Estimate {
    double ticks = 0, low = 0, high = 0;
    /// Of `ticks`, as far as windows differ.
    double variance = 0;
  };
  const Estimate &estimate() const { return total; }
  uint64_t windows() const { return windowCount; }
  uint64_t instructions() const { return executed; }
  uint64_t detailedInstructions() const { return detailed; }

  /// For the statistics.
  llvm::json::Object toJSON() const;

private:
  struct Sample {
    /// The instructions between which it was fast-forwarded before.
    uint64_t from = 0, to = 0;
    double ticksPerInstruction = 0;
  };
  struct CoreRun {
    OutOfOrderCore *core = nullptr;
    uint64_t first = 0;
    /// Of the part in detail at the beginning.
    uint64_t instructions = 0;
    double ticks = 0;
    /// It has never gone on without time.
    bool exact = true;
    bool over = false;
    std::vector<Sample> samples;
    /// Since fast-forwarding began last.
    Sample next;
    /// Of all that was measured.
    double measuredInstructions = 0, measuredTicks = 0;
  };

  uint64_t position(const CoreRun &run) const {
    return run.core->program().executed() - run.first;
  }
  llvm::Error begin(std::vector<CoreRun> &runs);
  llvm::Error pause(std::vector<CoreRun> &runs);
  llvm::Error goOn(std::vector<CoreRun> &runs, double part);
  void addMeasured(CoreRun &run);
  llvm::Expected<Estimate> estimate(const CoreRun &run, uint64_t cores) const;
  static Estimate latestOf(llvm::ArrayRef<Estimate> cores);

  Machine &machine;
  const SamplingParameters parameters;
  Estimate total;
  uint64_t windowCount = 0, executed = 0, detailed = 0;
  std::minstd_rand random;
};

} // namespace ember::sim

#endif
