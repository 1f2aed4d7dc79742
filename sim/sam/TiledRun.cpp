//===- TiledRun.cpp - Kernels on tiles that come from memory --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/TiledRun.h"

#include "BlockParameters.h"
#include "TileMemory.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ember::sim::sam {

Expected<TileSizes> readTileSizes(const json::Object &kernel) {
  const json::Array *array = kernel.getArray("tiles");
  if (!array)
    return fileError("the file has no 'tiles', a list of sizes by index for "
                     "each memory");
  TileSizes tiles;
  for (const json::Value &entry : *array) {
    const json::Object *object = entry.getAsObject();
    if (!object)
      return fileError("'tiles': expected objects with a size for each index");
    auto &sizes = tiles.emplace_back();
    for (const auto &[index, value] : *object) {
      std::optional<int64_t> size = value.getAsInteger();
      if (StringRef(index).size() != 1 || !size || *size < 1)
        return fileError("'tiles': index '{0}' has no positive size",
                         StringRef(index));
      sizes[StringRef(index)[0]] = *size;
    }
  }
  return tiles;
}

namespace {
/// A tensor, or a tile of it: elements relative to where it begins.
struct Part {
  Elements elements;
  /// Which tile of which tensor it is, for memories to know it again.
  std::vector<int64_t> place;
};
using Parts = std::vector<Part>;
using Offsets = std::map<char, int64_t>;

/// One step of a sequencer: a tile of each tensor.
struct Step {
  Parts tiles;
  Offsets offsets;
  uint64_t cycle = 0;
};

class TileRunner {
public:
  TileRunner(Graph graph, const json::Object &dims, const TileSizes &tiles,
             const Parameters &parameters, const RunOptions &options)
      : graph(std::move(graph)), tiles(tiles), parameters(parameters),
        options(options) {
    for (const auto &[index, size] : dims)
      sizes[StringRef(index)[0]] = size.getAsInteger().value_or(0);
    for (const MemoryLevel &level : parameters.memoryLevels)
      memories.emplace_back(level);
    run.memories.resize(memories.size());
  }

  Expected<TiledRun> runAll();

private:
  /// When a run on parts that are there from a cycle on is over.
  Expected<uint64_t> runParts(size_t memory, const Parts &parts,
                              const Offsets &offsets, uint64_t from);
  Expected<uint64_t> runInnermost(const Parts &parts, const Offsets &offsets,
                                  uint64_t from);
  Expected<std::vector<Step>> sequence(size_t memory, const Parts &parts);
  Expected<Run> runGraph(const RunOptions &withOptions) const;
  Error findArrays();
  std::vector<Level::Format> formatsOf(const Tensor &tensor) const;
  Tensor build(const Tensor &model, const Elements &elements,
               const std::map<char, int64_t> &extents) const;
  int64_t extentOf(size_t memory, char index) const;
  uint64_t bytesOf(const Tensor &tensor) const;

  Graph graph;
  const TileSizes &tiles;
  const Parameters &parameters;
  RunOptions options;
  std::map<char, int64_t> sizes;
  /// The block that loads each tensor.
  std::vector<unsigned> arrays;
  std::vector<TileMemory> memories;
  uint64_t computeFree = 0;
  TiledRun run;
};
} // namespace

static char letterOf(const std::string &index) { return index[0]; }

/// How many coordinates of an index a tile of a memory has; before the first
/// one, all.
int64_t TileRunner::extentOf(size_t memory, char index) const {
  int64_t whole = sizes.at(index);
  if (!memory)
    return whole;
  auto found = tiles[memory - 1].find(index);
  return found == tiles[memory - 1].end() ? extentOf(memory - 1, index)
                                          : std::min(found->second, whole);
}

std::vector<Level::Format> TileRunner::formatsOf(const Tensor &tensor) const {
  std::vector<Level::Format> formats;
  for (const Level &level : tensor.levels)
    formats.push_back(level.format);
  return formats;
}

Tensor TileRunner::build(const Tensor &model, const Elements &elements,
                         const std::map<char, int64_t> &extents) const {
  std::vector<int64_t> levelSizes;
  for (const std::string &index : model.indices)
    levelSizes.push_back(extents.at(letterOf(index)));
  Tensor tensor =
      buildTensor(model.name, formatsOf(model), levelSizes, elements);
  tensor.indices = model.indices;
  return tensor;
}

