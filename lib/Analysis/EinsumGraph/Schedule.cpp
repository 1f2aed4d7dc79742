//===- Schedule.cpp - Operations that run at once -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Schedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <queue>

using namespace llvm;
using namespace ember::einsum;

std::vector<Step> ember::einsum::scheduleOneByOne(const Graph &graph) {
  std::vector<Step> steps;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    steps.push_back({node});
  return steps;
}

/// The step of each node, numbered by their first nodes.
static SmallVector<unsigned> joinNodes(const Graph &graph,
                                       const ReuseAnalysis &reuse) {
  EquivalenceClasses<unsigned> joined;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    joined.insert(node);
  for (auto [number, edge] : enumerate(graph.edges))
    if (isPipelined(reuse.edges[number].pattern))
      joined.unionSets(edge.source, edge.target);
  for (const Node &node : graph.nodes) {
    DenseMap<unsigned, unsigned> firstOfStage;
    for (unsigned edge : node.outgoing) {
      if (!reuse.edges[edge].isMulticast)
        continue;
      unsigned target = graph.edges[edge].target;
      auto [place, isNew] =
          firstOfStage.try_emplace(reuse.nodes[target].stage, target);
      if (!isNew)
        joined.unionSets(place->second, target);
    }
  }
  SmallVector<unsigned> stepOf;
  DenseMap<unsigned, unsigned> numbers;
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    stepOf.push_back(
        numbers.try_emplace(joined.getLeaderValue(node), numbers.size())
            .first->second);
  return stepOf;
}

std::vector<Step> ember::einsum::schedulePipelines(const Graph &graph,
                                                   const ReuseAnalysis &reuse) {
  SmallVector<unsigned> stepOf = joinNodes(graph, reuse);
  unsigned count = stepOf.empty() ? 0 : *llvm::max_element(stepOf) + 1;
  std::vector<Step> joined(count);
  for (auto [node, step] : enumerate(stepOf))
    joined[step].push_back(node);
  // Edges between steps lead to later stages, so that there is no cycle.
  std::vector<DenseSet<unsigned>> successors(count);
  SmallVector<unsigned> waits(count, 0);
  for (const Edge &edge : graph.edges) {
    unsigned source = stepOf[edge.source], target = stepOf[edge.target];
    if (source != target && successors[source].insert(target).second)
      ++waits[target];
  }
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned step = 0; step < count; ++step)
    if (waits[step] == 0)
      ready.push(step);
  std::vector<Step> steps;
  while (!ready.empty()) {
    unsigned step = ready.top();
    ready.pop();
    for (unsigned next : successors[step])
      if (--waits[next] == 0)
        ready.push(next);
    steps.push_back(std::move(joined[step]));
  }
  return steps;
}
