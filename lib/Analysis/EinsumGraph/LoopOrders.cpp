//===- LoopOrders.cpp - Loops of operations that fit each other -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/LoopOrders.h"

#include "ChoiceNetwork.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <algorithm>
#include <map>
#include <set>

using namespace llvm;
using namespace ember::einsum;

/// Dimensions of an access as loops come to them, outermost first; what no rank
/// indexes is left out.
static SmallVector<int, 4> dimensionsInOrder(const Access &access,
                                             ArrayRef<unsigned> order) {
  SmallVector<int, 4> dimensions;
  for (unsigned rank : order)
    for (auto [dimension, index] : enumerate(access.ranks))
      if (index == rank)
        dimensions.push_back(dimension);
  return dimensions;
}

bool ember::einsum::isSwizzled(const Operation &source,
                               const LoopOrder &sourceOrder,
                               const Operation &target,
                               const LoopOrder &targetOrder,
                               ArrayRef<unsigned> operands) {
  SmallVector<int, 4> written = dimensionsInOrder(source.write, sourceOrder);
  return any_of(operands, [&](unsigned operand) {
    const Access &access = target.reads[operand];
    SmallVector<int, 4> read = dimensionsInOrder(access, targetOrder);
    // What has no rank on one side has no order there.
    SmallVector<int, 4> common;
    copy_if(written, std::back_inserter(common),
            [&](int dimension) { return is_contained(read, dimension); });
    erase_if(read,
             [&](int dimension) { return !is_contained(written, dimension); });
    return common != read;
  });
}

/// When loops ask for which dimension of an operand, with -1 for loops between
/// them that ask for the same elements again. Two operations that agree on it
/// can share one stream of elements.
static SmallVector<int, 4> streamOrder(const Access &access,
                                       ArrayRef<unsigned> order) {
  SmallVector<int, 4> stream;
  for (unsigned rank : order) {
    bool isIndex = false;
    for (auto [dimension, index] : enumerate(access.ranks))
      if (index == rank) {
        stream.push_back(dimension);
        isIndex = true;
      }
    if (!isIndex && (stream.empty() || stream.back() != -1))
      stream.push_back(-1);
  }
  if (!stream.empty() && stream.back() == -1)
    stream.pop_back();
  return stream;
}

