//===- Variant.h - Ways to compile and run one program ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which level a program is taken to, by which options, and how it then runs.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_EXECUTION_VARIANT_H
#define EMBER_FUZZ_EXECUTION_VARIANT_H

#include "ember/Fuzz/Program/Ast.h"
#include "ember/Fuzz/Program/Random.h"
#include <optional>
#include <string>
#include <vector>

namespace ember::fuzz {

/// How the queues of decoupled functions run, and loops in parts.
struct Schedule {
  bool hasThreads = false;
  int64_t capacity = 1;
  int32_t loopThreads = 1;

  std::string name() const;
};

/// The access unit beside each simulated core.
struct SimulatedUnit {
  int64_t lanes = 8;
  int64_t storage = 1024;
  int64_t chunkBytes = 2048;
  int64_t tokenBytes = 512;
  uint64_t chunks = 2;
  bool hasComputedQueues = false;

  /// As the options of --convert-dlc-to-tmu.
  std::string options() const;
};

struct Variant {
  enum Level : uint8_t {
    /// The program as it is.
    SCF,
    /// Decoupled and recoupled.
    SLC,
    /// Decoupled into access and compute programs.
    DLC
  };
  Level level = SCF;
  /// Between scf-to-slc and the rest: --optimize at this level; -1 without.
  /// --slc-to-dlc goes as far.
  int optLevel = -1;
  /// 0 is the target's.
  int64_t vectorLength = 1;
  /// How queues are aligned: auto, counters, pad, addresses.
  std::string alignment = "auto";
  /// At level 4, which operands ride in tokens: auto, any, none.
  std::string tokenValues = "auto";
  /// At level 4, which operands are sent only when they change: auto, all,
  /// none.
  std::string toggles = "auto";
  /// At level 4, which stores the access unit makes: auto, always, never.
  std::string storeStreams = "auto";
  /// At level 4, whether cases keep rows.
  bool keepsRows = false;
  /// Loops of statements that are alike are one function.
  bool sharesLoops = false;
  /// Arguments may share memory.
  bool mayAlias = false;
  /// Print and parse between the pipelines, as in a chain of files.
  bool hasTextBetween = false;
  /// Of the lowering to native code, and of LLVM.
  unsigned nativeLevel = 0;
  unsigned codeLevel = 0;
  /// Vector registers that the target has; 0 for the machine's.
  int64_t vectorRegisters = 0;
  /// Bits of the vectors of a simulated core that runs it, 0 for this
  /// processor.
  int64_t simulatedBits = 0;
  /// Runs the access programs; without one, threads of this processor do.
  std::optional<SimulatedUnit> unit;
  /// Also compile it in a new context, to the same code.
  bool isRepeated = false;
  /// One run for each; programs without queues or parallel loops do not differ
  /// in it.
  std::vector<Schedule> schedules = {{}};

  std::string levelName() const;
  std::string name() const;
  std::string optimization() const;
  std::string separation() const;
  /// The pipelines it goes through, as on ember-opt's command line.
  std::vector<std::string> pipelines() const;
};

/// The variants that the program of `seed` is tried in: some at every level.
std::vector<Variant> drawVariants(uint64_t seed, const Program &program);

/// Keeps some of the variants that were drawn for `seed`, in their order: of
/// each level one, if there is room for that, and others by chance.
void keepSomeVariants(std::vector<Variant> &variants, uint64_t seed,
                      size_t count);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_EXECUTION_VARIANT_H
