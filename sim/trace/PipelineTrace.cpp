//===- PipelineTrace.cpp - Instructions of a core, for Konata -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Trace/PipelineTrace.h"

#include "llvm/ADT/StringExtras.h"

using namespace ember::sim;

void PipelineTrace::retired(const InstructionStages &stages) {
  if (!trace.traces(stages.fetch))
    return;
  std::string text = llvm::utohexstr(stages.pc, /*LowerCase=*/true) + ": " +
                     program.print(stages.pc);
  KonataTrace::Instruction instruction =
      trace.begin(thread, text, stages.fetch);
  trace.stage(instruction, "F", stages.fetch);
  trace.stage(instruction, "Rn", stages.rename);
  trace.stage(instruction, "Is", stages.issue);
  trace.stage(instruction, "Cm", stages.complete);
  trace.retire(instruction, stages.retire);
}
