//===- TMUParameters.h - What a Tensor Marshaling Unit is like --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TMU_TMUPARAMETERS_H
#define EMBER_SIM_TMU_TMUPARAMETERS_H

#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Machine/Parameters.h"

namespace ember::sim {

struct TMUProgram;

/// Which requests share a line that is on its way.
enum class Coalescing : uint8_t {
  none,
  /// One that follows a request of the unit for the same line.
  previous,
  /// One that follows a request of the same stream, in any lane.
  stream,
};

struct TMUParameters {
  double clock = 1;
  uint64_t lanes = 8;
  uint64_t layers = 8;
  uint64_t laneStorage = 1024;
  bool computedQueues = false;
  uint64_t outstanding = 256;
  uint64_t requestsPerCycle = 1;
  Coalescing coalescing = Coalescing::stream;
  uint64_t stepsPerCycle = 1;
  uint64_t fiberCycles = 1;
  uint64_t switchCycles = 0;
  uint64_t pushesPerCycle = 1;
  uint64_t marshalBytes = 64;
  uint64_t chunks = 2;
  uint64_t chunkBytes = 4096;
  uint64_t tokenBytes = 1024;
  uint64_t outputLines = 8;
  uint64_t storeLines = 8;
  uint64_t deviceCycles = 4;
  uint64_t launchCycles = 32;

  /// Of the clock, in ticks.
  Tick period() const;
  /// Lines asked for at a time, loaded and stored.
  uint64_t lines() const { return outstanding + storeLines; }

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
  /// Whether the unit has room for a program.
  llvm::Error fits(const TMUProgram &program) const;
};

} // namespace ember::sim

#endif
