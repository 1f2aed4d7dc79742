//===- TileMemory.cpp - A memory that tiles come into ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileMemory.h"

#include "BlockParameters.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace ember::sim::sam {

static std::string printPlace(ArrayRef<int64_t> place) {
  return join(map_range(place, [](int64_t at) { return std::to_string(at); }),
              ", ");
}

/// How many cycles it takes until a tile is there.
uint64_t TileMemory::bring(const Tile &tile) {
  if (auto known = places.find(tile.name); known != places.end()) {
    kept.splice(kept.end(), kept, known->second);
    ++counted.reused;
    return 1;
  }
  while (bytesKept + tile.bytes > described.bytes) {
    bytesKept -= kept.front().second;
    places.erase(kept.front().first);
    kept.pop_front();
  }
  bytesKept += tile.bytes;
  places[tile.name] = kept.insert(kept.end(), {tile.name, tile.bytes});
  ++counted.loads;
  counted.bytes += tile.bytes;
  return described.latency +
         uint64_t(std::ceil(double(tile.bytes) / described.bytesPerCycle));
}

Expected<uint64_t> TileMemory::fill(ArrayRef<Tile> tiles, uint64_t from) {
  uint64_t together = 0;
  for (const Tile &tile : tiles) {
    together += tile.bytes;
    if (tile.bytes > described.bytes)
      return fileError("memory '{0}' has {1} bytes, and tile ({2}) of tensor "
                       "'{3}' has {4}",
                       described.name, described.bytes,
                       printPlace(tile.name.second), tile.tensor, tile.bytes);
  }
  if (together > described.bytes)
    return fileError("memory '{0}' has {1} bytes, and the tiles of one step, "
                     "with tile ({2}) of tensor '{3}', have {4}",
                     described.name, described.bytes,
                     printPlace(tiles.back().name.second), tiles.back().tensor,
                     together);
  uint64_t cycle = std::max(free, from);
  // A buffer is filled again once its last step is over.
  if (over.size() == described.buffers) {
    cycle = std::max(cycle, over.front());
    over.pop_front();
  }
  uint64_t begun = cycle;
  for (const Tile &tile : tiles)
    cycle += bring(tile);
  free = cycle;
  ++counted.steps;
  counted.busy += cycle - begun;
  return cycle;
}

void TileMemory::release(uint64_t cycle) { over.push_back(cycle); }

json::Object statisticsOf(const TiledRun &run, const Parameters &parameters) {
  json::Array memories;
  for (auto [level, traffic] : zip_equal(parameters.memoryLevels, run.memories))
    memories.push_back(json::Object{{"name", level.name},
                                    {"steps", int64_t(traffic.steps)},
                                    {"loads", int64_t(traffic.loads)},
                                    {"reused", int64_t(traffic.reused)},
                                    {"bytes", int64_t(traffic.bytes)},
                                    {"busy", int64_t(traffic.busy)}});
  return json::Object{{"cycles", int64_t(run.cycles)},
                      {"computeCycles", int64_t(run.computeCycles)},
                      {"steps", int64_t(run.steps)},
                      {"memories", std::move(memories)}};
}

void printRun(const TiledRun &run, const Parameters &parameters,
              raw_ostream &os) {
  os << formatv("cycles  {0}\nsteps   {1}, of {2} cycles one after the "
                "other\n\n{3,12}{4,10}{5,10}{6,10}{7,12}{8,10}\n",
                run.cycles, run.steps, run.computeCycles, "memory", "steps",
                "loads", "reused", "bytes", "busy");
  for (auto [level, traffic] : zip_equal(parameters.memoryLevels, run.memories))
    os << formatv("{0,12}{1,10}{2,10}{3,10}{4,12}{5,10}\n", level.name,
                  traffic.steps, traffic.loads, traffic.reused, traffic.bytes,
                  traffic.busy);
  for (const auto &[name, elements] : run.results)
    os << formatv("\n{0} has {1} elements\n", name, elements.size());
}

} // namespace ember::sim::sam
