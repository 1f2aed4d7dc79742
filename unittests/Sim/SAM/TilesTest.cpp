//===- TilesTest.cpp - Tiles in memories, and blocks that are shared ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "ember/Sim/SAM/TiledRun.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace ember::sim::sam;

namespace {
json::Object kernelOf(StringRef name) {
  json::Value value = readJSON(conformanceFiles().front());
  return *value.getAsObject()->getObject("kernels")->getObject(name);
}

json::Object fillingOf(int64_t size, double density, int64_t seed) {
  return json::Object{
      {"dims", json::Object{{"i", size}, {"j", size}, {"k", size}}},
      {"density", json::Object{{"B", density}, {"C", density}}},
      {"seed", seed}};
}

MemoryLevel memoryOf(uint64_t bytes, unsigned buffers = 2,
                     bool skipsEmptyTiles = true) {
  MemoryLevel level;
  level.name = "near";
  level.bytes = bytes;
  level.bytesPerCycle = 16;
  level.latency = 10;
  level.buffers = buffers;
  level.skipsEmptyTiles = skipsEmptyTiles;
  return level;
}

TileSizes tilesOf(std::vector<int64_t> sizes) {
  TileSizes tiles;
  for (int64_t size : sizes)
    tiles.push_back({{'i', size}, {'j', size}, {'k', size}});
  return tiles;
}

TEST(SAMTiles, resultsAreThoseOfTheWhole) {
  for (const char *name : {"product_by_rows", "product_by_columns_and_rows"})
    for (int64_t seed = 1; seed < 6; ++seed)
      for (bool skipsEmptyTiles : {true, false}) {
        json::Object kernel = kernelOf(name),
                     filling = fillingOf(13, 0.2, seed);
        Graph whole = cantFail(readGraph(kernel, filling));
        auto run = cantFail(runByTimes(whole, {}));
        auto expected = cantFail(resultsOf(whole, run, Quirks::none));
        Parameters parameters;
        parameters.memoryLevels = {memoryOf(4096, 2, skipsEmptyTiles),
                                   memoryOf(512, 3, skipsEmptyTiles)};
        auto tiled = runByTiles(kernel, filling, tilesOf({8, 3}), parameters);
        ASSERT_TRUE(!!tiled) << toString(tiled.takeError());
        ASSERT_EQ(expected.size(), 1u);
        const auto &[result, elements] = *expected.begin();
        EXPECT_EQ(withoutZeros(tiled->results[result]), withoutZeros(elements));
        EXPECT_GT(tiled->memories[1].loads, tiled->memories[0].loads);
      }
}

uint64_t cyclesWith(MemoryLevel level) {
  Parameters parameters;
  parameters.memoryLevels = {std::move(level)};
  return cantFail(runByTiles(kernelOf("product_by_rows"), fillingOf(24, 0.1, 3),
                             tilesOf({6}), parameters))
      .cycles;
}

TEST(SAMTiles, whatMemoriesDo) {
  MemoryLevel level = memoryOf(2048);
  uint64_t cycles = cyclesWith(level);
  level.buffers = 1;
  EXPECT_GT(cyclesWith(level), cycles) << "nothing comes while it is computed";
  level = memoryOf(2048);
  level.bytesPerCycle = 1;
  EXPECT_GT(cyclesWith(level), cycles) << "less bandwidth";
  level = memoryOf(2048);
  level.latency = 500;
  EXPECT_GT(cyclesWith(level), cycles) << "more latency";
  level = memoryOf(2048);
  level.skipsEmptyTiles = false;
  EXPECT_GT(cyclesWith(level), cycles) << "tiles without elements come, too";
  level = memoryOf(400);
  level.latency = 500;
  MemoryLevel larger = memoryOf(40000);
  larger.latency = 500;
  EXPECT_GT(cyclesWith(level), cyclesWith(larger)) << "tiles come again";
}

TEST(SAMTiles, errors) {
  auto error = [](StringRef kernel, const TileSizes &tiles,
                  std::vector<MemoryLevel> levels) {
    Parameters parameters;
    parameters.memoryLevels = std::move(levels);
    return toString(
        runByTiles(kernelOf(kernel), fillingOf(12, 1, 1), tiles, parameters)
            .takeError());
  };
  EXPECT_EQ(error("product_by_rows", tilesOf({6}), {memoryOf(100)}),
            "memory 'near' has 100 bytes, and tile (0, 0) of tensor 'B' has "
            "348");
  EXPECT_EQ(error("product_by_rows", tilesOf({6}), {memoryOf(500)}),
            "memory 'near' has 500 bytes, and the tiles of one step, with tile "
            "(0, 0) of tensor 'C', have 696");
  EXPECT_EQ(error("product_by_rows", tilesOf({6, 3}), {memoryOf(500)}),
            "there are tiles for 2 memories, and the machine has 1: 'tiles' "
            "has sizes for each of 'memoryLevels'");
  json::Object machine{{"memoryLevels", json::Array{json::Object{
                                            {"name", "near"}, {"bits", 3}}}}};
  EXPECT_EQ(toString(readParameters(machine).takeError()),
            "memory level 'near'\n'bits' is unknown; there are name, bytes, "
            "bytesPerCycle, latency, buffers and skipsEmptyTiles");
}

TEST(SAMShared, blocksAndPorts) {
  json::Object kernel = kernelOf("matrix_sum"), filling = fillingOf(12, 0.4, 2);
  Graph graph = cantFail(readGraph(kernel, filling));
  auto free = cantFail(runByCycles(graph, {}));
  Parameters parameters = cantFail(readParameters(
      json::Object{{"blockCounts", json::Object{{"scan_compressed", 1}}}}));
  auto shared = cantFail(runByCycles(graph, parameters));
  EXPECT_GT(shared.cycles, free.cycles);
  EXPECT_EQ(shared.written, free.written);
  uint64_t waiting = 0, busy = 0;
  for (auto [number, block] : enumerate(graph.getBlocks())) {
    if (block.kind != BlockKind::scanCompressed)
      continue;
    waiting += shared.blocks[number].waiting;
    busy += shared.blocks[number].busy;
    EXPECT_EQ(free.blocks[number].waiting, 0u);
  }
  EXPECT_GT(waiting, 0u);
  // One scanner is all that scans.
  EXPECT_GE(shared.cycles, busy);
  EXPECT_EQ(toString(runByTimes(graph, parameters).takeError()),
            "with blocks that share units or ports, these wait for each other; "
            "run it by cycles");
  EXPECT_EQ(toString(readParameters(json::Object{{"blockCounts",
                                                  json::Object{{"scan", 1}}}})
                         .takeError()),
            "'blockCounts': there is no kind 'scan' of blocks");
}

TEST(SAMShared, portsOfOneArray) {
  // Two arrays that read the same values, of which one reference a cycle is
  // taken.
  Graph graph;
  unsigned tensor = cantFail(
      graph.addTensor(buildTensor("b", Level::Format::dense, 8, {{{3}, 2.0}})));
  std::vector<TimedToken> references;
  for (uint64_t at = 0; at < 8; ++at)
    references.push_back({Token::integer(int64_t(at)), at});
  references.push_back({Token::done(), 8});
  for (std::string name : {"1", "2"}) {
    Block array{"array" + name, BlockKind::array};
    array.tensor = tensor;
    unsigned number = cantFail(graph.addBlock(array));
    Block write{"write" + name, BlockKind::writeValues};
    write.result = "x" + name;
    unsigned writer = cantFail(graph.addBlock(write));
    cantFail(graph.feed(number, "ref", references));
    cantFail(graph.connect(number, "val", writer, "in"));
  }
  cantFail(graph.verify());
  Parameters parameters;
  EXPECT_EQ(cantFail(runByCycles(graph, parameters)).cycles, 10u);
  parameters.arrayPorts = 1;
  EXPECT_EQ(cantFail(runByCycles(graph, parameters)).cycles, 19u);
  parameters.arrayPorts = 2;
  EXPECT_EQ(cantFail(runByCycles(graph, parameters)).cycles, 10u);
}
} // namespace
