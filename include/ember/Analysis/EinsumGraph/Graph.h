//===- Graph.h - The graph of tensor operations -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a program whose loop is unrolled, and which of them reads
// what which other one has written (GOGETA, section 2.2).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_GRAPH_H
#define EMBER_ANALYSIS_EINSUMGRAPH_GRAPH_H

#include "ember/Analysis/EinsumGraph/Program.h"

namespace ember::einsum {

/// What a tensor holds between two times that it is written.
struct TensorValue {
  unsigned tensor;
  /// The node that writes it; none for what was there before.
  std::optional<unsigned> producer;
  /// Edges to those that read it, in the order of nodes.
  llvm::SmallVector<unsigned, 4> edges;
  /// Asked for behind the program.
  bool isOutput = false;
};

struct Node {
  /// Its operation, by number among all of the program: `before`, `body` and
  /// `after`. Nodes of several iterations have the same.
  unsigned statement;
  /// The iteration, from 0; none outside of the loop.
  std::optional<unsigned> iteration;
  /// What each operand is, and what it writes.
  llvm::SmallVector<unsigned, 4> reads;
  unsigned write;
  llvm::SmallVector<unsigned, 4> incoming, outgoing;
};

/// A node reads what another one has written.
struct Edge {
  unsigned source, target;
  unsigned value;
  /// The operands of `target` that are the value.
  llvm::SmallVector<unsigned, 2> operands;
};

struct GraphOptions {
  unsigned iterations = 1;
  /// Only the loop: the operations around it are no part of the graph.
  bool loopOnly = true;
};

class Graph {
public:
  /// Nodes stand in an order in which each reads what those before it write.
  static llvm::Expected<Graph> build(Program program,
                                     const GraphOptions &options);

  const Operation &operationOf(const Node &node) const {
    return *statements[node.statement];
  }
  const Operation &operationOf(unsigned node) const {
    return operationOf(nodes[node]);
  }
  const Tensor &tensorOf(const Edge &edge) const {
    return program->tensors[values[edge.value].tensor];
  }
  const Tensor &tensorOf(const TensorValue &value) const {
    return program->tensors[value.tensor];
  }
  const Operation &statement(unsigned number) const {
    return *statements[number];
  }
  unsigned statementCount() const { return statements.size(); }
  const Program &getProgram() const { return *program; }
  /// The name of a node with a tick for each iteration before it: `3'`.
  std::string nameOf(unsigned node) const;

  /// The longest path, by nodes; of several, the one whose nodes come first.
  llvm::SmallVector<unsigned> findCriticalPath() const;

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<TensorValue> values;

private:
  // Kept by pointer so that `statements` outlive a move.
  std::shared_ptr<const Program> program;
  std::vector<const Operation *> statements;
};

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_GRAPH_H
