//===- Summary.h - What a simulation says in short --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATION_SUMMARY_H
#define EMBER_SIMULATION_SUMMARY_H

#include "ember/Simulation/Simulation.h"

namespace ember {

/// Writes some lines: how long the program takes, what its cores wait for, how
/// much memory moves, and what limits it.
void printSummary(const SimulationResult &result,
                  const sim::MachineParameters &machine, llvm::raw_ostream &os);

} // namespace ember

#endif // EMBER_SIMULATION_SUMMARY_H
