//===- TileMemory.h - A memory that tiles come into -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_TILEMEMORY_H
#define EMBER_LIB_SIM_SAM_TILEMEMORY_H

#include "ember/Sim/SAM/TiledRun.h"

#include <deque>
#include <list>

namespace ember::sim::sam {

/// Keeps tiles until others need their room, least recently used ones first.
class TileMemory {
public:
  /// A tensor's number, and where the tile is in it.
  using Name = std::pair<unsigned, std::vector<int64_t>>;
  struct Tile {
    Name name;
    uint64_t bytes = 0;
    std::string tensor;
  };

  explicit TileMemory(const MemoryLevel &level) : described(level) {}

  const MemoryLevel &level() const { return described; }
  /// From when on the tiles of a step are there, which may come from a cycle
  /// on. An error names a tile that has no room.
  llvm::Expected<uint64_t> fill(llvm::ArrayRef<Tile> tiles, uint64_t from);
  /// The step whose tiles came last has been computed.
  void release(uint64_t cycle);
  const TiledRun::Traffic &traffic() const { return counted; }

private:
  uint64_t bring(const Tile &tile);

  MemoryLevel described;
  std::list<std::pair<Name, uint64_t>> kept;
  std::map<Name, std::list<std::pair<Name, uint64_t>>::iterator> places;
  uint64_t bytesKept = 0;
  uint64_t free = 0;
  /// When the last steps were over, one for each buffer.
  std::deque<uint64_t> over;
  TiledRun::Traffic counted;
};

} // namespace ember::sim::sam

#endif
