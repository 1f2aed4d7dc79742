//===- TagArray.h - Which lines a cache holds -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tags of a set-associative structure with a replacement policy: of caches,
// of slices of the last level, and of translation buffers.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_CACHE_TAGARRAY_H
#define EMBER_SIM_CACHE_TAGARRAY_H

#include <cstdint>
#include <vector>

namespace ember::sim {

/// LRU; a tree of bits per set (ways are a power of two); static re-reference
/// interval prediction with 2 bits (Jaleel et al., ISCA 2010); random.
enum class Replacement : uint8_t { lru, treePLRU, srrip, random };

/// Of a line in a cache, and in what a private cache may do with it.
enum class LineState : uint8_t {
  invalid,
  /// Others may have it; not to be written.
  shared,
  /// As shared, but memory is stale and this copy is the one to be written
  /// back.
  owned,
  /// No other has it; as in memory.
  exclusive,
  /// No other has it; memory is stale.
  modified,
};

inline bool isDirty(LineState state) {
  return state == LineState::owned || state == LineState::modified;
}
inline bool isWritable(LineState state) {
  return state == LineState::exclusive || state == LineState::modified;
}

class TagArray {
public:
  static constexpr uint32_t none = ~uint32_t{0};

  struct Entry {
    uint64_t key = 0;
    LineState state = LineState::invalid;
    /// Fetched by a prefetch and not asked for since.
    bool prefetched = false;
    /// Not to be replaced.
    bool pinned = false;
  };

  /// Sets are a power of two; `shift` bits of the key do not choose the set.
  TagArray(uint64_t sets, uint64_t ways, Replacement policy, unsigned shift,
           uint64_t seed);

  /// The entry of a key, or `none`.
  uint32_t find(uint64_t key) const;
  Entry &operator[](uint32_t index) { return entries[index]; }
  const Entry &operator[](uint32_t index) const { return entries[index]; }

  /// The entry was asked for.
  void touch(uint32_t index);

  /// Where a new key goes: an invalid entry of its set, or what the policy
  /// gives up; `none` where all are pinned.
  uint32_t victim(uint64_t key);

  /// Puts a key there.
  void insert(uint32_t index, uint64_t key, LineState state);
  void invalidate(uint32_t index) {
    entries[index].state = LineState::invalid;
    entries[index].pinned = false;
  }

  uint64_t resident() const;
  const std::vector<Entry> &all() const { return entries; }

private:
  uint64_t setOf(uint64_t key) const { return (key >> shift) & (sets - 1); }
  uint32_t choose(uint64_t set);
  void touchTree(uint64_t set, uint64_t way);

  uint64_t sets;
  uint64_t ways;
  Replacement policy;
  unsigned shift;
  std::vector<Entry> entries;
  /// Of LRU the time of the last use; of SRRIP the predicted interval.
  std::vector<uint64_t> ages;
  std::vector<uint64_t> trees;
  uint64_t uses = 0;
  uint64_t random;
};

} // namespace ember::sim

#endif
