//===- StudiesTest.cpp - Larger graphs, and vectors that are multiplied ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures' points that were measured: orders of loops, and the product of
// two vectors with dense levels, compressed ones, and galloping, split, and by
// the bits of words and of trees of words.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "ember/Sim/SAM/TiledRun.h"

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

/// A graph that multiplies two vectors.
class Product {
public:
  explicit Product(const std::pair<Coordinates, Coordinates> &vectors)
      : vectors(vectors) {}

  uint64_t dense() {
    Side sides[2];
    for (unsigned side = 0; side < 2; ++side) {
      std::string number = std::to_string(side);
      unsigned scanner = addScan("scan" + number, BlockKind::scanDense,
                                 addVector(side, Level::Format::dense), 0);
      cantFail(graph.addRoot(scanner));
      sides[side] = {scanner, "ref"};
    }
    multiply(sides);
    return run();
  }

  uint64_t compressed(bool gallops) {
    unsigned join = addBlock("join", BlockKind::intersect);
    for (unsigned side = 0; side < 2; ++side) {
      unsigned scanner =
          scanInto(join, side, 0, addVector(side, Level::Format::compressed));
      cantFail(graph.addRoot(scanner));
      std::string number = std::to_string(side + 1);
      if (gallops)
        cantFail(graph.connect(join, "skip" + number, scanner, "skip"));
    }
    unsigned writer = addBlock("write", BlockKind::writeCompressed);
    cantFail(graph.connect(join, "crd", writer, "in"));
    return run();
  }

  /// Chunks of 64 coordinates, and those in each.
  uint64_t split() {
    unsigned outer = addBlock("outer", BlockKind::intersect);
    unsigned inner = addBlock("inner", BlockKind::intersect);
    Side sides[2];
    for (unsigned side = 0; side < 2; ++side) {
      Elements elements;
      for (int64_t coordinate : coordinatesOf(side))
        elements[{coordinate / chunk, coordinate % chunk}] = 1;
      std::string number = std::to_string(side + 1);
      unsigned tensor = cantFail(graph.addTensor(buildTensor(
          "b" + number, {Level::Format::compressed, Level::Format::compressed},
          {(length + chunk - 1) / chunk, chunk}, elements)));
      tensors[side] = tensor;
      cantFail(graph.addRoot(scanInto(outer, side, 0, tensor)));
      unsigned below = scanInto(inner, side, 1, tensor);
      cantFail(graph.connect(outer, "ref" + number, below, "ref"));
      sides[side] = {inner, "ref" + number};
    }
    multiply(sides);
    return run();
  }

  /// The coordinates of a side become one bitvector, which is intersected a
  /// word at a time.
  uint64_t bitvector() {
    unsigned join = addBlock("join", BlockKind::bitsIntersect);
    Side sides[2];
    for (unsigned side = 0; side < 2; ++side) {
      std::string number = std::to_string(side + 1);
      unsigned scanner = addScan("scan" + number, BlockKind::scanCompressed,
                                 addVector(side, Level::Format::compressed), 0);
      Block convert{"convert" + number, BlockKind::bitsConvert};
      Block apart{"chunk" + number, BlockKind::bitsChunk};
      convert.size = apart.size = 2048;
      unsigned converter = cantFail(graph.addBlock(convert));
      unsigned chunker = cantFail(graph.addBlock(apart));
      cantFail(graph.addRoot(scanner));
      cantFail(graph.connect(scanner, "crd", converter, "crd"));
      cantFail(graph.connect(converter, "bv", chunker, "bv"));
      cantFail(graph.connect(chunker, "bv", join, "bv" + number));
      cantFail(graph.connect(chunker, "ref", join, "ref" + number));
      sides[side] = {join, "ref" + number};
    }
    multiply(sides);
    return run();
  }

