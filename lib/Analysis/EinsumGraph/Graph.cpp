//===- Graph.cpp - The graph of tensor operations -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Graph.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace ember::einsum;

namespace {
/// Repeats the body and knows what each tensor holds.
class Unroller {
public:
  explicit Unroller(Graph &graph) : graph(graph) {}

  void addPart(ArrayRef<Operation> part, unsigned firstStatement,
               std::optional<unsigned> iteration) {
    for (unsigned number = 0; number < part.size(); ++number)
      addNode(part[number], firstStatement + number, iteration);
  }

  /// What tensors hold at the end of an iteration, all at once.
  void carry(ArrayRef<Carried> carried) {
    SmallVector<unsigned> next;
    for (const Carried &pair : carried)
      next.push_back(valueOf(pair.next));
    for (auto [pair, value] : zip_equal(carried, next))
      held[pair.current] = value;
  }

  void markOutputs() {
    for (auto [number, tensor] : enumerate(graph.getProgram().tensors))
      if (tensor.isOutput)
        graph.values[valueOf(number)].isOutput = true;
  }

private:
  unsigned valueOf(unsigned tensor) {
    auto [place, isNew] = held.try_emplace(tensor, graph.values.size());
    if (isNew)
      graph.values.push_back({tensor, std::nullopt, {}});
    return place->second;
  }

  void addNode(const Operation &operation, unsigned statement,
               std::optional<unsigned> iteration) {
    unsigned number = graph.nodes.size();
    Node node;
    node.statement = statement;
    node.iteration = iteration;
    for (auto [operand, read] : enumerate(operation.reads)) {
      unsigned value = valueOf(read.tensor);
      node.reads.push_back(value);
      std::optional<unsigned> producer = graph.values[value].producer;
      if (!producer)
        continue;
      auto known = find_if(node.incoming, [&](unsigned edge) {
        return graph.edges[edge].value == value;
      });
      if (known != node.incoming.end()) {
        graph.edges[*known].operands.push_back(operand);
        continue;
      }
      unsigned edge = graph.edges.size();
      graph.edges.push_back({*producer, number, value, {unsigned(operand)}});
      node.incoming.push_back(edge);
      graph.nodes[*producer].outgoing.push_back(edge);
      graph.values[value].edges.push_back(edge);
    }
    node.write = graph.values.size();
    graph.values.push_back({operation.write.tensor, number, {}});
    held[operation.write.tensor] = node.write;
    graph.nodes.push_back(std::move(node));
  }

  Graph &graph;
  DenseMap<unsigned, unsigned> held;
};
} // namespace

/// The most nodes of a graph, so that a number of iterations that somebody
/// mistyped ends in a message.
static constexpr unsigned mostNodes = 100000;

Expected<Graph> Graph::build(Program given, const GraphOptions &options) {
  if (Error error = given.verify())
    return error;
  if (options.iterations == 0)
    return makeProgramError("a loop of 0 iterations does nothing");
  unsigned iterations = given.isLoop ? options.iterations : 1;
  if (iterations > mostNodes / given.body.size())
    return makeProgramError(Twine(iterations) + " iterations of " +
                            Twine(given.body.size()) +
                            " operations are more than " + Twine(mostNodes));
  Graph graph;
  graph.program = std::make_shared<const Program>(std::move(given));
  const Program &program = *graph.program;
  for (const std::vector<Operation> *part :
       {&program.before, &program.body, &program.after})
    for (const Operation &operation : *part)
      graph.statements.push_back(&operation);
  bool hasAll = !options.loopOnly || !program.isLoop;
  Unroller unroller(graph);
  if (hasAll) {
    unroller.addPart(program.before, 0, std::nullopt);
    unroller.carry(program.initial);
  }
  unsigned first = program.before.size();
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    unroller.addPart(program.body, first,
                     program.isLoop ? std::optional(iteration) : std::nullopt);
    unroller.carry(program.carried);
  }
  if (hasAll)
    unroller.addPart(program.after, first + program.body.size(), std::nullopt);
  unroller.markOutputs();
  return graph;
}

std::string Graph::nameOf(unsigned node) const {
  unsigned iteration = nodes[node].iteration.value_or(0);
  std::string name = operationOf(node).name;
  // Ticks are read at a glance up to three.
  if (iteration > 3)
    return name + "@" + std::to_string(iteration);
  return name + std::string(iteration, '\'');
}

SmallVector<unsigned> Graph::findCriticalPath() const {
  // How many nodes the longest path from each has. Edges go from nodes to
  // later ones.
  SmallVector<unsigned> lengths(nodes.size(), 1);
  for (unsigned node = nodes.size(); node-- > 0;)
    for (unsigned edge : nodes[node].outgoing)
      lengths[node] = std::max(lengths[node], 1 + lengths[edges[edge].target]);
  SmallVector<unsigned> path;
  if (nodes.empty())
    return path;
  path.push_back(max_element(lengths) - lengths.begin());
  while (lengths[path.back()] > 1) {
    unsigned next = nodes.size();
    for (unsigned edge : nodes[path.back()].outgoing)
      if (lengths[edges[edge].target] + 1 == lengths[path.back()])
        next = std::min(next, edges[edge].target);
    path.push_back(next);
  }
  return path;
}
