//===- PipelineTrace.h - Instructions of a core, for Konata -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions as they retire, each with the cycles at which it was fetched
// (F), renamed and waiting (Rn), issued (Is), and done, to be retired (Cm). A
// core is a thread of the log.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_PIPELINETRACE_H
#define EMBER_SIM_TRACE_PIPELINETRACE_H

#include "ember/Sim/Core/OutOfOrderCore.h"
#include "ember/Sim/Trace/KonataTrace.h"

namespace ember::sim {

class PipelineTrace final : public StageObserver {
public:
  PipelineTrace(KonataTrace &trace, uint32_t thread, const Emulator &program)
      : trace(trace), thread(thread), program(program) {}

  void retired(const InstructionStages &stages) override;

private:
  KonataTrace &trace;
  const uint32_t thread;
  const Emulator &program;
};

} // namespace ember::sim

#endif
