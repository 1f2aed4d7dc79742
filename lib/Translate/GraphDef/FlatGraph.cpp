//===- FlatGraph.cpp - A graph without calls ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBody.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;

std::string FlatNode::describe() const {
  return "'" + name + "' (" + definition->op() + ")";
}

FlatGraph::FlatGraph(const Graph &graph, Location location)
    : graph(graph), location(location),
      body(std::make_unique<FunctionBody>(*this)) {}

FlatGraph::~FlatGraph() = default;

LogicalResult FlatGraph::flatten() {
  for (const Function &function : graph.library().function()) {
    const std::string &name = function.signature().name();
    if (!library.try_emplace(name, &function).second)
      return emitError() << "two functions are called '" << name << "'";
  }
  return body->add(graph.node());
}

FailureOr<Port> FlatGraph::find(StringRef text, const Twine &reader) {
  return body->find(text, reader);
}

SmallVector<Port> FlatGraph::findUnread() const {
  llvm::BitVector isRead(nodes.size());
  for (const FlatNode &node : nodes)
    for (Port input : node.inputs)
      isRead.set(input.node);
  SmallVector<unsigned> unread;
  for (const auto &[name, node] : body->getNames())
    if (!isRead.test(node))
      unread.push_back(node);
  llvm::sort(unread);
  SmallVector<Port> ports;
  for (unsigned node : unread)
    for (unsigned result : llvm::seq<unsigned>(nodes[node].results.size()))
      ports.push_back({node, result});
  return ports;
}

std::optional<unsigned> FlatGraph::getDependency(unsigned node,
                                                 unsigned number) const {
  const FlatNode &reader = nodes[node];
  if (number >= reader.inputs.size())
    return reader.controls[number - reader.inputs.size()];
  Port input = reader.inputs[number];
  return isGiven(input) ? std::nullopt : std::optional(input.node);
}

namespace {
/// A node on the way from a result down to what it depends on, and how many of
/// its dependencies have been visited.
struct Visit {
  unsigned node;
  unsigned visited = 0;
};
} // namespace

/// Says which nodes of `path` depend on one another, from `first` on.
static LogicalResult emitCycle(InFlightDiagnostic error, const FlatGraph &graph,
                               ArrayRef<Visit> path, unsigned first) {
  constexpr size_t mostNames = 8;
  error << "node " << graph[first].describe() << " depends on itself";
  path = path.drop_until([&](Visit visit) { return visit.node == first; });
  StringRef separator = ", by way of ";
  for (Visit visit : path.drop_front().take_front(mostNames)) {
    // Both borders of a call have its name.
    if (graph[visit.node].name == graph[first].name)
      continue;
    error << separator << "'" << graph[visit.node].name << "'";
    separator = ", ";
  }
  error << "; loops of nodes are not supported";
  return failure();
}

FailureOr<SmallVector<unsigned>> FlatGraph::sort(ArrayRef<Port> results) const {
  // Not by recursion, as a graph may be as deep as it has nodes.
  SmallVector<unsigned> order;
  llvm::BitVector isBegun(nodes.size()), isDone(nodes.size());
  SmallVector<Visit> path;
  auto begin = [&](unsigned node) {
    if (isBegun.test(node))
      return;
    isBegun.set(node);
    path.push_back({node});
  };
  for (Port result : results) {
    if (!isGiven(result))
      begin(result.node);
    while (!path.empty()) {
      Visit &visit = path.back();
      if (visit.visited == nodes[visit.node].getNumDependencies()) {
        isDone.set(visit.node);
        order.push_back(visit.node);
        path.pop_back();
        continue;
      }
      std::optional<unsigned> next = getDependency(visit.node, visit.visited++);
      if (next && isBegun.test(*next) && !isDone.test(*next))
        return emitCycle(emitError(), *this, path, *next);
      if (next)
        begin(*next);
    }
  }
  return order;
}

Port FlatGraph::resolve(Port port) const {
  while (nodes[port.node].isBorder && !isGiven(port))
    port = nodes[port.node].inputs[port.result];
  return port;
}
