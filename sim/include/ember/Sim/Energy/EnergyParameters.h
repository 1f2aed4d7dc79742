//===- EnergyParameters.h - What events cost --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Energy of events and power of what is there. Absolute values are those of
// nobody's machine: the model is for comparing machines and programs.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_ENERGY_ENERGYPARAMETERS_H
#define EMBER_SIM_ENERGY_ENERGYPARAMETERS_H

#include "ember/Sim/Machine/Parameters.h"

namespace ember::sim {

struct EnergyParameters {
  // In pJ.
  double instruction = 21;
  double operation = 0.06;
  double product = 1.31;
  double vectorByte = 0.42;
  double arrayWord = 7.5;
  double searchedEntry = 0.05;
  double hopByte = 2.5;
  double unitStep = 0.5;
  double activate = 909;
  double readBit = 3.48;
  double writeBit = 3.48;
  // Plain numbers and bytes.
  double arrayExponent = 0.13;
  uint64_t reorderEntryBytes = 16;
  uint64_t queueEntryBytes = 16;
  uint64_t refreshedRows = 64;
  // In mW.
  double core = 250;
  double entry = 0.1;
  double arrayKibibyte = 0.1;
  double router = 10;
  double unit = 10;
  double channel = 100;

  void visit(ParameterVisitor &visitor);
};

} // namespace ember::sim

#endif
