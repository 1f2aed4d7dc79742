//===- Directory.h - Which cores have which lines ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directory of a slice of the last level, exact. It knows any number of
// lines, or so many in sets of so many ways; then cores have to give up a line
// of the set for another one.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_DIRECTORY_H
#define EMBER_SIM_CACHE_DIRECTORY_H

#include "ember/Sim/Cache/TagArray.h"

#include "llvm/ADT/DenseMap.h"

namespace ember::sim {

/// Who has a line; nodes are below 64.
struct Holders {
  static constexpr uint32_t nobody = ~uint32_t{0};

  uint64_t sharers = 0;
  /// The one whose copy is exclusive or stands for memory's.
  uint32_t owner = nobody;
};

class Directory {
public:
  /// Any number of entries where there are 0.
  Directory(uint64_t entries, uint64_t ways)
      : tags(entries ? entries / ways : 1, entries ? ways : 1, Replacement::lru,
             0, 1),
        holders(entries) {}

  bool isBounded() const { return !holders.empty(); }
  /// Lines that it knows.
  uint64_t size() const {
    return isBounded() ? tags.resident() : unbounded.size();
  }

  Holders lookup(uint64_t line) const {
    if (!isBounded())
      return unbounded.lookup(line);
    uint32_t entry = tags.find(line);
    return entry == TagArray::none ? Holders() : holders[entry];
  }

  /// Makes room for a line, for a transaction that will set its holders. Where
  /// there is none, returns false, and sets `victim` to the line that has to go
  /// first, or to the line itself where all others are in use.
  bool reserve(uint64_t line, uint64_t &victim) {
    if (!isBounded())
      return true;
    uint32_t entry = tags.find(line);
    if (entry == TagArray::none) {
      entry = tags.victim(line);
      victim = line;
      if (entry == TagArray::none)
        return false;
      if (tags[entry].state != LineState::invalid) {
        victim = tags[entry].key;
        return false;
      }
      tags.insert(entry, line, LineState::shared);
      holders[entry] = Holders();
    }
    tags[entry].pinned = true;
    tags.touch(entry);
    return true;
  }

  /// Of a line with a transaction, which keeps its entry.
  void setInUse(uint64_t line, bool inUse) {
    uint32_t entry = isBounded() ? tags.find(line) : TagArray::none;
    if (entry != TagArray::none)
      tags[entry].pinned = inUse;
  }

  /// Of a line that is known or for which there is room.
  Holders &operator[](uint64_t line) {
    return isBounded() ? holders[tags.find(line)] : unbounded[line];
  }

  void erase(uint64_t line) {
    if (!isBounded()) {
      unbounded.erase(line);
      return;
    }
    uint32_t entry = tags.find(line);
    if (entry != TagArray::none)
      tags.invalidate(entry);
  }

private:
  TagArray tags;
  std::vector<Holders> holders;
  llvm::DenseMap<uint64_t, Holders> unbounded;
};

} // namespace ember::sim

#endif
