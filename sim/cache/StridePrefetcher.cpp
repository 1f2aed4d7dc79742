//===- StridePrefetcher.cpp - The next lines of a stride ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table by instruction of the last address, the last stride and a saturating
// confidence (Fu, Patel and Janssens, MICRO 1992; Chen and Baer, 1995).
//
//===----------------------------------------------------------------------===//

#include "Prefetchers.h"
#include "ember/Sim/Memory/Request.h"

using namespace ember::sim;

/// Of the saturating counter; two bits, usable in its upper half.
static constexpr uint64_t mostConfidence = 3;
static constexpr uint64_t enoughConfidence = 2;

StridePrefetcher::Entry &StridePrefetcher::find(uint64_t instruction) {
  Entry *oldest = &table.front();
  for (Entry &entry : table) {
    if (entry.instruction == instruction)
      return entry;
    if (entry.used < oldest->used)
      oldest = &entry;
  }
  return *oldest;
}

int64_t StridePrefetcher::observe(const PrefetchAccess &access,
                                  std::vector<uint64_t> &lines) {
  if (!access.instruction)
    return 0;
  Entry &entry = find(access.instruction);
  auto stride = static_cast<int64_t>(access.address - entry.address);
  if (entry.instruction != access.instruction) {
    entry = {access.instruction, access.address, 0, 0, ++uses};
    return 0;
  }
  entry.used = ++uses;
  if (!stride)
    return 0;
  if (stride != entry.stride) {
    if (entry.confidence)
      --entry.confidence;
    else
      entry.stride = stride;
  } else if (entry.confidence < mostConfidence) {
    ++entry.confidence;
  }
  entry.address = access.address;
  if (entry.confidence < enoughConfidence)
    return 0;
  // Strides below a line lead to the next lines.
  int64_t step = entry.stride;
  auto line = static_cast<int64_t>(lineBytes);
  if (step > -line && step < line)
    step = step < 0 ? -line : line;
  for (uint64_t i = 1; i <= degree; ++i)
    lines.push_back(lineOf(access.address + i * step));
  return entry.stride;
}
