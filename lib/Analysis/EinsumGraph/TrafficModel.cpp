//===- TrafficModel.cpp - Words that a schedule moves ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/TrafficModel.h"

#include "Residency.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace llvm;
using namespace ember::einsum;

StringRef ember::einsum::nameOf(Scheme scheme) {
  switch (scheme) {
  case Scheme::seqFlex:
    return "SEQ-Flex";
  case Scheme::seqOverflow:
    return "SEQ-Overflow";
  case Scheme::gogetaDf:
    return "GOGETA-df";
  case Scheme::gogetaMap:
    return "GOGETA-map";
  case Scheme::ideal:
    return "Ideal";
  }
  llvm_unreachable("all schemes have names");
}

/// Whether an operand of a product is transposed: its rank that is summed over
/// comes before a rank that is not the last one of the result, as `k` of P in
/// `D[p,n] = P[k,p] S[k,n]`; or it is behind the last one of several.
static bool isTransposed(const Operation &operation, const Access &access) {
  ArrayRef<std::optional<unsigned>> result = operation.write.ranks;
  if (result.size() < 2 || !result.back())
    return false;
  bool hasContracted = false, hasLast = false;
  for (std::optional<unsigned> rank : access.ranks) {
    if (!rank)
      continue;
    bool isContracted = operation.ranks[*rank].isContracted;
    bool isLast = rank == result.back();
    if ((hasContracted && !isContracted && !isLast) ||
        (hasLast && isContracted))
      return true;
    hasContracted |= isContracted;
    hasLast |= isLast;
  }
  return false;
}

namespace {
class TrafficPredictor {
public:
  TrafficPredictor(const Graph &graph, const LoopOrders &orders,
                   const SpatialMachine &machine, Scheme scheme,
                   const TrafficOptions &options)
      : graph(graph), orders(orders), machine(machine), scheme(scheme),
        options(options), stepOf(graph.nodes.size()) {
    isOneByOne = scheme == Scheme::seqFlex || scheme == Scheme::seqOverflow;
    steps = isOneByOne ? scheduleOneByOne(graph)
                       : schedulePipelines(graph, orders.reuse);
    for (auto [number, step] : enumerate(steps))
      for (unsigned node : step)
        stepOf[node] = number;
  }

  Traffic run() {
    makeItems();
    for (unsigned step = 0; step < steps.size(); ++step)
      findUses(step);
    for (auto [step, stepUses] : enumerate(uses))
      for (const Use &use : stepUses)
        items[use.item].uses.push_back(step);
    double capacity = scheme == Scheme::ideal
                          ? std::numeric_limits<double>::max()
                          : machine.sramWords();
    if (scheme == Scheme::seqFlex)
      capacity = 0;
    Residency residency(items, capacity,
                        scheme == Scheme::seqOverflow ? Replacement::none
                                                      : Replacement::farthest,
                        options.keepsReads || scheme == Scheme::ideal);
    Traffic traffic;
    for (unsigned step = 0; step < steps.size(); ++step) {
      Residency::Words before = residency.total;
      residency.doStep(step, uses[step]);
      Residency::Words after = residency.total;
      traffic.steps.push_back({steps[step], after.reads - before.reads,
                               after.writes - before.writes,
                               countTraversals(step)});
      traffic.traversals += traffic.steps.back().traversals;
    }
    residency.finish();
    addTotals(residency, traffic);
    addValues(traffic);
    return traffic;
  }

private:
  bool isSmall(const Tensor &tensor) const {
    return tensor.storage == Storage::dense &&
           all_of(tensor.shape,
                  [&](int64_t size) {
                    return double(size) < options.smallDimension;
                  }) &&
           double(tensor.words()) <= machine.registerWords();
  }

  bool readsTransposed(unsigned node, unsigned operand) const {
    const Operation &operation = graph.operationOf(node);
    return isOneByOne && options.separatesTransposes &&
           isTransposed(operation, operation.reads[operand]);
  }

  void makeItems() {
    for (const TensorValue &value : graph.values) {
      const Tensor &tensor = graph.tensorOf(value);
      Item item;
      item.words = isSmall(tensor) ? 0 : double(tensor.words());
      item.isKept = tensor.storage == Storage::dense || options.keepsMatrices ||
                    scheme == Scheme::ideal;
      item.isOutput = value.isOutput && options.countsOutputs;
      // What nobody counts is there for nothing.
      if (!value.producer && !options.countsInputs)
        item.words = 0;
      items.push_back(std::move(item));
    }
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      for (auto [operand, value] : enumerate(graph.nodes[node].reads))
        if (readsTransposed(node, operand) &&
            copies.try_emplace(value, items.size()).second) {
          Item copy;
          copy.words = items[value].words;
          copy.isKept = items[value].isKept;
          copy.original = value;
          items.push_back(std::move(copy));
        }
  }

  /// Whether a node goes through an operand with its outermost loop.
  bool isAligned(unsigned node, unsigned operand) const {
    const LoopOrder &order = orders.orders[graph.nodes[node].statement];
    return !order.empty() &&
           graph.operationOf(node).reads[operand].hasRank(order.front());
  }

