//===- ReportPicture.cpp - A graph as DOT and as a page -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EinsumGraph/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace ember::einsum;

/// The colours of figure 7: blue, red and cyan for pipelines, green for
/// multicasts.
static StringRef colorOf(const EdgeReuse &edge) {
  if (edge.isMulticast && !isPipelined(edge.pattern))
    return "#2e8b57";
  switch (edge.pattern) {
  case ReusePattern::sequential:
    return "#707070";
  case ReusePattern::pipelineable:
    return "#1f5fd0";
  case ReusePattern::writeback:
    return "#b22222";
  case ReusePattern::hold:
    return "#0097a7";
  }
  llvm_unreachable("all patterns have colours");
}

//===----------------------------------------------------------------------===//
// DOT
//===----------------------------------------------------------------------===//

static std::string quote(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

void ember::einsum::printDot(const Report &report, raw_ostream &os) {
  const Graph &graph = report.graph;
  const ReuseAnalysis &reuse = report.orders.reuse;
  os << "digraph einsums {\n  rankdir=LR;\n  node [shape=circle];\n";
  for (auto [number, node] : enumerate(graph.nodes)) {
    const Operation &operation = graph.operationOf(number);
    os << "  n" << number << " [label="
       << quote(graph.nameOf(number) + "\n" +
                nameOf(reuse.nodes[number].dominance).str())
       << ", tooltip="
       << quote(operation.text + "; loops " +
                describeOrder(graph, report.orders, node.statement))
       << (operation.kind == OperationKind::whole ? ", shape=box" : "")
       << (reuse.nodes[number].isOnCriticalPath ? ", penwidth=2" : "")
       << "];\n";
  }
  for (auto [number, edge] : enumerate(graph.edges)) {
    const EdgeReuse &entry = reuse.edges[number];
    os << "  n" << edge.source << " -> n" << edge.target
       << " [label=" << quote(graph.tensorOf(edge).name)
       << ", color=" << quote(colorOf(entry))
       << ", tooltip=" << quote(nameOf(entry.pattern))
       << (entry.isTransitive ? ", style=dashed" : "") << "];\n";
  }
  os << "}\n";
}

//===----------------------------------------------------------------------===//
// HTML
//===----------------------------------------------------------------------===//

static std::string escape(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  printHTMLEscaped(text, os);
  return result;
}

namespace {
/// Places nodes in columns, each behind those that it reads from, and draws
/// them.
class Picture {
public:
  Picture(const Report &report, raw_ostream &os) : report(report), os(os) {
    const Graph &graph = report.graph;
    columns.resize(graph.nodes.size(), 0);
    rows.resize(graph.nodes.size(), 0);
    std::vector<unsigned> counts;
    for (unsigned node = 0; node < graph.nodes.size(); ++node) {
      for (unsigned edge : graph.nodes[node].incoming)
        columns[node] =
            std::max(columns[node], columns[graph.edges[edge].source] + 1);
      counts.resize(std::max<size_t>(counts.size(), columns[node] + 1), 0);
      rows[node] = counts[columns[node]]++;
      height = std::max(height, counts[columns[node]]);
    }
    width = counts.size();
  }

  void draw() {
    os << formatv("<svg width=\"{0}\" height=\"{1}\" "
                  "font-family=\"sans-serif\" font-size=\"12\" "
                  "text-anchor=\"middle\">\n",
                  width * step + step, (height + 1) * step);
    os << "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
          "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
          "<path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n";
    for (unsigned edge = 0; edge < report.graph.edges.size(); ++edge)
      drawEdge(edge);
    for (unsigned node = 0; node < report.graph.nodes.size(); ++node)
      drawNode(node);
    os << "</svg>\n";
  }

private:
  unsigned x(unsigned node) const { return step / 2 + columns[node] * step; }
  unsigned y(unsigned node) const { return step + rows[node] * step; }

  void drawNode(unsigned node) {
    const NodeReuse &reuse = report.orders.reuse.nodes[node];
    const Operation &operation = report.graph.operationOf(node);
    os << formatv("<g><title>{0}; loops {1}</title><circle cx=\"{2}\" "
                  "cy=\"{3}\" r=\"{4}\" fill=\"white\" stroke=\"black\" "
                  "stroke-width=\"{5}\"/><text x=\"{2}\" y=\"{6}\">{7}</text>"
                  "<text x=\"{2}\" y=\"{8}\" fill=\"#707070\">{9}</text></g>\n",
                  escape(operation.text),
                  escape(describeOrder(report.graph, report.orders,
                                       report.graph.nodes[node].statement)),
                  x(node), y(node), radius, reuse.isOnCriticalPath ? 2 : 1,
                  y(node) - 2, escape(report.graph.nameOf(node)), y(node) + 12,
                  nameOf(reuse.dominance));
  }

  void drawEdge(unsigned number) {
    const Edge &edge = report.graph.edges[number];
    const EdgeReuse &reuse = report.orders.reuse.edges[number];
    int fromX = x(edge.source) + radius, toX = x(edge.target) - radius;
    int fromY = y(edge.source), toY = y(edge.target);
    // Long edges pass above the nodes between.
    int columnsApart = int(columns[edge.target]) - int(columns[edge.source]);
    int bend = columnsApart > 1 ? std::min(60, 12 * columnsApart) : 0;
    int middleX = (fromX + toX) / 2, middleY = (fromY + toY) / 2 - bend;
    os << formatv("<g><title>{0}: {1}{2}</title><path d=\"M{3},{4} Q{5},{6} "
                  "{7},{8}\" fill=\"none\" stroke=\"{9}\" "
                  "stroke-width=\"1.5\"{10} marker-end=\"url(#end)\"/>",
                  escape(report.graph.tensorOf(edge).name),
                  nameOf(reuse.pattern),
                  reuse.reason.empty() ? "" : "; " + reuse.reason.str(), fromX,
                  fromY, middleX, middleY - bend, toX, toY, colorOf(reuse),
                  reuse.isTransitive ? " stroke-dasharray=\"5,3\"" : "");
    os << formatv("<text x=\"{0}\" y=\"{1}\" fill=\"{2}\">{3}</text></g>\n",
                  middleX, middleY - 3, colorOf(reuse),
                  escape(report.graph.tensorOf(edge).name));
  }

  static constexpr unsigned step = 90, radius = 22;
  const Report &report;
  raw_ostream &os;
  std::vector<unsigned> columns, rows;
  unsigned width = 0, height = 0;
};
} // namespace

void ember::einsum::printHtml(const Report &report, raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
        "<title>Graph of tensor operations</title></head>\n<body>\n"
        "<p>";
  EdgeReuse multicast;
  multicast.isMulticast = true;
  for (ReusePattern pattern :
       {ReusePattern::pipelineable, ReusePattern::writeback, ReusePattern::hold,
        ReusePattern::sequential}) {
    EdgeReuse edge;
    edge.pattern = pattern;
    os << "<span style=\"color:" << colorOf(edge) << "\">" << nameOf(pattern)
       << "</span> · ";
  }
  os << "<span style=\"color:" << colorOf(multicast)
     << "\">parallel_multicast</span></p>\n<div style=\"overflow:auto\">\n";
  Picture(report, os).draw();
  os << "</div>\n<pre>\n";
  std::string text;
  raw_string_ostream table(text);
  printTable(report, table);
  os << escape(text) << "</pre>\n</body></html>\n";
}