/// Whether loops of both allow a pipeline: the conditions of section 5.1.
static bool canPipeline(const Operation &source, const LoopOrder &sourceOrder,
                        const Operation &target, const LoopOrder &targetOrder,
                        ArrayRef<unsigned> operands) {
  if (sourceOrder.empty() || targetOrder.empty())
    return sourceOrder.empty() && targetOrder.empty();
  return !source.ranks[sourceOrder.front()].isContracted &&
         all_of(operands,
                [&](unsigned operand) {
                  return target.reads[operand].hasRank(targetOrder.front());
                }) &&
         !isSwizzled(source, sourceOrder, target, targetOrder, operands);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// More loops are not permuted: 8! orders are looked at in a moment.
static constexpr unsigned mostPermuted = 8;
/// The most orders of one operation, as many as five loops have; tables are of
/// pairs of them.
static constexpr unsigned mostCandidates = 120;

/// Whether rows of all CSR matrices are outside of their columns.
static bool respectsStorage(const Program &program, const Operation &operation,
                            ArrayRef<unsigned> order) {
  auto isInOrder = [&](const Access &access) {
    return program.tensors[access.tensor].storage != Storage::csr ||
           is_sorted(dimensionsInOrder(access, order));
  };
  return isInOrder(operation.write) && all_of(operation.reads, isInOrder);
}

/// How many tensors are not gone through by rows, as they come from outside.
static unsigned countByColumns(const Operation &operation,
                               ArrayRef<unsigned> order) {
  auto isByColumns = [&](const Access &access) {
    return !is_sorted(dimensionsInOrder(access, order));
  };
  return isByColumns(operation.write) + count_if(operation.reads, isByColumns);
}

namespace {
/// What other operations see of the loops of one.
struct VisibleOperands {
  /// Operands that other operations write, and those that some of them read at
  /// once with others.
  std::set<unsigned> written, multicast;
};

struct Candidates {
  std::vector<LoopOrder> orders;
  /// Whether they stand for all orders.
  bool isComplete = true;
};

/// Looks for orders of an operation of which no two are the same to all other
/// operations.
class CandidateFinder {
public:
  CandidateFinder(const Program &program, const Operation &operation,
                  const VisibleOperands &visible,
                  std::optional<unsigned> dominant)
      : program(program), operation(operation), visible(visible),
        dominant(dominant) {}

  Candidates run() {
    LoopOrder order = firstOrder();
    Candidates result;
    // No loop needs to fit others.
    if (operation.kind == OperationKind::whole) {
      result.orders = {order};
      return result;
    }
    unsigned permuted = std::min<unsigned>(order.size(), mostPermuted);
    // Numbers stand for places in the first order, so that it comes first.
    SmallVector<unsigned> places = to_vector(seq<unsigned>(permuted));
    do {
      LoopOrder candidate(order);
      for (unsigned place = 0; place < permuted; ++place)
        candidate[place] = order[places[place]];
      add(std::move(candidate));
    } while (std::next_permutation(places.begin(), places.end()));
    result.orders = std::move(inOrder.empty() ? others : inOrder);
    result.isComplete =
        permuted == order.size() && result.orders.size() <= mostCandidates;
    if (result.orders.size() > mostCandidates)
      result.orders.resize(mostCandidates);
    return result;
  }

private:
  /// The dominant rank outside, then those of the result, large ones first.
  LoopOrder firstOrder() const {
    LoopOrder order = to_vector<4>(seq<unsigned>(operation.ranks.size()));
    auto key = [&](unsigned rank) {
      return std::tuple(dominant != rank, operation.ranks[rank].isContracted,
                        -operation.ranks[rank].extent, rank);
    };
    llvm::sort(order,
               [&](unsigned lhs, unsigned rhs) { return key(lhs) < key(rhs); });
    return order;
  }

  std::vector<int> signatureOf(const LoopOrder &order) const {
    std::vector<int> signature;
    if (!order.empty())
      signature.push_back(order.front());
    auto append = [&](ArrayRef<int> dimensions) {
      append_range(signature, dimensions);
      signature.push_back(-2);
    };
    append(dimensionsInOrder(operation.write, order));
    for (unsigned operand : visible.written)
      append(dimensionsInOrder(operation.reads[operand], order));
    for (unsigned operand : visible.multicast)
      append(streamOrder(operation.reads[operand], order));
    return signature;
  }

  /// Of those that look the same, one that goes through most tensors by rows.
  void add(LoopOrder candidate) {
    bool isInOrder = respectsStorage(program, operation, candidate);
    std::vector<LoopOrder> &list = isInOrder ? inOrder : others;
    auto [place, isNew] = (isInOrder ? knownInOrder : knownOthers)
                              .try_emplace(signatureOf(candidate), list.size());
    if (isNew)
      list.push_back(std::move(candidate));
    else if (countByColumns(operation, candidate) <
             countByColumns(operation, list[place->second]))
      list[place->second] = std::move(candidate);
  }

  const Program &program;
  const Operation &operation;
  const VisibleOperands &visible;
  std::optional<unsigned> dominant;
  /// Orders in which CSR matrices can be gone through, and others.
  std::vector<LoopOrder> inOrder, others;
  std::map<std::vector<int>, unsigned> knownInOrder, knownOthers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {
/// Sums of these compare as the numbers of each kind do, the first one first.
constexpr int64_t brokenCost = int64_t(1) << 44, swizzleCost = int64_t(1) << 24,
                  misplacedCost = int64_t(1) << 12, columnCost = 1;

/// What one edge costs depends on its statements and operands alone, so those
/// of all iterations are counted and computed once.
struct EdgeClass {
  unsigned source, target;
  SmallVector<unsigned, 2> operands;
  bool isPipelined;
  auto operator<=>(const EdgeClass &other) const {
    return std::tuple(source, target, isPipelined,
                      std::vector(operands.begin(), operands.end())) <=>
           std::tuple(
               other.source, other.target, other.isPipelined,
               std::vector(other.operands.begin(), other.operands.end()));
  }
};

class OrderFinder {
public:
  OrderFinder(const Graph &graph, const ReuseAnalysis &reuse,
              const DominanceOptions &dominance)
      : graph(graph), reuse(reuse), dominance(dominance) {}

  LoopOrders run(const LoopOrderOptions &options) {
    bool isComplete = findCandidates();
    std::vector<unsigned> counts;
    for (const std::vector<LoopOrder> &orders : candidates)
      counts.push_back(orders.size());
    ChoiceNetwork network(std::move(counts));
    addPreferences(network);
    addEdges(network);
    addMulticasts(network);
    ChoiceNetwork::Solution solution = network.solve(options.mostEntries);
    LoopOrders result;
    result.isProvenOptimal = solution.isOptimal && isComplete;
    for (auto [orders, choice] : zip_equal(candidates, solution.choices))
      result.orders.push_back(orders[choice]);
    return result;
  }

private:
  /// Whether they stand for all orders.
  bool findCandidates() {
    std::vector<VisibleOperands> visible(graph.statementCount());
    for (auto [number, edge] : enumerate(graph.edges)) {
      VisibleOperands &entry = visible[graph.nodes[edge.target].statement];
      entry.written.insert(edge.operands.begin(), edge.operands.end());
      if (reuse.edges[number].isMulticast)
        entry.multicast.insert(edge.operands.begin(), edge.operands.end());
    }
    bool isComplete = true;
    for (unsigned number = 0; number < graph.statementCount(); ++number) {
      const Operation &operation = graph.statement(number);
      Candidates found =
          CandidateFinder(graph.getProgram(), operation, visible[number],
                          findDominantRank(operation, dominance))
              .run();
      isComplete &= found.isComplete;
      candidates.push_back(std::move(found.orders));
    }
    return isComplete;
  }

  /// Of orders that are as good otherwise, those have their way that are tiled
  /// by the dominant rank, and that read tensors by rows, as they come from
  /// outside.
  void addPreferences(ChoiceNetwork &network) {
    for (unsigned number = 0; number < graph.statementCount(); ++number) {
      const Operation &operation = graph.statement(number);
      std::optional<unsigned> dominant = findDominantRank(operation, dominance);
      for (auto [choice, order] : enumerate(candidates[number])) {
        int64_t cost = 0;
        if (dominant && order.front() != *dominant)
          cost += misplacedCost;
        cost += columnCost * countByColumns(operation, order);
        network.addCost(number, choice, cost);
      }
    }
  }

  /// Adds what `cost` says of all orders of two statements, which may be one.
  void
  addPair(ChoiceNetwork &network, unsigned first, unsigned second,
          function_ref<int64_t(const LoopOrder &, const LoopOrder &)> cost) {
    for (unsigned i = 0; i < candidates[first].size(); ++i) {
      if (first == second) {
        const LoopOrder &order = candidates[first][i];
        network.addCost(first, i, cost(order, order));
        continue;
      }
      for (unsigned j = 0; j < candidates[second].size(); ++j)
        if (int64_t added = cost(candidates[first][i], candidates[second][j]))
          network.addCost(first, i, second, j, added);
    }
  }

  void addEdges(ChoiceNetwork &network) {
    std::map<EdgeClass, int64_t> classes;
    for (auto [number, edge] : enumerate(graph.edges)) {
      if (graph.operationOf(edge.target).kind == OperationKind::whole ||
          graph.operationOf(edge.source).kind == OperationKind::whole)
        continue;
      ++classes[{graph.nodes[edge.source].statement,
                 graph.nodes[edge.target].statement, edge.operands,
                 isPipelined(reuse.edges[number].pattern)}];
    }
    for (const auto &[key, count] : classes) {
      const Operation &source = graph.statement(key.source);
      const Operation &target = graph.statement(key.target);
      addPair(network, key.source, key.target,
              [&](const LoopOrder &sourceOrder, const LoopOrder &targetOrder) {
                if (key.isPipelined && !canPipeline(source, sourceOrder, target,
                                                    targetOrder, key.operands))
                  return count * brokenCost;
                if (!key.isPipelined && isSwizzled(source, sourceOrder, target,
                                                   targetOrder, key.operands))
                  return count * swizzleCost;
                return int64_t(0);
              });
    }
  }

  void addMulticasts(ChoiceNetwork &network) {
    using Reader = std::pair<unsigned, unsigned>;
    std::map<std::pair<Reader, Reader>, int64_t> pairs;
    for (const Node &node : graph.nodes) {
      // The first reader of each stage, with which others agree.
      std::map<unsigned, Reader> first;
      for (unsigned number : node.outgoing) {
        const Edge &edge = graph.edges[number];
        if (!reuse.edges[number].isMulticast ||
            graph.operationOf(edge.target).kind == OperationKind::whole)
          continue;
        Reader reader{graph.nodes[edge.target].statement, edge.operands[0]};
        auto [place, isNew] =
            first.try_emplace(reuse.nodes[edge.target].stage, reader);
        if (!isNew)
          ++pairs[{place->second, reader}];
      }
    }
    for (const auto &[readers, count] : pairs) {
      auto [firstReader, secondReader] = readers;
      const Access &first =
          graph.statement(firstReader.first).reads[firstReader.second];
      const Access &second =
          graph.statement(secondReader.first).reads[secondReader.second];
      addPair(network, firstReader.first, secondReader.first,
              [&, count = count](const LoopOrder &lhs, const LoopOrder &rhs) {
                return streamOrder(first, lhs) == streamOrder(second, rhs)
                           ? 0
                           : count * brokenCost;
              });
    }
  }

  const Graph &graph;
  const ReuseAnalysis &reuse;
  const DominanceOptions &dominance;
  std::vector<std::vector<LoopOrder>> candidates;
};

/// Says what orders make of a graph.
class OrderEffects {
public:
  OrderEffects(const Graph &graph, const DominanceOptions &dominance,
               LoopOrders &result)
      : graph(graph), dominance(dominance), result(result) {}

  void run(const ReuseAnalysis &wanted) {
    result.brokenEdges.resize(graph.edges.size());
    result.reuse = wanted;
    // A pipeline that breaks moves operations to later stages, where others may
    // begin that nobody looked for orders for.
    while (findBrokenEdges())
      result.reuse = analyzeReuse(graph, dominance, [&](unsigned edge) {
        return result.brokenEdges.test(edge);
      });
    findSwizzledEdges();
    findBrokenMulticasts();
    for (unsigned number = 0; number < graph.statementCount(); ++number) {
      std::optional<unsigned> rank =
          findDominantRank(graph.statement(number), dominance);
      if (rank && result.orders[number].front() != *rank)
        ++result.misplacedDominantRanks;
    }
  }

private:
  const LoopOrder &orderOf(unsigned node) const {
    return result.orders[graph.nodes[node].statement];
  }

  bool findBrokenEdges() {
    bool isNew = false;
    for (auto [number, edge] : enumerate(graph.edges))
      if (isPipelined(result.reuse.edges[number].pattern) &&
          !canPipeline(graph.operationOf(edge.source), orderOf(edge.source),
                       graph.operationOf(edge.target), orderOf(edge.target),
                       edge.operands)) {
        result.brokenEdges.set(number);
        isNew = true;
      }
    return isNew;
  }

  void findSwizzledEdges() {
    result.swizzledEdges.resize(graph.edges.size());
    for (auto [number, edge] : enumerate(graph.edges)) {
      const Operation &source = graph.operationOf(edge.source);
      const Operation &target = graph.operationOf(edge.target);
      if (source.kind != OperationKind::whole &&
          target.kind != OperationKind::whole &&
          isSwizzled(source, orderOf(edge.source), target, orderOf(edge.target),
                     edge.operands))
        result.swizzledEdges.set(number);
    }
  }

  void findBrokenMulticasts() {
    result.brokenMulticasts.resize(graph.nodes.size());
    for (auto [number, node] : enumerate(graph.nodes)) {
      std::map<unsigned, std::set<std::vector<int>>> streams;
      for (unsigned edge : node.outgoing) {
        unsigned target = graph.edges[edge].target;
        if (!result.reuse.edges[edge].isMulticast ||
            graph.operationOf(target).kind == OperationKind::whole)
          continue;
        SmallVector<int, 4> stream = streamOrder(
            graph.operationOf(target).reads[graph.edges[edge].operands[0]],
            orderOf(target));
        streams[result.reuse.nodes[target].stage].insert(
            std::vector<int>(stream.begin(), stream.end()));
      }
      if (none_of(streams,
                  [](const auto &stage) { return stage.second.size() > 1; }))
        continue;
      result.brokenMulticasts.set(number);
      result.reuse.nodes[number].isMulticast = false;
      for (unsigned edge : node.outgoing)
        result.reuse.edges[edge].isMulticast = false;
    }
  }

  const Graph &graph;
  const DominanceOptions &dominance;
  LoopOrders &result;
};
} // namespace

LoopOrders ember::einsum::findLoopOrders(const Graph &graph,
                                         const ReuseAnalysis &reuse,
                                         const DominanceOptions &dominance,
                                         const LoopOrderOptions &options) {
  LoopOrders result = OrderFinder(graph, reuse, dominance).run(options);
  OrderEffects(graph, dominance, result).run(reuse);
  return result;
}