  /// A word says which words below have a bit.
  uint64_t bittree() {
    unsigned outer = addBlock("outer", BlockKind::bitsIntersect);
    unsigned inner = addBlock("inner", BlockKind::bitsIntersect);
    Side sides[2];
    for (unsigned side = 0; side < 2; ++side) {
      std::map<int64_t, uint64_t> words;
      for (int64_t coordinate : coordinatesOf(side))
        words[coordinate / chunk] |= uint64_t(1) << coordinate % chunk;
      addVector(side, Level::Format::compressed);
      std::string number = std::to_string(side + 1);
      Block top{"top" + number, BlockKind::bitsScan};
      Block leaves{"leaves" + number, BlockKind::bitsScan};
      top.words.push_back(0);
      for (auto [at, word] : words) {
        top.words[0] |= uint64_t(1) << at;
        leaves.words.push_back(word);
      }
      unsigned topScanner = cantFail(graph.addBlock(top));
      unsigned leafScanner = cantFail(graph.addBlock(leaves));
      cantFail(graph.addRoot(topScanner));
      for (const char *port : {"bv", "ref"}) {
        cantFail(graph.connect(topScanner, port, outer, port + number));
        cantFail(graph.connect(leafScanner, port, inner, port + number));
      }
      cantFail(graph.connect(outer, "ref" + number, leafScanner, "ref"));
      sides[side] = {inner, "ref" + number};
    }
    multiply(sides);
    return run();
  }

private:
  static constexpr int64_t chunk = 64;
  struct Side {
    unsigned block;
    std::string port;
  };

  const Coordinates &coordinatesOf(unsigned side) const {
    return side ? vectors.second : vectors.first;
  }

  unsigned addVector(unsigned side, Level::Format format) {
    Elements elements;
    for (int64_t coordinate : coordinatesOf(side))
      elements[{coordinate}] = 1;
    tensors[side] = cantFail(graph.addTensor(
        buildTensor("b" + std::to_string(side + 1), format, length, elements)));
    return tensors[side];
  }

  unsigned addBlock(const std::string &name, BlockKind kind) {
    Block block{name, kind};
    block.result = "x";
    return cantFail(graph.addBlock(block));
  }

  unsigned addScan(const std::string &name, BlockKind kind, unsigned tensor,
                   unsigned level) {
    Block scan{name, kind};
    scan.tensor = tensor;
    scan.level = level;
    return cantFail(graph.addBlock(scan));
  }

  unsigned scanInto(unsigned join, unsigned side, unsigned level,
                    unsigned tensor) {
    std::string number = std::to_string(side + 1);
    unsigned scanner = addScan("scan" + number + "_" + std::to_string(level),
                               BlockKind::scanCompressed, tensor, level);
    cantFail(graph.connect(scanner, "crd", join, "crd" + number));
    cantFail(graph.connect(scanner, "ref", join, "ref" + number));
    return scanner;
  }

  void multiply(const Side (&sides)[2]) {
    unsigned product = addBlock("product", BlockKind::multiply);
    unsigned writer = addBlock("write", BlockKind::writeValues);
    for (unsigned side = 0; side < 2; ++side) {
      std::string number = std::to_string(side + 1);
      Block array{"array" + number, BlockKind::array};
      array.tensor = tensors[side];
      unsigned values = cantFail(graph.addBlock(array));
      cantFail(
          graph.connect(sides[side].block, sides[side].port, values, "ref"));
      cantFail(graph.connect(values, "val", product, "in" + number));
    }
    cantFail(graph.connect(product, "val", writer, "in"));
  }

  /// Cycles, the same in both engines where both can.
  uint64_t run() {
    cantFail(graph.verify());
    auto byCycles = cantFail(runByCycles(graph, {}));
    if (!graph.hasGallopEdges()) {
      auto byTimes = cantFail(runByTimes(graph, {}));
      EXPECT_EQ(byTimes.cycles, byCycles.cycles);
      EXPECT_EQ(byTimes.written, byCycles.written);
    }
    return byCycles.cycles;
  }

