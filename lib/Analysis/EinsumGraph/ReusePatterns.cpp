//===- ReusePatterns.cpp - How tensors pass between operations ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/ReusePatterns.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace ember::einsum;

StringRef ember::einsum::nameOf(Dominance dominance) {
  switch (dominance) {
  case Dominance::uncontracted:
    return "U";
  case Dominance::contracted:
    return "C";
  case Dominance::balanced:
    return "bal";
  case Dominance::small:
    return "small";
  }
  llvm_unreachable("all dominances have names");
}

StringRef ember::einsum::nameOf(ReusePattern pattern) {
  switch (pattern) {
  case ReusePattern::sequential:
    return "sequential";
  case ReusePattern::pipelineable:
    return "pipelineable";
  case ReusePattern::writeback:
    return "pipeline_with_writeback";
  case ReusePattern::hold:
    return "pipeline_with_hold";
  }
  llvm_unreachable("all patterns have names");
}

std::optional<unsigned>
ember::einsum::findDominantRank(const Operation &operation,
                                const DominanceOptions &options) {
  ArrayRef<Rank> ranks = operation.ranks;
  for (unsigned rank = 0; rank < ranks.size(); ++rank) {
    double extent = ranks[rank].extent;
    auto isFarBelow = [&](unsigned other) {
      return other == rank || extent > options.ratio * ranks[other].extent;
    };
    if (extent > options.largeRank &&
        all_of(seq<unsigned>(ranks.size()), isFarBelow))
      return rank;
  }
  return std::nullopt;
}

Dominance ember::einsum::classify(const Operation &operation,
                                  const DominanceOptions &options) {
  if (std::optional<unsigned> rank = findDominantRank(operation, options))
    return operation.ranks[*rank].isContracted ? Dominance::contracted
                                               : Dominance::uncontracted;
  bool isBalanced = all_of(operation.ranks, [&](const Rank &rank) {
    return rank.extent >= options.balancedRank;
  });
  return isBalanced ? Dominance::balanced : Dominance::small;
}

//===----------------------------------------------------------------------===//
// Algorithm 2
//===----------------------------------------------------------------------===//

namespace {
class ReuseAnalyzer {
public:
  ReuseAnalyzer(const Graph &graph, const DominanceOptions &options,
                function_ref<bool(unsigned)> isBroken)
      : graph(graph), options(options), isBroken(isBroken) {
    reuse.nodes.resize(graph.nodes.size());
    reuse.edges.resize(graph.edges.size());
  }

  ReuseAnalysis run() {
    classifyNodes();
    findTransitiveEdges();
    findStages();
    classifyEdges();
    findMulticasts();
    return std::move(reuse);
  }

private:
  void classifyNodes() {
    for (auto [number, node] : enumerate(reuse.nodes))
      node.dominance = classify(graph.operationOf(number), options);
    for (auto [number, edge] : enumerate(graph.edges))
      for (unsigned operand : edge.operands)
        for (std::optional<unsigned> rank :
             graph.operationOf(edge.target).reads[operand].ranks)
          if (rank && !is_contained(reuse.edges[number].sharedRanks, *rank))
            reuse.edges[number].sharedRanks.push_back(*rank);
  }

  void findTransitiveEdges() {
    reuse.criticalPath = graph.findCriticalPath();
    for (auto [place, node] : enumerate(reuse.criticalPath)) {
      reuse.nodes[node].isOnCriticalPath = true;
      placeOnPath[node] = place;
    }
    for (auto [number, edge] : enumerate(graph.edges)) {
      auto source = placeOnPath.find(edge.source);
      auto target = placeOnPath.find(edge.target);
      if (source == placeOnPath.end() || target == placeOnPath.end())
        continue;
      reuse.edges[number].isTransitive = target->second - source->second > 1;
    }
  }

