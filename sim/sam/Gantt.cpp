//===- Gantt.cpp - Which blocks show tokens when, as a picture ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/RunReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

static constexpr unsigned rowHeight = 18;
static constexpr unsigned chartWidth = 800;
/// Of data, and of other tokens.
static constexpr StringLiteral colours[] = {"#2b6cb0", "#dd8833"};

static std::string escape(StringRef text) {
  std::string escaped;
  for (char letter : text)
    escaped += letter == '<'   ? "&lt;"
               : letter == '&' ? "&amp;"
                               : std::string(1, letter);
  return escaped;
}

/// How many cycles of each column a block shows data in, and how many others it
/// shows something in.
static std::array<std::vector<uint64_t>, 2>
countColumns(const Run &run, unsigned block, uint64_t cyclesOfColumn,
             uint64_t columns) {
  // Of a cycle with several tokens, data counts.
  std::map<uint64_t, bool> cycles;
  for (const std::vector<TimedToken> &stream : run.shown[block])
    for (const TimedToken &token : stream)
      cycles[token.cycle] |= token.token.isData();
  std::array<std::vector<uint64_t>, 2> counts;
  for (auto &column : counts)
    column.resize(columns);
  for (auto [cycle, isData] : cycles)
    if (uint64_t column = cycle / cyclesOfColumn; column < columns)
      ++counts[isData ? 0 : 1][column];
  return counts;
}

void writeGantt(const Graph &graph, const Run &run, raw_ostream &os) {
  uint64_t cyclesOfColumn =
      std::max<uint64_t>((run.cycles + chartWidth - 1) / chartWidth, 1);
  uint64_t columns = (run.cycles + cyclesOfColumn - 1) / cyclesOfColumn;
  double width = double(chartWidth) / double(std::max<uint64_t>(columns, 1));
  size_t longest = 0;
  for (const Block &block : graph.getBlocks())
    longest = std::max(longest, block.name.size());
  size_t left = 8 * longest + 16;
  unsigned rows = 0;
  std::string body;
  raw_string_ostream text(body);
  for (unsigned number : graph.getOrder()) {
    const Block &block = graph.getBlocks()[number];
    if (isWriter(block.kind))
      continue;
    unsigned top = rows++ * rowHeight;
    text << formatv("<text x=\"4\" y=\"{0}\">{1}</text>\n", top + 13,
                    escape(block.name));
    auto counts = countColumns(run, number, cyclesOfColumn, columns);
    for (auto [kind, colour] : enumerate(colours))
      for (auto [column, count] : enumerate(counts[kind]))
        if (count)
          text << formatv(
              "<rect x=\"{0:f2}\" y=\"{1}\" width=\"{2:f2}\" height=\"{3}\" "
              "fill=\"{4}\" fill-opacity=\"{5:f2}\"/>\n",
              double(left) + double(column) * width,
              top + 3 + kind * (rowHeight / 2 - 2), width, rowHeight / 2 - 2,
              colour, double(count) / double(cyclesOfColumn));
  }
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" font-family=\"monospace\" font-size=\"12\">\n"
                "<title>{2} cycles; blue: data, orange: stops and other "
                "tokens</title>\n",
                left + chartWidth + 8, (rows + 1) * rowHeight, run.cycles)
     << body
     << formatv("<text x=\"{0}\" y=\"{1}\">cycle 0</text>\n", left,
                rows * rowHeight + 13)
     << formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n"
                "</svg>\n",
                left + chartWidth, rows * rowHeight + 13, run.cycles);
}

} // namespace ember::sim::sam
