//===- Report.cpp - What is known of a graph, as text ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;
using namespace ember::einsum;

std::string ember::einsum::describeOrder(const Graph &graph,
                                         const LoopOrders &orders,
                                         unsigned statement) {
  std::string text;
  for (unsigned rank : orders.orders[statement])
    text +=
        (text.empty() ? "" : " ") + graph.statement(statement).ranks[rank].name;
  return text;
}

std::string ember::einsum::describeWords(double words) {
  return formatv("{0:N}", int64_t(std::llround(words))).str();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Rows of cells, columns as wide as their widest one.
class TextTable {
public:
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  void print(raw_ostream &os) const {
    std::vector<size_t> widths;
    for (const auto &row : rows)
      for (auto [column, cell] : enumerate(row)) {
        widths.resize(std::max(widths.size(), size_t(column + 1)));
        widths[column] = std::max(widths[column], cell.size());
      }
    for (const auto &row : rows) {
      std::string line;
      for (auto [column, cell] : enumerate(row))
        line += cell + std::string(widths[column] - cell.size() + 2, ' ');
      os << StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};
} // namespace

static void printNodes(const Report &report, raw_ostream &os) {
  TextTable table;
  table.add({"node", "kind", "dominance", "stage", "loops", "operation"});
  for (auto [number, node] : enumerate(report.graph.nodes)) {
    const Operation &operation = report.graph.operationOf(number);
    const NodeReuse &reuse = report.orders.reuse.nodes[number];
    table.add({report.graph.nameOf(number), nameOf(operation.kind).str(),
               nameOf(reuse.dominance).str(), std::to_string(reuse.stage),
               describeOrder(report.graph, report.orders, node.statement),
               operation.text});
  }
  table.print(os);
}

static void printEdges(const Report &report, raw_ostream &os) {
  TextTable table;
  table.add({"from", "to", "tensor", "pattern", "", "why"});
  for (auto [number, edge] : enumerate(report.graph.edges)) {
    const EdgeReuse &reuse = report.orders.reuse.edges[number];
    std::vector<std::string> flags;
    if (reuse.isTransitive)
      flags.push_back("transitive");
    if (reuse.isMulticast)
      flags.push_back("multicast");
    if (report.orders.swizzledEdges.test(number))
      flags.push_back("swizzled");
    table.add({report.graph.nameOf(edge.source),
               report.graph.nameOf(edge.target),
               report.graph.tensorOf(edge).name, nameOf(reuse.pattern).str(),
               join(flags, " "), reuse.reason.str()});
  }
  table.print(os);
}

static void printTraffic(const Report &report, raw_ostream &os) {
  TextTable table;
  table.add({"scheme", "words read", "words written", "MB", "of the first",
             "traversals"});
  for (const auto &[scheme, traffic] : report.traffic) {
    double bytes = traffic.words() * double(report.machine.wordBytes);
    double first = report.traffic.front().traffic.words();
    table.add(
        {nameOf(scheme).str(), describeWords(traffic.reads),
         describeWords(traffic.writes), formatv("{0:F3}", bytes / 1e6),
         first > 0 ? formatv("{0:F3}", traffic.words() / first).str() : "",
         describeWords(traffic.traversals)});
  }
  table.print(os);
}

void ember::einsum::printTable(const Report &report, raw_ostream &os) {
  printNodes(report, os);
  os << "\n";
  printEdges(report, os);
  os << "\n"
     << (report.orders.isProvenOptimal ? "best" : "good")
     << " loop orders: " << report.orders.brokenEdges.count()
     << " pipelines broken, " << report.orders.brokenMulticasts.count()
     << " multicasts broken, " << report.orders.swizzledEdges.count()
     << " tensors swizzled\n\n";
  printTraffic(report, os);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object describeNode(const Report &report, unsigned number) {
  const Graph &graph = report.graph;
  const Node &node = graph.nodes[number];
  const Operation &operation = graph.operationOf(number);
  const NodeReuse &reuse = report.orders.reuse.nodes[number];
  json::Array ranks, order;
  for (const Rank &rank : operation.ranks)
    ranks.push_back(json::Object{{"name", rank.name},
                                 {"extent", rank.extent},
                                 {"contracted", rank.isContracted}});
  for (unsigned rank : report.orders.orders[node.statement])
    order.push_back(operation.ranks[rank].name);
  json::Object result{{"name", graph.nameOf(number)},
                      {"kind", nameOf(operation.kind)},
                      {"text", operation.text},
                      {"ranks", std::move(ranks)},
                      {"dominance", nameOf(reuse.dominance)},
                      {"stage", reuse.stage},
                      {"critical", reuse.isOnCriticalPath},
                      {"casts", reuse.casts},
                      {"multicast", reuse.isMulticast},
                      {"loops", std::move(order)}};
  if (node.iteration)
    result["iteration"] = *node.iteration;
  // Slices of the dominant rank, one for each cluster (section 5.2).
  if (auto rank = findDominantRank(operation, report.dominance))
    result["tiling"] =
        json::Object{{"rank", operation.ranks[*rank].name},
                     {"tiles", report.machine.clusters},
                     {"extent", std::ceil(operation.ranks[*rank].extent /
                                          double(report.machine.clusters))}};
  return result;
}

static json::Object describeEdge(const Report &report, unsigned number) {
  const Graph &graph = report.graph;
  const Edge &edge = graph.edges[number];
  const EdgeReuse &reuse = report.orders.reuse.edges[number];
  json::Array shared;
  for (unsigned rank : reuse.sharedRanks)
    shared.push_back(graph.operationOf(edge.target).ranks[rank].name);
  return json::Object{{"source", graph.nameOf(edge.source)},
                      {"target", graph.nameOf(edge.target)},
                      {"tensor", graph.tensorOf(edge).name},
                      {"pattern", nameOf(reuse.pattern)},
                      {"transitive", reuse.isTransitive},
                      {"multicast", reuse.isMulticast},
                      {"sharedRanks", std::move(shared)},
                      {"swizzled", report.orders.swizzledEdges.test(number)},
                      {"broken", report.orders.brokenEdges.test(number)},
                      {"reason", reuse.reason}};
}

static json::Object describeTraffic(const Report &report,
                                    const Report::SchemeTraffic &entry) {
  const Traffic &traffic = entry.traffic;
  json::Object tensors;
  for (auto [number, tensor] : enumerate(report.graph.getProgram().tensors)) {
    double reads = traffic.readsOf[number], writes = traffic.writesOf[number];
    if (reads == 0 && writes == 0)
      continue;
    // Several tensors may have one name: those that a loop carries.
    if (const json::Object *known = tensors.getObject(tensor.name)) {
      reads += known->getNumber("reads").value_or(0);
      writes += known->getNumber("writes").value_or(0);
    }
    tensors[tensor.name] = json::Object{{"reads", reads}, {"writes", writes}};
  }
  json::Array steps;
  for (const StepTraffic &step : traffic.steps) {
    json::Array nodes;
    for (unsigned node : step.nodes)
      nodes.push_back(report.graph.nameOf(node));
    steps.push_back(json::Object{{"nodes", std::move(nodes)},
                                 {"reads", step.reads},
                                 {"writes", step.writes},
                                 {"traversals", step.traversals}});
  }
  json::Array values;
  for (const ValueUses &value : traffic.values) {
    if (value.words == 0 || value.uses.empty())
      continue;
    json::Array uses;
    for (const ValueUses::StepUse &use : value.uses)
      uses.push_back(json::Object{{"step", use.step},
                                  {"reads", use.reads},
                                  {"written", use.isWritten}});
    values.push_back(json::Object{
        {"tensor", report.graph.getProgram().tensors[value.tensor].name},
        {"words", value.words},
        {"kept", value.isKept},
        {"output", value.isOutput},
        {"transposed", value.isTransposedCopy},
        {"uses", std::move(uses)}});
  }
  return json::Object{
      {"scheme", nameOf(entry.scheme)},
      {"reads", traffic.reads},
      {"writes", traffic.writes},
      {"words", traffic.words()},
      {"bytes", traffic.words() * double(report.machine.wordBytes)},
      {"traversals", traffic.traversals},
      {"tensors", std::move(tensors)},
      {"steps", std::move(steps)},
      {"values", std::move(values)}};
}

void ember::einsum::printJson(const Report &report, raw_ostream &os) {
  json::Array nodes, edges, path, traffic;
  for (unsigned node = 0; node < report.graph.nodes.size(); ++node)
    nodes.push_back(describeNode(report, node));
  for (unsigned edge = 0; edge < report.graph.edges.size(); ++edge)
    edges.push_back(describeEdge(report, edge));
  for (unsigned node : report.orders.reuse.criticalPath)
    path.push_back(report.graph.nameOf(node));
  for (const Report::SchemeTraffic &entry : report.traffic)
    traffic.push_back(describeTraffic(report, entry));
  json::Value result = json::Object{
      {"nodes", std::move(nodes)},
      {"edges", std::move(edges)},
      {"criticalPath", std::move(path)},
      {"orders",
       json::Object{
           {"proven", report.orders.isProvenOptimal},
           {"brokenPipelines", report.orders.brokenEdges.count()},
           {"brokenMulticasts", report.orders.brokenMulticasts.count()},
           {"swizzled", report.orders.swizzledEdges.count()}}},
      {"traffic", std::move(traffic)}};
  os << formatv("{0:2}", result) << "\n";
}