  /// Why the target cannot use tiles of the tensor while the source goes on;
  /// empty if it can.
  StringRef findObstacle(unsigned number) const {
    const Edge &edge = graph.edges[number];
    const Operation &source = graph.operationOf(edge.source);
    const Operation &target = graph.operationOf(edge.target);
    if (reuse.nodes[edge.source].dominance == Dominance::contracted)
      return "the source sums over the dominant rank";
    if (source.kind == OperationKind::whole)
      return "the source needs all of its operands";
    if (target.kind == OperationKind::whole)
      return "the target needs all of the tensor";
    ArrayRef<unsigned> shared = reuse.edges[number].sharedRanks;
    if (std::optional<unsigned> rank = findDominantRank(target, options);
        rank && !is_contained(shared, *rank))
      return "the dominant rank of the target is none of the tensor's";
    if (isBroken && isBroken(number))
      return "the loops of both do not fit";
    return {};
  }

  /// An operation that waits for the end of another one is in a later stage,
  /// and so is all that waits for it.
  void findStages() {
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      for (unsigned edge : graph.nodes[node].incoming) {
        reuse.edges[edge].reason = findObstacle(edge);
        unsigned stage = reuse.nodes[graph.edges[edge].source].stage +
                         !reuse.edges[edge].reason.empty();
        reuse.nodes[node].stage = std::max(reuse.nodes[node].stage, stage);
      }
  }

  bool isWithinStage(const Edge &edge) const {
    return reuse.nodes[edge.source].stage == reuse.nodes[edge.target].stage;
  }

  void classifyEdges() {
    for (auto [number, edge] : enumerate(graph.edges)) {
      EdgeReuse &result = reuse.edges[number];
      if (result.isTransitive)
        continue;
      if (result.reason.empty() && !isWithinStage(edge))
        result.reason = "another operation has to end in between";
      if (result.reason.empty())
        result.pattern = ReusePattern::pipelineable;
    }
    // Behind all edges of the critical path.
    for (auto [number, edge] : enumerate(graph.edges))
      if (reuse.edges[number].isTransitive)
        classifyTransitive(reuse.edges[number], edge);
  }

  void classifyTransitive(EdgeReuse &result, const Edge &edge) {
    // What is only there in the end is written anyway.
    if (reuse.nodes[edge.source].dominance == Dominance::contracted ||
        graph.operationOf(edge.source).kind == OperationKind::whole)
      return;
    bool canHold = result.reason.empty() && isWithinStage(edge) &&
                   isPathPipelined(edge.source, edge.target);
    result.pattern = canHold ? ReusePattern::hold : ReusePattern::writeback;
    if (!canHold && result.reason.empty())
      result.reason = "the critical path between is no pipeline";
  }

  /// Whether each step of the critical path from one node to another one is
  /// pipelined by some edge.
  bool isPathPipelined(unsigned source, unsigned target) const {
    unsigned begin = placeOnPath.lookup(source);
    unsigned end = placeOnPath.lookup(target);
    for (unsigned place = begin; place < end; ++place) {
      unsigned node = reuse.criticalPath[place];
      unsigned next = reuse.criticalPath[place + 1];
      if (none_of(graph.nodes[node].outgoing, [&](unsigned edge) {
            return graph.edges[edge].target == next &&
                   reuse.edges[edge].pattern == ReusePattern::pipelineable;
          }))
        return false;
    }
    return true;
  }

  void findMulticasts() {
    for (auto [number, node] : enumerate(graph.nodes)) {
      // Targets by stage: what is in different ones is not read at once.
      DenseMap<unsigned, SmallVector<unsigned>> byStage;
      for (unsigned edge : node.outgoing)
        if (!reuse.edges[edge].isTransitive) {
          ++reuse.nodes[number].casts;
          byStage[reuse.nodes[graph.edges[edge].target].stage].push_back(edge);
        }
      for (auto &[stage, edges] : byStage)
        if (edges.size() > 1) {
          reuse.nodes[number].isMulticast = true;
          for (unsigned edge : edges)
            reuse.edges[edge].isMulticast = true;
        }
    }
  }

  const Graph &graph;
  const DominanceOptions &options;
  function_ref<bool(unsigned)> isBroken;
  ReuseAnalysis reuse;
  DenseMap<unsigned, unsigned> placeOnPath;
};
} // namespace

ReuseAnalysis
ember::einsum::analyzeReuse(const Graph &graph, const DominanceOptions &options,
                            function_ref<bool(unsigned)> isBroken) {
  return ReuseAnalyzer(graph, options, isBroken).run();
}
