//===- ConformanceTest.cpp - Blocks and kernels, cycle by cycle -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace ember::sim::sam;

namespace {
using Engine = Expected<Run> (*)(const Graph &, const Parameters &,
                                 const RunOptions &);

constexpr std::pair<const char *, Engine> engines[] = {{"cycles", runByCycles},
                                                       {"times", runByTimes}};

/// All that a block shows is what the vector says, in its cycle.
void check(const BlockVector &vector, Engine engine, StringRef trace) {
  SCOPED_TRACE(trace.str());
  Parameters parameters;
  parameters.quirks = Quirks::reference;
  RunOptions options;
  options.keepsStreams = true;
  Expected<Run> run = engine(vector.graph, parameters, options);
  ASSERT_TRUE(!!run) << toString(run.takeError());
  for (const BlockVector::Output &output : vector.outputs) {
    // Only gallop edges, which lead back, take skips.
    if (engine == runByTimes &&
        vector.graph.typeOf(output.block, output.port) == StreamType::skip)
      continue;
    EXPECT_EQ(
        printTimeline(run->shown[output.block][output.port],
                      vector.graph.typeOf(output.block, output.port) ==
                              StreamType::any
                          ? StreamType::coordinate
                          : vector.graph.typeOf(output.block, output.port)),
        output.text)
        << vector.graph.nameOfOutput({output.block, output.port});
  }
  for (unsigned block : vector.checked)
    EXPECT_EQ(run->blocks[block].doneCycle, vector.doneCycle);
  if (vector.stored) {
    json::Array stored;
    for (const Token &token : run->written.at(vector.checked[0]))
      if (token.isData())
        stored.push_back(token.integer());
    EXPECT_EQ(formatv("{0}", json::Value(std::move(stored))).str(),
              *vector.stored);
  }
}

double sumOf(const Elements &elements) {
  double sum = 0;
  for (const auto &[coordinates, value] : elements)
    sum += value;
  return sum;
}

/// The cycles, the values and the sum of a case.
void check(const json::Object &kernel, const json::Object &measured,
           StringRef trace) {
  SCOPED_TRACE(trace.str());
  Expected<Graph> graph = readGraph(kernel, measured);
  ASSERT_TRUE(!!graph) << toString(graph.takeError());
  StringRef expression = *kernel.getString("expression");
  Elements expected = evaluate(expression, *graph, *kernel.getObject("tensors"),
                               *measured.getObject("dims"));
  for (auto [name, engine] : engines)
    for (Quirks quirks : {Quirks::reference, Quirks::none}) {
      Parameters parameters;
      parameters.quirks = quirks;
      Expected<Run> run = engine(*graph, parameters, {});
      ASSERT_TRUE(!!run) << toString(run.takeError());
      if (quirks == Quirks::reference)
        EXPECT_EQ(run->cycles, *measured.getInteger("cycles")) << name;
      auto results = resultsOf(*graph, *run, quirks);
      ASSERT_TRUE(!!results) << toString(results.takeError());
      ASSERT_EQ(results->size(), 1u);
      EXPECT_EQ(withoutZeros(results->begin()->second), expected)
          << name << unsigned(quirks);
      EXPECT_EQ(sumOf(results->begin()->second), *measured.getNumber("sum"));
      if (const json::Object *done = measured.getObject("cycles_until_done");
          done && quirks == Quirks::reference)
        // Of reducers, the reference reports the end of what follows them.
        for (const auto &[block, cycles] : *done)
          if (!StringRef(block).starts_with("reduce"))
            EXPECT_EQ(
                int64_t(*run->blocks[*graph->findBlock(block)].doneCycle) + 1,
                *cycles.getAsInteger())
                << block.str();
    }
  if (const json::Object *depths = measured.getObject("cycles_by_queue_depth"))
    for (const auto &[depth, cycles] : *depths) {
      Parameters parameters;
      parameters.quirks = Quirks::reference;
      parameters.queueDepth = std::stoul(depth.str());
      Expected<Run> run = runByCycles(*graph, parameters);
      ASSERT_TRUE(!!run) << toString(run.takeError());
      EXPECT_EQ(int64_t(run->cycles), *cycles.getAsInteger())
          << "queues of " << depth.str();
      auto results = resultsOf(*graph, *run, Quirks::reference);
      ASSERT_TRUE(!!results) << toString(results.takeError());
      EXPECT_EQ(withoutZeros(results->begin()->second), expected);
    }
}

TEST(SAMConformance, blocks) {
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    for (auto [number, entry] :
         enumerate(*value.getAsObject()->getArray("blocks"))) {
      BlockVector vector = buildVector(*entry.getAsObject());
      for (auto [name, engine] : engines)
        if (engine != runByTimes || !vector.graph.hasGallopEdges())
          check(vector, engine,
                formatv("{0}, vector {1}: {2}, {3}", file, number, vector.name,
                        name)
                    .str());
    }
  }
}

TEST(SAMConformance, kernels) {
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    for (const auto &[name, entry] : *value.getAsObject()->getObject("kernels"))
      for (const json::Value &measured :
           *entry.getAsObject()->getArray("cases"))
        check(*entry.getAsObject(), *measured.getAsObject(),
              formatv("{0}, {1}, seed {2}", file, name.str(),
                      *measured.getAsObject()->getInteger("seed"))
                  .str());
  }
}
} // namespace
