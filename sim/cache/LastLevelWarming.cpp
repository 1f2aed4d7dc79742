//===- LastLevelWarming.cpp - What transactions leave in a slice ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Cache/LastLevelSlice.h"

#include "llvm/ADT/bit.h"

using namespace ember::sim;

static constexpr uint32_t nobody = Holders::nobody;

static uint64_t bitOf(uint32_t node) { return uint64_t{1} << node; }

void LastLevelSlice::beginWarming() {
  warming = true;
  counted = counters;
}

void LastLevelSlice::endWarming() {
  warming = false;
  counters = counted;
}

Request LastLevelSlice::warm(const Request &request, uint32_t from,
                             Snooper snooper) {
  uint64_t line = request.line;
  uint64_t victim;
  while (!directory.reserve(line, victim)) {
    bool dirty = false;
    for (uint64_t left = directory.lookup(victim).sharers; left;
         left &= left - 1)
      dirty |=
          snooper(llvm::countr_zero(left), victim, Snoop::invalidate).dirty;
    directory.erase(victim);
    if (dirty)
      install(victim, /*dirty=*/true);
  }
  Holders holders = directory.lookup(line);
  uint32_t entry = tags.find(line);
  Request answer = request;
  answer.writable = true;
  answer.dirty = false;
  if (request.access != Access::read) {
    answer.dirty = remove(line);
    for (uint64_t left = holders.sharers & ~bitOf(from); left; left &= left - 1)
      answer.dirty |=
          snooper(llvm::countr_zero(left), line, Snoop::invalidate).dirty;
    holders = {bitOf(from), from};
  } else if (holders.owner != nobody ||
             (entry == TagArray::none && holders.sharers)) {
    uint32_t source = holders.owner != nobody
                          ? holders.owner
                          : llvm::countr_zero(holders.sharers);
    if (!snooper(source, line, Snoop::share).dirty)
      holders.owner = nobody;
    holders.sharers |= bitOf(from);
    answer.writable = false;
  } else if (holders.sharers) {
    tags.touch(entry);
    holders.sharers |= bitOf(from);
    answer.writable = false;
  } else {
    answer.dirty = remove(line);
    holders = {bitOf(from), from};
  }
  directory[line] = holders;
  directory.setInUse(line, false);
  return answer;
}

void LastLevelSlice::warmVictim(uint64_t line, LineState state, uint32_t from) {
  if (!(directory.lookup(line).sharers & bitOf(from)))
    return;
  removeHolder(line, from);
  install(line, isDirty(state));
}
