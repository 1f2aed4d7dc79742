//===- Run.h - What running a graph needs, and gives ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two engines run verified graphs, and give the same. The cycle engine steps
// blocks cycle by cycle: queues may be finite, and joiners may gallop. Timed
// streams have no clock: with unbounded queues and no way back, the cycle of a
// token follows from those of the tokens that it is made of.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_SAM_RUN_H
#define EMBER_SIM_SAM_RUN_H

#include "ember/Sim/SAM/Graph.h"

namespace ember::sim::sam {

/// Where the published simulator slips, and whether this one does as well.
enum class Quirks : uint8_t { none, reference };

/// A memory that holds tiles of tensors, filled from the one before it in the
/// list, or from outside.
struct MemoryLevel {
  std::string name;
  uint64_t bytes = 0;
  /// Of what fills it.
  double bytesPerCycle = 1;
  uint64_t latency = 0;
  /// How many steps have tiles in it at a time: with 2, the next one's come
  /// while one is computed.
  unsigned buffers = 2;
  bool skipsEmptyTiles = true;
};

/// Properties of the machine that a graph is run on.
struct Parameters {
  /// A queue with more tokens than that holds up whoever fills it.
  std::optional<uint64_t> queueDepth;
  /// Cycles from an array's reference to its value, one less than the hop.
  uint64_t arrayLatency = 1;
  /// How many references to one tensor's values are taken in a cycle, where
  /// several arrays read them; any number if there is none.
  std::optional<unsigned> arrayPorts;
  /// How many blocks of a kind there are; more blocks of a graph share these by
  /// turns, whichever comes last in the graph first.
  std::map<BlockKind, unsigned> blockCounts;
  /// From the outside in; without one, tensors are where they are read.
  std::vector<MemoryLevel> memoryLevels;
  /// Of a coordinate, a segment bound or a value in these.
  uint64_t elementBytes = 4;
  Quirks quirks = Quirks::none;
};

struct RunOptions {
  /// Keep each token of each stream, with its cycle.
  bool keepsStreams = false;
  /// Follow what each block waited for last, for the critical chain.
  bool findsCriticalChain = false;
  /// How many threads map timed streams.
  unsigned threads = 1;
  /// Give up after so many cycles.
  uint64_t mostCycles = uint64_t(1) << 48;
};

struct BlockStatistics {
  /// Cycles in which it took or showed something.
  uint64_t busy = 0;
  /// Cycles in which a consumer's full queue held it up.
  uint64_t held = 0;
  /// Cycles in which all units that it shares were used by others.
  uint64_t waiting = 0;
  /// Sums that an accumulator held at most, by coordinates.
  uint64_t mostHeld = 0;
  /// The first cycle after which it has nothing more to do.
  std::optional<uint64_t> doneCycle;

  /// Cycles before its end in which what it needed had not come.
  uint64_t starved(uint64_t cycles) const {
    uint64_t alive = doneCycle ? std::min(*doneCycle + 1, cycles) : cycles;
    return alive - std::min(alive, busy + held + waiting);
  }
};

struct StreamStatistics {
  /// Tokens by kind: data, stops, empty ones, done.
  std::array<uint64_t, 4> tokens{};

  uint64_t total() const {
    return tokens[0] + tokens[1] + tokens[2] + tokens[3];
  }
};

/// One stretch of a critical chain: a block whose own pace, or whose wait for a
/// full queue, the run's length is made of.
struct ChainLink {
  unsigned block = noIndex;
  uint64_t firstCycle = 0;
  uint64_t cycles = 0;
};

struct Run {
  uint64_t cycles = 0;
  std::vector<BlockStatistics> blocks;
  std::vector<std::array<StreamStatistics, maxOutputs>> streams;
  /// The longest that the queue of an input was; not known of timed streams.
  std::vector<std::array<uint64_t, maxInputs>> peakQueues;
  /// What writers took, by block.
  std::map<unsigned, std::vector<Token>> written;
  /// With RunOptions::keepsStreams: what outputs showed, and when.
  std::vector<std::array<std::vector<TimedToken>, maxOutputs>> shown;
  /// With RunOptions::findsCriticalChain, the last cycle first.
  std::vector<ChainLink> chain;

  uint64_t tokens() const;
};

/// A verified graph, cycle by cycle. An error names the block and the token, or
/// says who waits for whom.
llvm::Expected<Run> runByCycles(const Graph &graph,
                                const Parameters &parameters,
                                const RunOptions &options = {});

/// A verified graph without gallop edges, by the times of tokens.
llvm::Expected<Run> runByTimes(const Graph &graph, const Parameters &parameters,
                               const RunOptions &options = {});

} // namespace ember::sim::sam

#endif
