//===- Compile.h - From a program to any of its stages ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a library: what emberc and ember-run do between reading a
// program and writing or running it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_COMPILE_H
#define EMBER_DRIVER_COMPILE_H

#include "ember/Driver/Levels.h"
#include "ember/Driver/Source.h"
#include "ember/Driver/Targets.h"
#include "ember/Loops/Transforms/PrefetchSettings.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace ember {

struct CompileOptions {
  /// Null where each function is run at the level it is at.
  const KernelTarget *target = getTargets().begin();
  /// Of Ember's pipelines, 0 to 4, and of LLVM's, which end at 3.
  unsigned optLevel = 3;
  /// That of access and compute programs alone, where it is another one.
  std::optional<unsigned> programLevel;
  /// Elements of a vector; 0 takes what the processor's registers hold.
  int64_t vectorLength = 0;
  /// The cache that access units keep what is looked up in, at level 4, where
  /// that is not the target's choice.
  std::optional<LookupLevel> lookupLevel;
  /// "native", or the name of a processor, and what it runs; where neither is
  /// given, the target that the program names, or native.
  std::string cpu, triple;
  loops::PrefetchSettings prefetch;
  /// The smallest output, in bytes, that is written past the caches; 0 for
  /// none, -1 chooses.
  int64_t streamMinOutput = 0;
  /// Loops are divided among threads and otherwise left as they are to LLVM.
  bool leavesLoops = false;
  /// Each core has an engine that prefetches rows, and is told which.
  bool describesLookups = false;
  /// Loops over rows of known length may be unrolled.
  bool unroll = true;
  /// Rows longer than the registers may be summed strip by strip.
  bool stripRows = true;
  bool mayAlias = false;
  /// Threads that loops run on at most; 0 for any number.
  int64_t mostThreads = 0;
  /// Loops that are alike become calls of one function.
  bool shareLoops = false;
  /// What tiles of all arrays of a sweep take together, where statements that
  /// pass tiles on become sweeps; 0: they do not.
  int64_t tileBytes = 0;
  /// Loops are divided before they are decoupled, for cores that each have a
  /// unit.
  bool parallelPrograms = false;
  /// Operands and tokens the queues hold; nothing is the runtime's default.
  std::optional<int64_t> queueCapacity;
  /// Of graphs of blocks: the variables of a statement, outer loops first, and
  /// whether fibers without a value are dropped.
  std::vector<std::string> loopOrder;
  bool dropEmpty = false;
  /// Of graphs of blocks: tensors are copied where no order of loops suits all.
  bool transposeTensors = false;
  /// Of graphs of blocks: variables whose intersecters gallop, and those that
  /// are joined by words of bits, NAME:WIDTH.
  std::vector<std::string> gallopVariables, bitVariables;
  /// Loads, tokens and operands are reported to the statistics of a run.
  bool instrument = false;
  /// A file with statistics of a run to order cases by, and the hash of what is
  /// in it; empty for none.
  std::string profile, profileHash;

  unsigned getProgramLevel() const { return programLevel.value_or(optLevel); }

  /// The options as text, without what the module says: for cache keys.
  std::string toText() const;
};

/// Says in `module` what it is compiled for. Everything that compiles it comes
/// after this.
llvm::Error setTarget(mlir::ModuleOp module, const CompileOptions &options);

/// Takes `module` to a stage that is a program. Fails with diagnostics.
llvm::Error lowerToStage(mlir::ModuleOp module, const Stage &stage,
                         const CompileOptions &options);

/// Takes a module whose functions are at any levels to the llvm dialect,
/// without optimising on the way to it.
llvm::Error lowerToNative(mlir::ModuleOp module, const CompileOptions &options);

/// The text (or object code) of `stage`, which is not the library, of a module
/// that names its target. `locations` adds to each operation of a program where
/// it comes from.
llvm::Expected<std::string> compileToStage(Source &source, const Stage &stage,
                                           const CompileOptions &options,
                                           bool locations = false);

/// Writes kernel.so and kernel.json into `folder`. The module names its target.
llvm::Error compileKernel(Source &source, const CompileOptions &options,
                          llvm::StringRef folder);

} // namespace ember

#endif // EMBER_DRIVER_COMPILE_H