/// Segments, coordinates and values, as they are in memory.
uint64_t TileRunner::bytesOf(const Tensor &tensor) const {
  uint64_t elements = tensor.values.size();
  for (const Level &level : tensor.levels)
    elements += level.segments.size() + level.coordinates.size();
  return elements * parameters.elementBytes;
}

Error TileRunner::findArrays() {
  arrays.assign(graph.getTensors().size(), noIndex);
  for (auto [number, block] : enumerate(graph.getBlocks())) {
    if (block.kind != BlockKind::array)
      continue;
    if (arrays[block.tensor] != noIndex)
      return fileError("blocks '{0}' and '{1}' both load tensor '{2}'; tiles "
                       "are brought together where each is loaded once",
                       graph.getBlocks()[arrays[block.tensor]].name, block.name,
                       graph.getTensors()[block.tensor].name);
    arrays[block.tensor] = number;
  }
  for (auto [tensor, array] : zip_equal(graph.getTensors(), arrays))
    if (array == noIndex)
      return fileError("no block loads tensor '{0}', of which there are tiles",
                       tensor.name);
  return Error::success();
}

Expected<Run> TileRunner::runGraph(const RunOptions &withOptions) const {
  Parameters inner = parameters;
  inner.memoryLevels.clear();
  bool hasClock = inner.queueDepth || inner.arrayPorts ||
                  !inner.blockCounts.empty() || graph.hasGallopEdges();
  return hasClock ? runByCycles(graph, inner, withOptions)
                  : runByTimes(graph, inner, withOptions);
}

/// The tiles of the parts, and in which order the graph brings them together.
Expected<std::vector<Step>> TileRunner::sequence(size_t memory,
                                                 const Parts &parts) {
  std::map<char, int64_t> counts, extents;
  for (const auto &[index, whole] : sizes) {
    extents[index] = extentOf(memory + 1, index);
    counts[index] =
        (extentOf(memory, index) + extents[index] - 1) / extents[index];
  }
  bool skipsEmpty = memories[memory].level().skipsEmptyTiles;
  std::vector<std::vector<Part>> tilesOf(parts.size());
  for (auto [number, part] : enumerate(parts)) {
    const Tensor &model = graph.getTensors()[number];
    std::map<std::vector<int64_t>, Elements> cut;
    if (!skipsEmpty) {
      // Each place has a tile.
      std::vector<std::vector<int64_t>> places(1);
      for (const std::string &index : model.indices) {
        std::vector<std::vector<int64_t>> deeper;
        for (const auto &place : places)
          for (int64_t at = 0; at < counts[letterOf(index)]; ++at) {
            deeper.push_back(place);
            deeper.back().push_back(at);
          }
        places = std::move(deeper);
      }
      for (const auto &place : places)
        cut[place];
    }
    for (const auto &[coordinates, value] : part.elements) {
      std::vector<int64_t> place, within;
      for (auto [coordinate, index] : zip_equal(coordinates, model.indices)) {
        int64_t extent = extents[letterOf(index)];
        place.push_back(coordinate / extent);
        within.push_back(coordinate % extent);
      }
      cut[place][within] = value;
    }
    Elements numbers;
    for (auto &[place, elements] : cut) {
      std::vector<int64_t> whole = part.place;
      append_range(whole, place);
      tilesOf[number].push_back({std::move(elements), std::move(whole)});
      numbers[place] = double(tilesOf[number].size());
    }
    if (Error error =
            graph.replaceTensor(number, build(model, numbers, counts)))
      return std::move(error);
  }
  RunOptions keeping;
  keeping.keepsStreams = true;
  Expected<Run> sequenced = runGraph(keeping);
  if (!sequenced)
    return sequenced.takeError();
  std::vector<Step> steps;
  for (auto [number, array] : enumerate(arrays)) {
    const Tensor &model = graph.getTensors()[number];
    size_t at = 0;
    for (const TimedToken &token : sequenced->shown[array][0]) {
      if (!token.token.isData())
        continue;
      if (!number)
        steps.emplace_back();
      if (at == steps.size())
        return fileError("the tiles of '{0}' and '{1}' are not brought "
                         "together one to one: tiles are for products",
                         graph.getTensors()[0].name, model.name);
      Step &step = steps[at++];
      step.cycle = std::max(step.cycle, token.cycle);
      auto tile = size_t(token.token.number());
      step.tiles.push_back(tile ? tilesOf[number][tile - 1] : Part());
      if (!tile)
        continue;
      ArrayRef<int64_t> place =
          ArrayRef(step.tiles.back().place).take_back(model.indices.size());
      for (auto [coordinate, index] : zip_equal(place, model.indices))
        step.offsets[letterOf(index)] = coordinate * extents[letterOf(index)];
    }
    if (at != steps.size())
      return fileError("the tiles of '{0}' and '{1}' are not brought together "
                       "one to one: tiles are for products",
                       graph.getTensors()[0].name, model.name);
  }
  return steps;
}

