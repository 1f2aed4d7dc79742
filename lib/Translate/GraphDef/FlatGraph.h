//===- FlatGraph.h - A graph without calls ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of a graph and of the functions that it calls, by numbers instead
// of names. A call becomes two borders, at which nothing is computed: its
// entry, whose results stand for what the call is given, and its exit, whose
// results stand for what the function returns. So each body needs to know no
// names but its own, and a call is as strict as it was: what is behind it
// depends on all that is in front of it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TRANSLATE_GRAPHDEF_FLATGRAPH_H
#define EMBER_LIB_TRANSLATE_GRAPHDEF_FLATGRAPH_H

#include "Operators.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace ember::graphdef {

class FunctionBody;

/// A result of a node.
struct Port {
  unsigned node, result;
  bool operator==(const Port &other) const = default;
};

struct FlatNode {
  col::Effects getEffects() const {
    return known ? known->effects : col::Effects::changes;
  }
  /// What messages call it: 'NAME' (OPERATOR).
  std::string describe() const;
  unsigned getNumDependencies() const {
    return inputs.size() + controls.size();
  }

  /// Behind the names of the calls that it was inlined from.
  std::string name;
  const Node *definition = nullptr;
  /// Null for one that is not known, whose results are those that are read.
  const Operator *known = nullptr;
  bool isBorder = false;
  llvm::SmallVector<Result> results;
  llvm::SmallVector<Port> inputs;
  /// Nodes that have to be done before.
  llvm::SmallVector<unsigned> controls;
};

class FlatGraph {
public:
  FlatGraph(const Graph &graph, mlir::Location location);
  ~FlatGraph();

  /// Makes the nodes.
  mlir::LogicalResult flatten();

  /// The result of the graph that `reader` calls `text`, as inputs of nodes
  /// spell it.
  mlir::FailureOr<Port> find(llvm::StringRef text, const llvm::Twine &reader);

  /// The results of nodes that no node reads any result of.
  llvm::SmallVector<Port> findUnread() const;

  /// Has a result come from outside, in place of its node.
  void give(Port port) { given.insert({port.node, port.result}); }
  bool isGiven(Port port) const {
    return given.contains({port.node, port.result});
  }

  /// The nodes that `results` depend on, each behind those that it depends on
  /// itself.
  mlir::FailureOr<llvm::SmallVector<unsigned>>
  sort(llvm::ArrayRef<Port> results) const;

  /// The result that stands at `port`: of a node that is no border, or given.
  /// Borders must have been sorted, which refuses those that stand for
  /// themselves.
  Port resolve(Port port) const;

  const FlatNode &operator[](unsigned node) const { return nodes[node]; }
  size_t size() const { return nodes.size(); }

private:
  friend class FunctionBody;

  mlir::InFlightDiagnostic emitError() const {
    return mlir::emitError(location);
  }
  /// What node `node` depends on; nothing for a result that is given.
  std::optional<unsigned> getDependency(unsigned node, unsigned number) const;

  const Graph &graph;
  mlir::Location location;
  llvm::StringMap<const Function *> library;
  std::vector<FlatNode> nodes;
  std::unique_ptr<FunctionBody> body;
  llvm::DenseSet<std::pair<unsigned, unsigned>> given;
  /// Nodes of functions whose attributes the call says.
  std::deque<Node> copies;
};

} // namespace ember::graphdef

#endif // EMBER_LIB_TRANSLATE_GRAPHDEF_FLATGRAPH_H
