//===- KonataTrace.h - What a pipeline did, for Konata ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a "Kanata" log, version 0004: for each instruction its text and the
// cycles at which it enters the stages of a pipeline.
//
// The log is in the order of time. A core may say early what will happen later,
// when an instruction that it issues will be done: that is held back until the
// log comes there, so much of it at a time. What is too much is written at its
// place in the order of what is held back, and what comes too late for its
// place at the cycle that the log has reached.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_TRACE_KONATATRACE_H
#define EMBER_SIM_TRACE_KONATATRACE_H

#include "ember/Sim/Trace/TraceWindow.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace ember::sim {

class KonataTrace {
public:
  /// An instruction in the log.
  using Instruction = uint64_t;
  /// One outside of the window, of which nothing is written.
  static constexpr Instruction untraced = ~uint64_t{0};

  /// `clock` is what cycles are counted in.
  KonataTrace(std::unique_ptr<llvm::raw_ostream> stream, Clock clock,
              TraceWindow window = {}, size_t heldBack = 1 << 16);
  ~KonataTrace();

  static llvm::Expected<std::unique_ptr<KonataTrace>>
  open(llvm::StringRef path, Clock clock, TraceWindow window = {});

  /// Whether an instruction that begins then is traced: if not, nobody needs to
  /// make its text.
  bool traces(Tick at) const { return window.contains(at); }

  /// An instruction of a thread begins; `text` is shown for it. One that begins
  /// in the window is traced to its end.
  Instruction begin(uint32_t thread, llvm::StringRef text, Tick at);
  /// Shown where the pointer is on the instruction.
  void describe(Instruction instruction, llvm::StringRef text, Tick at);
  /// It enters a stage, and leaves the one before. Stages of other lanes go on
  /// beside.
  void stage(Instruction instruction, llvm::StringRef name, Tick at,
             unsigned lane = 0);
  void stageEnd(Instruction instruction, llvm::StringRef name, Tick at,
                unsigned lane = 0);
  /// `consumer` waits for what `producer` makes.
  void depends(Instruction consumer, Instruction producer, Tick at);
  /// Nothing may be said of it any more.
  void retire(Instruction instruction, Tick at);
  /// It was fetched in vain.
  void discard(Instruction instruction, Tick at);

  /// Nothing will come for a time before `now`: what is earlier is written.
  void advance(Tick now);

private:
  struct Line {
    uint64_t cycle;
    uint64_t order;
    std::string text;
    bool operator>(const Line &other) const {
      return cycle != other.cycle ? cycle > other.cycle : order > other.order;
    }
  };

  void add(Tick at, std::string text);
  void writeFirst();
  void end(Instruction instruction, Tick at, bool discarded);

  std::unique_ptr<llvm::raw_ostream> stream;
  Clock clock;
  TraceWindow window;
  size_t heldBack;
  std::priority_queue<Line, std::vector<Line>, std::greater<>> lines;
  uint64_t order = 0;
  uint64_t begun = 0;
  uint64_t retired = 0;
  uint64_t cycle = 0;
  bool started = false;
};

} // namespace ember::sim

#endif