Expected<uint64_t> TileRunner::runInnermost(const Parts &parts,
                                            const Offsets &offsets,
                                            uint64_t from) {
  std::map<char, int64_t> extents;
  for (const auto &[index, whole] : sizes)
    extents[index] = extentOf(tiles.size(), index);
  for (auto [number, part] : enumerate(parts))
    if (Error error = graph.replaceTensor(
            number, build(graph.getTensors()[number], part.elements, extents)))
      return std::move(error);
  Expected<Run> computed = runGraph(options);
  if (!computed)
    return computed.takeError();
  auto results = resultsOf(graph, *computed, parameters.quirks);
  if (!results)
    return results.takeError();
  for (const auto &[name, elements] : *results)
    for (const auto &[coordinates, value] : elements) {
      std::vector<int64_t> place = coordinates;
      for (auto [coordinate, index] : zip(place, graph.indicesOf(name)))
        if (auto offset = offsets.find(index); offset != offsets.end())
          coordinate += offset->second;
      run.results[name][place] += value;
    }
  // Tiles follow each other through the blocks: the next one begins when the
  // busiest block is free.
  uint64_t busiest = 1;
  for (const BlockStatistics &block : computed->blocks)
    busiest = std::max(busiest, block.busy);
  uint64_t begins = std::max(computeFree, from);
  computeFree = begins + busiest;
  run.computeCycles += computed->cycles;
  ++run.steps;
  return begins + computed->cycles;
}

Expected<uint64_t> TileRunner::runParts(size_t memory, const Parts &parts,
                                        const Offsets &offsets, uint64_t from) {
  if (memory == memories.size())
    return runInnermost(parts, offsets, from);
  Expected<std::vector<Step>> steps = sequence(memory, parts);
  if (!steps)
    return steps.takeError();
  std::map<char, int64_t> extents;
  for (const auto &[index, whole] : sizes)
    extents[index] = extentOf(memory + 1, index);
  uint64_t over = from;
  for (Step &step : *steps) {
    std::vector<TileMemory::Tile> loaded;
    for (auto [number, tile] : enumerate(step.tiles)) {
      const Tensor &model = graph.getTensors()[number];
      if (!tile.place.empty() || model.indices.empty())
        loaded.push_back({{number, tile.place},
                          bytesOf(build(model, tile.elements, extents)),
                          model.name});
    }
    Expected<uint64_t> ready = memories[memory].fill(loaded, from + step.cycle);
    if (!ready)
      return ready.takeError();
    Offsets inner = offsets;
    for (auto [index, offset] : step.offsets)
      inner[index] += offset;
    Expected<uint64_t> done = runParts(memory + 1, step.tiles, inner, *ready);
    if (!done)
      return done.takeError();
    memories[memory].release(*done);
    over = std::max(over, *done);
  }
  return over;
}

Expected<TiledRun> TileRunner::runAll() {
  if (tiles.size() != memories.size() || tiles.empty())
    return fileError("there are tiles for {0} memories, and the machine has "
                     "{1}: 'tiles' has sizes for each of 'memoryLevels'",
                     tiles.size(), memories.size());
  if (Error error = findArrays())
    return std::move(error);
  Parts parts;
  for (const Tensor &tensor : graph.getTensors())
    parts.push_back({elementsOf(tensor), {}});
  Expected<uint64_t> cycles = runParts(0, parts, {}, 0);
  if (!cycles)
    return cycles.takeError();
  run.cycles = *cycles;
  for (auto [traffic, memory] : zip_equal(run.memories, memories))
    traffic = memory.traffic();
  return std::move(run);
}

Expected<TiledRun> runByTiles(const json::Object &kernel,
                              const json::Object &filling,
                              const TileSizes &tiles,
                              const Parameters &parameters,
                              const RunOptions &options) {
  Expected<Graph> graph = readGraph(kernel, filling);
  if (!graph)
    return graph.takeError();
  const json::Object *dims = filling.getObject("dims");
  return TileRunner(std::move(*graph), dims ? *dims : json::Object(), tiles,
                    parameters, options)
      .runAll();
}

} // namespace ember::sim::sam
