//===- Schedule.h - Operations that run at once -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_SCHEDULE_H
#define EMBER_ANALYSIS_EINSUMGRAPH_SCHEDULE_H

#include "ember/Analysis/EinsumGraph/LoopOrders.h"

namespace ember::einsum {

/// Nodes that run at once, in the order of the graph.
using Step = llvm::SmallVector<unsigned, 4>;

/// Each node by itself, in the order of the program.
std::vector<Step> scheduleOneByOne(const Graph &graph);

/// Nodes that a pipeline or a multicast joins together, each step as early in
/// the program as what it needs allows.
std::vector<Step> schedulePipelines(const Graph &graph,
                                    const ReuseAnalysis &reuse);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_SCHEDULE_H
