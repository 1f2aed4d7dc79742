//===- LoopOrders.h - Loops of operations that fit each other ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each operation an order of its loops, so that pipelined tensors are read
// in the order in which they are written, and as few others as possible are
// read in another one (GOGETA, section 5.1). Instead of trying orders until
// some are good enough, as algorithm 3 does, the best ones are found by
// eliminating an operation at a time: exact, as long as tables stay small.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_LOOPORDERS_H
#define EMBER_ANALYSIS_EINSUMGRAPH_LOOPORDERS_H

#include "ember/Analysis/EinsumGraph/ReusePatterns.h"

#include "llvm/ADT/BitVector.h"

namespace ember::einsum {

/// Numbers of ranks, that of the outermost loop first.
using LoopOrder = llvm::SmallVector<unsigned, 4>;

struct LoopOrderOptions {
  /// The most entries of a table; larger ones are not made, and orders are then
  /// the best that single changes lead to.
  uint64_t mostEntries = uint64_t(1) << 20;
};

struct LoopOrders {
  /// By statement. Nodes of all iterations are the same loops.
  std::vector<LoopOrder> orders;
  /// Edges that algorithm 2 pipelines, and loops do not.
  llvm::BitVector brokenEdges;
  /// Nodes that several operations should read at once, and do not.
  llvm::BitVector brokenMulticasts;
  /// Edges whose tensor is read in another order than it is written in.
  llvm::BitVector swizzledEdges;
  /// Operations that do not have their dominant rank outermost.
  unsigned misplacedDominantRanks = 0;
  /// Whether no orders break fewer edges and multicasts or, of those that break
  /// as few, swizzle fewer tensors.
  bool isProvenOptimal = false;
  /// Reuse with what is broken left out.
  ReuseAnalysis reuse;
};

LoopOrders findLoopOrders(const Graph &graph, const ReuseAnalysis &reuse,
                          const DominanceOptions &dominance,
                          const LoopOrderOptions &options = {});

/// Whether the target reads the tensor of an edge by one of its operands in
/// another order than the source writes it in.
bool isSwizzled(const Operation &source, const LoopOrder &sourceOrder,
                const Operation &target, const LoopOrder &targetOrder,
                llvm::ArrayRef<unsigned> operands);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_LOOPORDERS_H