  const std::pair<Coordinates, Coordinates> &vectors;
  Graph graph;
  unsigned tensors[2] = {};
};

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
      auto expect = [&](StringRef way, uint64_t simulated) {
        EXPECT_EQ(int64_t(simulated), *cycles.getInteger(way)) << way.str();
      };
      expect("uncompressed", Product(vectors).dense());
      expect("compressed", Product(vectors).compressed(false));
      expect("compress_skip", Product(vectors).compressed(true));
      expect("compress_split", Product(vectors).split());
      expect("bitvector", Product(vectors).bitvector());
      // The reference ends up to five cycles later: maybe in a block of which
      // there are no vectors, which takes words without bits out of the tree.
      int64_t tree = *cycles.getInteger("bittree");
      EXPECT_NEAR(double(Product(vectors).bittree()), double(tree) - 2.5, 2.5);
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
/// A square matrix and its own with columns moved on, transposed.
json::Object matrixElements(uint64_t count, uint64_t size) {
  SplitMix64 random(count * 100000 + size);
  std::set<std::pair<int64_t, int64_t>> places;
  while (places.size() < count) {
    int64_t row = random() % size;
    places.insert({row, int64_t(random() % size)});
  }
  json::Array b, c;
  for (auto [row, column] : places) {
    b.push_back(json::Array{json::Array{row, column}, 1});
    c.push_back(json::Array{json::Array{(column + 1) % int64_t(size), row}, 1});
  }
  return json::Object{{"B", std::move(b)}, {"C", std::move(c)}};
}

TEST(SAMStudies, tilesThatComeFromMemory) {
  json::Value machine = cantFail(json::parse(R"({
    "elementBytes": 2,
    "memoryLevels": [
      {"name": "buffer", "bytes": 17100000, "bytesPerCycle": 68.256,
       "latency": 200, "buffers": 16},
      {"name": "PE", "bytes": 70000, "bytesPerCycle": 256, "latency": 1,
       "buffers": 16}]})"));
  Parameters parameters = cantFail(readParameters(*machine.getAsObject()));
  TileSizes tiles(2);
  for (char index : {'i', 'j', 'k'}) {
    tiles[0][index] = 2048;
    tiles[1][index] = 128;
  }
  for (const std::string &file : conformanceFiles()) {
    json::Value value = readJSON(file);
    const json::Object *studies = value.getAsObject()->getObject("studies");
    if (!studies)
      continue;
    const json::Object &measured =
        *studies->getObject("tiled_spmspm")->getObject("cycles");
    for (const auto &[name, cycles] : measured) {
      SCOPED_TRACE(name.str());
      SmallVector<StringRef> words;
      StringRef(name).split(words, ' ');
      uint64_t count = std::stoul(words[1].str());
      int64_t size = std::stol(words[3].str());
      json::Object kernel =
          *value.getAsObject()->getObject("kernels")->getObject("spmspm_ikj");
      json::Object elements = matrixElements(count, size);
      for (auto &[tensor, description] : *kernel.getObject("tensors"))
        (*description.getAsObject())["elements"] =
            std::move(*elements.get(tensor));
      json::Object filling{
          {"dims", json::Object{{"i", size}, {"j", size}, {"k", size}}}};
      auto run = runByTiles(kernel, filling, tiles, parameters);
      ASSERT_TRUE(!!run) << toString(run.takeError());
      Graph whole = cantFail(readGraph(kernel, filling));
      auto untiled = cantFail(runByTimes(whole, {}));
      auto expected = cantFail(resultsOf(whole, untiled, Quirks::none));
      EXPECT_EQ(withoutZeros(run->results["X"]), withoutZeros(expected["X"]));
      auto target = double(*cycles.getAsInteger());
      EXPECT_NEAR(double(run->cycles), target, 0.02 * target);
    }
  }
}
} // namespace
