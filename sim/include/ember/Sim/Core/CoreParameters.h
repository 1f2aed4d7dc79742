//===- CoreParameters.h - What a core is like -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_COREPARAMETERS_H
#define EMBER_SIM_CORE_COREPARAMETERS_H

#include "ember/Sim/Machine/Parameters.h"

namespace ember::sim {

enum class Disambiguation { perfect, waitForStores };

struct CoreParameters {
  uint64_t clockTicks = 5;
  uint64_t fetchWidth = 4;
  uint64_t renameWidth = 4;
  uint64_t issueWidth = 8;
  uint64_t retireWidth = 8;
  uint64_t frontEndCycles = 7;
  uint64_t mispredictionCycles = 4;
  uint64_t reorderBuffer = 224;
  uint64_t issueQueue = 120;
  uint64_t loadQueue = 96;
  uint64_t storeQueue = 96;
  uint64_t generalRegisters = 256;
  uint64_t vectorRegisters = 256;
  uint64_t branchPorts = 1;
  uint64_t simplePorts = 2;
  uint64_t complexPorts = 1;
  uint64_t memoryPorts = 2;
  uint64_t storeDataPorts = 2;
  uint64_t vectorPorts = 2;
  uint64_t addressCycles = 2;
  uint64_t forwardCycles = 2;
  uint64_t storesInFlight = 8;
  uint64_t historyBits = 12;
  uint64_t targetEntries = 4096;
  Disambiguation disambiguation = Disambiguation::perfect;

  void visit(ParameterVisitor &visitor);
  llvm::Error validate() const;
};

} // namespace ember::sim

#endif
