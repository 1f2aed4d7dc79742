//===- ListSums.h - Sums of lists by their coordinates ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values at coordinates of any number of levels: gathered in the order in which
// they come, then given by coordinates, those at one place combined.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_LISTSUMS_H
#define EMBER_LIB_SIM_SAM_LISTSUMS_H

#include "BlockArithmetic.h"

#include <map>

namespace ember::sim::sam {

class ListSums {
public:
  /// The coordinates that the next values are at, outermost first; nothing
  /// where the next one has not come.
  std::vector<std::optional<int64_t>> around;

  void add(int64_t inner, double value, BlockKind combiner) {
    std::vector<int64_t> key;
    for (std::optional<int64_t> outer : around)
      key.push_back(*outer);
    key.push_back(inner);
    auto [entry, isNew] = sums.try_emplace(std::move(key), value);
    if (!isNew)
      entry->second = combineNumbers(combiner, entry->second, value);
    mostHeld = std::max<uint64_t>(mostHeld, sums.size());
  }

  bool isEmpty() const { return sums.empty(); }
  llvm::ArrayRef<int64_t> coordinates() const { return sums.begin()->first; }
  double value() const { return sums.begin()->second; }
  /// The first level at which the next sum is elsewhere than the one before it;
  /// nothing if there is none before it.
  std::optional<size_t> firstChange() const {
    if (last.empty())
      return std::nullopt;
    size_t level = 0;
    while (last[level] == coordinates()[level])
      ++level;
    return level;
  }
  void pop() {
    last = sums.begin()->first;
    sums.erase(sums.begin());
  }
  /// The next sum begins lists anew.
  void endLists() { last.clear(); }

  /// Sums that there were at a time, at most.
  uint64_t getMostHeld() const { return mostHeld; }

private:
  uint64_t mostHeld = 0;
  std::map<std::vector<int64_t>, double> sums;
  std::vector<int64_t> last;
};

} // namespace ember::sim::sam

#endif
