//===- StudiesTest.cpp - Larger graphs, and vectors that are multiplied ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures' points that were measured: orders of loops, and the product of
// two vectors with dense levels, compressed ones, and galloping.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace ember::sim::sam;

namespace {
constexpr int64_t length = 2000;
constexpr size_t mostElements = 400;
using Coordinates = std::vector<int64_t>;

Coordinates drawnBlocks(uint64_t seed, int64_t size) {
  SplitMix64 random(seed);
  std::set<int64_t> slots, coordinates;
  while (coordinates.size() < mostElements) {
    int64_t slot = random() % (length / size);
    if (!slots.insert(slot).second)
      continue;
    for (int64_t k = 0; k < size; ++k)
      coordinates.insert(slot * size + k);
  }
  return {coordinates.begin(), coordinates.end()};
}

Coordinates drawn(uint64_t seed, double density) {
  SplitMix64 random(seed);
  auto threshold = uint64_t(density * 9007199254740992.0);
  Coordinates coordinates;
  for (int64_t at = 0; at < length; ++at)
    if (random() >> 11 < threshold)
      coordinates.push_back(at);
  return coordinates;
}

std::pair<Coordinates, Coordinates> alternatingRuns(int64_t run) {
  std::pair<Coordinates, Coordinates> vectors;
  auto &[b, c] = vectors;
  int64_t at = 0;
  while (at < length && (b.size() < mostElements || c.size() < mostElements)) {
    for (Coordinates *own : {&b, &c})
      for (int64_t k = 0; k < run && own->size() < mostElements && at < length;
           ++k)
        own->push_back(at++);
    if (at < length) {
      b.push_back(at);
      c.push_back(at++);
    }
  }
  return vectors;
}

std::pair<Coordinates, Coordinates> vectorsOf(StringRef name) {
  auto [shape, parameter] = name.split(' ');
  double number = std::stod(parameter.str());
  if (shape == "random")
    return {drawn(10, 1 - number), drawn(11, 1 - number)};
  if (shape == "runs")
    return alternatingRuns(int64_t(number));
  return {drawnBlocks(10, int64_t(number)), drawnBlocks(11, int64_t(number))};
}

enum class Way { dense, compressed, galloping };

uint64_t cyclesOf(const std::pair<Coordinates, Coordinates> &vectors, Way way) {
  Graph graph;
  bool isDense = way == Way::dense;
  unsigned join = cantFail(graph.addBlock(
      {"join", isDense ? BlockKind::multiply : BlockKind::intersect}));
  Block write{"write",
              isDense ? BlockKind::writeValues : BlockKind::writeCompressed};
  write.result = "x";
  unsigned writer = cantFail(graph.addBlock(write));
  for (std::string side : {"1", "2"}) {
    Elements elements;
    for (int64_t coordinate : side == "1" ? vectors.first : vectors.second)
      elements[{coordinate}] = 1;
    Block scan{"scan" + side,
               isDense ? BlockKind::scanDense : BlockKind::scanCompressed};
    scan.tensor = cantFail(graph.addTensor(buildTensor(
        "b" + side, isDense ? Level::Format::dense : Level::Format::compressed,
        length, elements)));
    unsigned scanner = cantFail(graph.addBlock(scan));
    cantFail(graph.addRoot(scanner));
    if (isDense) {
      Block array{"array" + side, BlockKind::array};
      array.tensor = scan.tensor;
      unsigned values = cantFail(graph.addBlock(array));
      cantFail(graph.connect(scanner, "ref", values, "ref"));
      cantFail(graph.connect(values, "val", join, "in" + side));
      continue;
    }
    cantFail(graph.connect(scanner, "crd", join, "crd" + side));
    cantFail(graph.connect(scanner, "ref", join, "ref" + side));
    if (way == Way::galloping)
      cantFail(graph.connect(join, "skip" + side, scanner, "skip"));
  }
  cantFail(graph.connect(join, isDense ? "val" : "crd", writer, "in"));
  cantFail(graph.verify());
  auto run = cantFail(runByCycles(graph, {}));
  if (way != Way::galloping)
    EXPECT_EQ(cantFail(runByTimes(graph, {})).cycles, run.cycles);
  return run.cycles;
}

TEST(SAMStudies, vectorsMultiplied) {
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    const json::Object *studies = value.getAsObject()->getObject("studies");
    if (!studies)
      continue;
    for (const auto &[name, entry] :
         *studies->getObject("acceleration")->getObject("cases")) {
      SCOPED_TRACE(name.str());
      auto vectors = vectorsOf(name);
      const json::Object &cycles = *entry.getAsObject()->getObject("cycles");
      EXPECT_EQ(int64_t(vectors.first.size()),
                *entry.getAsObject()->getInteger("nnz_b"));
      EXPECT_EQ(cyclesOf(vectors, Way::dense),
                *cycles.getInteger("uncompressed"));
      EXPECT_EQ(cyclesOf(vectors, Way::compressed),
                *cycles.getInteger("compressed"));
      EXPECT_EQ(cyclesOf(vectors, Way::galloping),
                *cycles.getInteger("compress_skip"));
    }
  }
}

TEST(SAMStudies, ordersOfLoops) {
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    const json::Object *studies = value.getAsObject()->getObject("studies");
    if (!studies)
      continue;
    const json::Object &kernels = *value.getAsObject()->getObject("kernels");
    for (const auto &[name, entry] :
         *studies->getObject("dataflow_order_and_fusion")) {
      const json::Object &measured = *entry.getAsObject();
      // The last part of some names is the size of an index.
      StringRef kernelName = StringRef(name).rtrim("_0123456789");
      const json::Object *kernel = kernels.getObject(kernelName);
      if (!kernel)
        continue;
      SCOPED_TRACE(name.str());
      Graph graph = cantFail(readGraph(*kernel, measured));
      auto byTimes = runByTimes(graph, {});
      ASSERT_TRUE(!!byTimes) << toString(byTimes.takeError());
      EXPECT_EQ(byTimes->cycles, *measured.getInteger("cycles"));
      auto byCycles = cantFail(runByCycles(graph, {}));
      EXPECT_EQ(byCycles.cycles, byTimes->cycles);
      EXPECT_EQ(byCycles.tokens(), byTimes->tokens());
      double sum = 0;
      auto results = cantFail(resultsOf(graph, byCycles, Quirks::none));
      for (const auto &[place, number] : results["X"])
        sum += number;
      EXPECT_EQ(sum, *measured.getNumber("sum"));
    }
  }
}
} // namespace
