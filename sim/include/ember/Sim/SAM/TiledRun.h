//===- TiledRun.h - Kernels on tiles that come from memory ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine has memories of some size, the innermost one beside its blocks.
// Tensors are cut to tiles of tiles, a size for each memory, and a kernel is
// run on each set of tiles that its sequencer brings together. The sequencer is
// the same graph, run on tensors whose values are the numbers of tiles: what
// its arrays load are the inputs of a run one memory further in.
//
// A step's tiles come into a memory one after the other, while up to `buffers`
// steps have theirs in it; one that is there already takes a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_TILEDRUN_H
#define EMBER_SIM_SAM_TILEDRUN_H

#include "ember/Sim/SAM/GraphFile.h"

namespace ember::sim::sam {

/// How many coordinates of each index a tile has, in each memory.
using TileSizes = std::vector<std::map<char, int64_t>>;

/// `"tiles": [{"i": 2048, "j": 2048}, {"i": 128, "j": 128}]`
llvm::Expected<TileSizes> readTileSizes(const llvm::json::Object &kernel);

struct TiledRun {
  uint64_t cycles = 0;
  /// Of all runs on tiles that are innermost, one after the other.
  uint64_t computeCycles = 0;
  uint64_t steps = 0;
  struct Traffic {
    uint64_t steps = 0;
    uint64_t loads = 0;
    uint64_t bytes = 0;
    /// Tiles that were there already.
    uint64_t reused = 0;
    /// Cycles in which it was being filled.
    uint64_t busy = 0;
  };
  /// By memory, from the outside in.
  std::vector<Traffic> memories;
  std::map<std::string, Elements> results;
};

/// Runs a product of tensors by tiles. An error names what is larger than its
/// memory.
llvm::Expected<TiledRun> runByTiles(const llvm::json::Object &kernel,
                                    const llvm::json::Object &filling,
                                    const TileSizes &tiles,
                                    const Parameters &parameters,
                                    const RunOptions &options = {});

/// What came into which memory.
llvm::json::Object statisticsOf(const TiledRun &run,
                                const Parameters &parameters);
void printRun(const TiledRun &run, const Parameters &parameters,
              llvm::raw_ostream &os);

} // namespace ember::sim::sam

#endif
