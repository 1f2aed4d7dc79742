//===- ReusePatterns.h - How tensors pass between operations ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rank dominates an operation, and what that makes of each edge of the
// graph (GOGETA, sections 4.1 to 4.3). docs/rationale/einsum-graph.md says
// where the paper's listing is not followed.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_REUSEPATTERNS_H
#define EMBER_ANALYSIS_EINSUMGRAPH_REUSEPATTERNS_H

#include "ember/Analysis/EinsumGraph/Graph.h"

namespace ember::einsum {

enum class Dominance : uint8_t {
  /// A rank of the result is far larger than all others.
  uncontracted,
  /// A rank that is summed over is.
  contracted,
  /// None is, and none is small.
  balanced,
  /// None is, and one is small.
  small,
};
/// `U`, `C`, `bal` or `small`, as in figure 7.
llvm::StringRef nameOf(Dominance dominance);

struct DominanceOptions {
  /// A rank dominates that has more than so many values ...
  double largeRank = 1000;
  /// ... and more than so many times those of each other rank.
  double ratio = 100;
  /// An operation whose ranks all have as many values is balanced.
  double balancedRank = 50;
};

/// The rank that dominates an operation; none if none does.
std::optional<unsigned> findDominantRank(const Operation &operation,
                                         const DominanceOptions &options);
Dominance classify(const Operation &operation, const DominanceOptions &options);

enum class ReusePattern : uint8_t {
  /// The operations run one after the other.
  sequential,
  /// The target uses a tile as soon as it is there, and nobody else does.
  pipelineable,
  /// A later operation needs the tensor, too: tiles are also written.
  writeback,
  /// The later operation is in the same pipeline: tiles are kept until then.
  hold,
};
llvm::StringRef nameOf(ReusePattern pattern);
inline bool isPipelined(ReusePattern pattern) {
  return pattern == ReusePattern::pipelineable || pattern == ReusePattern::hold;
}

struct NodeReuse {
  Dominance dominance;
  /// How many contracted and whole operations have to end before it begins, at
  /// least.
  unsigned stage = 0;
  bool isOnCriticalPath = false;
  /// Edges that are not transitive.
  unsigned casts = 0;
  /// Several operations of one stage read the result at once.
  bool isMulticast = false;
};

struct EdgeReuse {
  ReusePattern pattern = ReusePattern::sequential;
  /// Not on the critical path, but between nodes of it.
  bool isTransitive = false;
  /// One of those that `NodeReuse::isMulticast` speaks of.
  bool isMulticast = false;
  /// Ranks of the target by which it reads the tensor.
  llvm::SmallVector<unsigned, 2> sharedRanks;
  /// Why it is sequential, or written back, for people.
  llvm::StringRef reason;
};

struct ReuseAnalysis {
  std::vector<NodeReuse> nodes;
  std::vector<EdgeReuse> edges;
  llvm::SmallVector<unsigned> criticalPath;
};

/// What algorithm 2 makes of a graph. Edges for which `isBroken` holds are
/// taken for sequential: their loops do not fit.
ReuseAnalysis
analyzeReuse(const Graph &graph, const DominanceOptions &options,
             llvm::function_ref<bool(unsigned edge)> isBroken = nullptr);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_REUSEPATTERNS_H
