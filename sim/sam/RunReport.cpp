//===- RunReport.cpp - What a run of a graph was like ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/RunReport.h"

#include "ember/Sim/Engine/Time.h"
#include "ember/Sim/Trace/PerfettoTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace ember::sim::sam {

static constexpr StringLiteral kindNames[] = {"data", "stops", "empty", "done"};

static json::Object countsOf(const StreamStatistics &stream) {
  json::Object counts;
  for (auto [name, count] : zip_equal(kindNames, stream.tokens))
    counts[name] = int64_t(count);
  return counts;
}

json::Object statisticsOf(const Graph &graph, const Run &run) {
  json::Object blocks;
  for (auto [number, block] : enumerate(graph.getBlocks())) {
    const BlockInfo &info = infoOf(block.kind);
    const BlockStatistics &statistics = run.blocks[number];
    json::Object object{{"kind", info.name},
                        {"busy", int64_t(statistics.busy)},
                        {"held", int64_t(statistics.held)},
                        {"starved", int64_t(statistics.starved(run.cycles))}};
    if (statistics.waiting)
      object["waiting"] = int64_t(statistics.waiting);
    if (statistics.doneCycle)
      object["doneCycle"] = int64_t(*statistics.doneCycle);
    json::Object inputs, outputs, queues;
    for (auto [port, input] : enumerate(info.inputs)) {
      if (!graph.isConnected(number, port))
        continue;
      PortRef source = graph.sourceOf(number, port);
      inputs[input.name] =
          source.block == noIndex ? "" : graph.nameOfOutput(source);
    }
    for (auto [port, output] : enumerate(info.outputs))
      if (run.streams[number][port].total())
        outputs[output.name] = countsOf(run.streams[number][port]);
    if (!run.peakQueues.empty())
      for (auto [port, input] : enumerate(info.inputs))
        if (graph.isConnected(number, port))
          queues[input.name] = int64_t(run.peakQueues[number][port]);
    if (block.kind == BlockKind::reduce || statistics.mostHeld)
      object["storage"] = int64_t(std::max<uint64_t>(statistics.mostHeld, 1));
    object["inputs"] = std::move(inputs);
    object["outputs"] = std::move(outputs);
    if (!queues.empty())
      object["longestQueues"] = std::move(queues);
    blocks[block.name] = std::move(object);
  }
  json::Object result{{"cycles", int64_t(run.cycles)},
                      {"tokens", int64_t(run.tokens())},
                      {"blocks", std::move(blocks)}};
  if (!run.chain.empty()) {
    json::Array chain;
    for (const ChainLink &link : reverse(run.chain))
      chain.push_back(
          json::Object{{"block", graph.getBlocks()[link.block].name},
                       {"from", int64_t(link.firstCycle)},
                       {"cycles", int64_t(link.cycles)}});
    result["criticalChain"] = std::move(chain);
  }
  return result;
}

/// Whose pace the length of a run is made of, the largest share first.
static void printChain(const Graph &graph, const Run &run, raw_ostream &os) {
  std::map<unsigned, uint64_t> cyclesOfBlocks;
  uint64_t all = 0;
  for (const ChainLink &link : run.chain) {
    cyclesOfBlocks[link.block] += link.cycles;
    all += link.cycles;
  }
  std::vector<std::pair<unsigned, uint64_t>> shares(cyclesOfBlocks.begin(),
                                                    cyclesOfBlocks.end());
  llvm::sort(shares, [](auto &a, auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  os << formatv("\nThe critical chain ends with {0}; each token of it waited "
                "for the one before. Of "
                "its {1} cycles\n",
                graph.getBlocks()[run.chain.front().block].name, all);
  constexpr size_t mostLines = 8;
  for (auto [block, cycles] : ArrayRef(shares).take_front(mostLines))
    os << formatv("  {0,8} are the pace of {1}\n", cycles,
                  graph.getBlocks()[block].name);
  if (shares.size() > mostLines)
    os << formatv("           and {0} blocks have the rest\n",
                  shares.size() - mostLines);
}

void printRun(const Graph &graph, const Run &run, raw_ostream &os) {
  StreamStatistics sums;
  for (const auto &outputs : run.streams)
    for (const StreamStatistics &stream : outputs)
      for (auto [sum, count] : zip_equal(sums.tokens, stream.tokens))
        sum += count;
  os << formatv("cycles  {0}\ntokens  {1}: {2} of data, {3} stops, {4} empty, "
                "{5} done\n\n",
                run.cycles, run.tokens(), sums.tokens[0], sums.tokens[1],
                sums.tokens[2], sums.tokens[3]);
  size_t widest = 5;
  for (const Block &block : graph.getBlocks())
    widest = std::max(widest, block.name.size());
  auto row = [&](StringRef name, auto... cells) {
    os << name << std::string(widest - name.size(), ' ');
    ((os << formatv("{0,10}", cells)), ...);
    os << "\n";
  };
  bool hasQueues = !run.peakQueues.empty();
  bool areShared = any_of(run.blocks, [](const BlockStatistics &block) {
    return block.waiting != 0;
  });
  row("block", "busy", "starved", "held", "done", hasQueues ? "queue" : "",
      areShared ? "waiting" : "");
  for (unsigned number : graph.getOrder()) {
    const BlockStatistics &statistics = run.blocks[number];
    row(graph.getBlocks()[number].name, statistics.busy,
        statistics.starved(run.cycles), statistics.held,
        statistics.doneCycle ? std::to_string(*statistics.doneCycle) : "-",
        hasQueues ? std::to_string(*max_element(run.peakQueues[number])) : "",
        areShared ? std::to_string(statistics.waiting) : "");
  }
  if (!run.chain.empty())
    printChain(graph, run, os);
}

void traceRun(const Graph &graph, const Run &run, PerfettoTrace &trace) {
  for (unsigned number : graph.getOrder()) {
    const Block &block = graph.getBlocks()[number];
    for (auto [port, output] : enumerate(infoOf(block.kind).outputs)) {
      const std::vector<TimedToken> &tokens = run.shown[number][port];
      if (tokens.empty())
        continue;
      PerfettoTrace::Track track = trace.addTrack(block.name, output.name);
      StreamType type = graph.typeOf(number, port);
      for (const TimedToken &token : tokens) {
        Tick from = token.cycle * ticksPerNanosecond;
        trace.slice(track, printToken(token.token, type), from,
                    from + ticksPerNanosecond);
      }
    }
  }
}

} // namespace ember::sim::sam
