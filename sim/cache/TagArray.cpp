//===- TagArray.cpp - Which lines a cache holds ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/TagArray.h"

using namespace ember::sim;

static constexpr uint64_t srripDistant = 3;
static constexpr uint64_t srripLong = 2;

TagArray::TagArray(uint64_t sets, uint64_t ways, Replacement policy,
                   unsigned shift, uint64_t seed)
    : sets(sets), ways(ways), policy(policy), shift(shift),
      entries(sets * ways), ages(sets * ways), trees(sets),
      random(seed * 2 + 1) {}

uint32_t TagArray::find(uint64_t key) const {
  uint64_t first = setOf(key) * ways;
  for (uint64_t i = first; i < first + ways; ++i)
    if (entries[i].key == key && entries[i].state != LineState::invalid)
      return i;
  return none;
}

void TagArray::touchTree(uint64_t set, uint64_t way) {
  // The bit of each node on the way from the root points away from the way.
  uint64_t node = 1;
  for (uint64_t half = ways / 2; half; half /= 2) {
    bool right = way & half;
    uint64_t bit = uint64_t{1} << node;
    trees[set] = right ? trees[set] & ~bit : trees[set] | bit;
    node = node * 2 + right;
  }
}

void TagArray::touch(uint32_t index) {
  switch (policy) {
  case Replacement::lru:
    ages[index] = ++uses;
    return;
  case Replacement::treePLRU:
    touchTree(index / ways, index % ways);
    return;
  case Replacement::srrip:
    ages[index] = 0;
    return;
  case Replacement::random:
    return;
  }
}

uint32_t TagArray::choose(uint64_t set) {
  uint64_t first = set * ways;
  switch (policy) {
  case Replacement::lru:
    break;
  case Replacement::treePLRU: {
    uint64_t node = 1;
    while (node < ways)
      node = node * 2 + (trees[set] >> node & 1);
    uint64_t way = node - ways;
    if (!entries[first + way].pinned)
      return first + way;
    break;
  }
  case Replacement::srrip: {
    uint64_t oldest = 0;
    for (uint64_t i = first; i < first + ways; ++i)
      if (!entries[i].pinned && ages[i] > oldest)
        oldest = ages[i];
    uint32_t chosen = none;
    for (uint64_t i = first; i < first + ways; ++i) {
      if (!entries[i].pinned && ages[i] == oldest && chosen == none)
        chosen = i;
      ages[i] += srripDistant - oldest;
    }
    return chosen;
  }
  case Replacement::random: {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    for (uint64_t i = 0; i < ways; ++i) {
      uint64_t index = first + (random + i) % ways;
      if (!entries[index].pinned)
        return index;
    }
    return none;
  }
  }
  uint32_t chosen = none;
  for (uint64_t i = first; i < first + ways; ++i)
    if (!entries[i].pinned && (chosen == none || ages[i] < ages[chosen]))
      chosen = i;
  return chosen;
}

uint32_t TagArray::victim(uint64_t key) {
  uint64_t set = setOf(key);
  for (uint64_t i = set * ways; i < (set + 1) * ways; ++i)
    if (entries[i].state == LineState::invalid)
      return i;
  return choose(set);
}

void TagArray::insert(uint32_t index, uint64_t key, LineState state) {
  entries[index] = {key, state, false, false};
  if (policy == Replacement::srrip)
    ages[index] = srripLong;
  else
    touch(index);
}

uint64_t TagArray::resident() const {
  uint64_t count = 0;
  for (const Entry &entry : entries)
    count += entry.state != LineState::invalid;
  return count;
}
