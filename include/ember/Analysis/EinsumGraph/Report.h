//===- Report.h - What is known of a graph, for people ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EINSUMGRAPH_REPORT_H
#define EMBER_ANALYSIS_EINSUMGRAPH_REPORT_H

#include "ember/Analysis/EinsumGraph/TrafficModel.h"

#include "llvm/Support/raw_ostream.h"

namespace ember::einsum {

/// A graph and all that was found out about it.
struct Report {
  const Graph &graph;
  const LoopOrders &orders;
  SpatialMachine machine;
  DominanceOptions dominance;
  struct SchemeTraffic {
    Scheme scheme;
    Traffic traffic;
  };
  /// In the order in which they were asked for.
  std::vector<SchemeTraffic> traffic;
};

/// Nodes, edges and traffic in columns.
void printTable(const Report &report, llvm::raw_ostream &os);
/// All of it, as an object.
void printJson(const Report &report, llvm::raw_ostream &os);
/// The graph with colours of patterns, for Graphviz, as in figure 7.
void printDot(const Report &report, llvm::raw_ostream &os);
/// The graph as a picture beside the tables, on a page that needs nothing else.
void printHtml(const Report &report, llvm::raw_ostream &os);

/// The loops of a statement, outermost first: `m j n`.
std::string describeOrder(const Graph &graph, const LoopOrders &orders,
                          unsigned statement);
/// A number of words with as many digits as tell it apart.
std::string describeWords(double words);

} // namespace ember::einsum

#endif // EMBER_ANALYSIS_EINSUMGRAPH_REPORT_H
