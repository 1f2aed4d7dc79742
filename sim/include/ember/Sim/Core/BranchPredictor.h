//===- BranchPredictor.h - What fetch believes of branches ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directions by two-bit counters that the address and the history of outcomes
// choose; targets of indirect branches by the same, in a table of their own.
// Returns are always predicted: kernels call little, and not deeply.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CORE_BRANCHPREDICTOR_H
#define EMBER_SIM_CORE_BRANCHPREDICTOR_H

#include "ember/Sim/Core/Emulator.h"

#include <vector>

namespace ember::sim {

class BranchPredictor {
public:
  BranchPredictor(unsigned historyBits, uint64_t targetEntries)
      : mask((uint64_t{1} << historyBits) - 1), counters(mask + 1, 1),
        targets(targetEntries, 0) {}

  /// Predicts a branch that was executed, learns from it, and says whether the
  /// prediction was right.
  bool predict(const DynamicInstruction &branch) {
    uint64_t address = branch.pc >> 2;
    switch (branch.instruction->branch) {
    case BranchKind::conditional: {
      bool taken = branch.next != branch.pc + 4;
      uint8_t &counter = counters[(address ^ history) & mask];
      bool right = (counter >= 2) == taken;
      if (taken ? counter < 3 : counter > 0)
        counter += taken ? 1 : -1;
      history = (history << 1 | taken) & mask;
      return right;
    }
    case BranchKind::indirect:
    case BranchKind::indirectCall: {
      uint64_t &target = targets[(address ^ history) & (targets.size() - 1)];
      bool right = target == branch.next;
      target = branch.next;
      history = (history << 2 ^ branch.next >> 2) & mask;
      return right;
    }
    default:
      return true;
    }
  }

private:
  uint64_t mask;
  uint64_t history = 0;
  std::vector<uint8_t> counters;
  std::vector<uint64_t> targets;
};

} // namespace ember::sim

#endif