  /// Whether somebody needs what a node writes outside of its step.
  bool isNeededOutside(unsigned value, unsigned step) const {
    return graph.values[value].isOutput ||
           any_of(graph.values[value].edges, [&](unsigned edge) {
             return stepOf[graph.edges[edge].target] != step;
           });
  }

  void findUses(unsigned step) {
    // Reads that are shared, and others.
    struct Reads {
      bool isShared = false;
      unsigned apart = 0;
      bool isWritten = false;
    };
    MapVector<unsigned, Reads> found;
    for (unsigned node : steps[step]) {
      DenseSet<unsigned> readBefore;
      for (auto [operand, value] : enumerate(graph.nodes[node].reads)) {
        std::optional<unsigned> producer = graph.values[value].producer;
        if (producer && stepOf[*producer] == step)
          continue;
        unsigned item =
            readsTransposed(node, operand) ? copies.lookup(value) : value;
        // One operation reads each operand once, whatever it does with it.
        if (!readBefore.insert(item).second)
          continue;
        bool canShare = options.sharedReads == SharedReads::always ||
                        (options.sharedReads == SharedReads::aligned &&
                         isAligned(node, operand));
        Reads &reads = found[item];
        if (canShare)
          reads.isShared = true;
        else
          ++reads.apart;
      }
      unsigned written = graph.nodes[node].write;
      if (!isNeededOutside(written, step))
        continue;
      found[written].isWritten = true;
      if (auto copy = copies.find(written); copy != copies.end())
        found[copy->second].isWritten = true;
    }
    std::vector<Use> result;
    for (const auto &[item, reads] : found)
      result.push_back(
          {item, unsigned(reads.isShared) + reads.apart, reads.isWritten});
    uses.push_back(std::move(result));
  }

  /// Words that clusters send each other, times links. With operations on
  /// clusters of their own, these are all tensors of a pipeline; with slices of
  /// the dominant rank, what has no part in it is sent to all, and what all add
  /// up is sent back, through a tree of links (section 6.2.3).
  double countTraversals(unsigned step) const {
    double words = 0;
    if (scheme == Scheme::gogetaDf)
      for (auto [number, edge] : enumerate(graph.edges))
        if (stepOf[edge.source] == step && stepOf[edge.target] == step &&
            isPipelined(orders.reuse.edges[number].pattern))
          words += double(graph.tensorOf(edge).words()) *
                   double(machine.pipelineHops);
    if (scheme == Scheme::gogetaMap) {
      double links = double(machine.clusters - 1);
      DenseSet<unsigned> sent;
      for (unsigned node : steps[step]) {
        if (graph.operationOf(node).kind == OperationKind::whole)
          continue;
        for (unsigned value : graph.nodes[node].reads)
          if (isSmall(graph.tensorOf(graph.values[value])) &&
              sent.insert(value).second)
            words +=
                links * double(graph.tensorOf(graph.values[value]).words());
        const TensorValue &written = graph.values[graph.nodes[node].write];
        if (orders.reuse.nodes[node].dominance == Dominance::contracted)
          words += links * double(graph.tensorOf(written).words());
      }
    }
    return words;
  }

  void addTotals(const Residency &residency, Traffic &traffic) const {
    unsigned tensors = graph.getProgram().tensors.size();
    traffic.readsOf.resize(tensors);
    traffic.writesOf.resize(tensors);
    for (auto [item, words] : enumerate(residency.words)) {
      unsigned value = items[item].original.value_or(item);
      unsigned tensor = graph.values[value].tensor;
      traffic.readsOf[tensor] += words.reads;
      traffic.writesOf[tensor] += words.writes;
      traffic.reads += words.reads;
      traffic.writes += words.writes;
    }
  }

  void addValues(Traffic &traffic) const {
    for (const Item &item : items) {
      unsigned number = traffic.values.size();
      unsigned value = item.original.value_or(number);
      traffic.values.push_back({graph.values[value].tensor,
                                item.words,
                                item.isKept,
                                item.isOutput,
                                item.original.has_value(),
                                {}});
    }
    for (auto [step, stepUses] : enumerate(uses))
      for (const Use &use : stepUses)
        traffic.values[use.item].uses.push_back(
            {unsigned(step), use.reads, use.isWritten});
  }

  const Graph &graph;
  const LoopOrders &orders;
  const SpatialMachine &machine;
  Scheme scheme;
  const TrafficOptions &options;
  bool isOneByOne;
  std::vector<Step> steps;
  std::vector<unsigned> stepOf;
  /// Values of the graph by number, and transposed copies of some.
  std::vector<Item> items;
  DenseMap<unsigned, unsigned> copies;
  std::vector<std::vector<Use>> uses;
};
} // namespace

Traffic ember::einsum::predictTraffic(const Graph &graph,
                                      const LoopOrders &orders,
                                      const SpatialMachine &machine,
                                      Scheme scheme,
                                      const TrafficOptions &options) {
  return TrafficPredictor(graph, orders, machine, scheme, options).run();
}

double ember::einsum::bestIntensity(const Program &program,
                                    const Operation &operation) {
  double multiplications = 1;
  for (const Rank &rank : operation.ranks)
    multiplications *= rank.extent;
  double words = double(program.tensors[operation.write.tensor].words());
  for (const Access &read : operation.reads)
    words += double(program.tensors[read.tensor].words());
  return multiplications / words;
}
