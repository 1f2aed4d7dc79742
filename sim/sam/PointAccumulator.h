//===- PointAccumulator.h - Sums at points of one or two levels -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both engines' reducers of points keep: points in the order in which they
// came, and those that are summed and in order, ready to be shown.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_POINTACCUMULATOR_H
#define EMBER_LIB_SIM_SAM_POINTACCUMULATOR_H

#include "BlockArithmetic.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ember::sim::sam {

class PointAccumulator {
public:
  struct Point {
    int64_t outer = 0;
    int64_t inner = 0;
    double value = 0;
    /// From when on it may be shown.
    uint64_t cycle = 0;
  };

  /// Whether a point of another outer coordinate ends the row.
  bool endsRow(int64_t outer) const {
    return !gathered.empty() && gathered.back().outer != outer;
  }
  void add(int64_t outer, int64_t inner, double value) {
    gathered.push_back({outer, inner, value, 0});
  }

  /// Points that were added become ready, those at one place combined in the
  /// order in which they came.
  void close(uint64_t cycle, BlockKind combiner) {
    // Until they are ready, `cycle` has their order.
    for (size_t i = 0; i < gathered.size(); ++i)
      gathered[i].cycle = i;
    std::sort(gathered.begin(), gathered.end(),
              [](const Point &a, const Point &b) {
                return std::tie(a.outer, a.inner, a.cycle) <
                       std::tie(b.outer, b.inner, b.cycle);
              });
    size_t before = ready.size();
    for (size_t i = 0; i < gathered.size(); ++i) {
      Point point = gathered[i];
      point.cycle = cycle;
      while (i + 1 < gathered.size() && gathered[i + 1].outer == point.outer &&
             gathered[i + 1].inner == point.inner)
        point.value =
            combineNumbers(combiner, point.value, gathered[++i].value);
      ready.push_back(point);
    }
    mostHeld = std::max<uint64_t>(mostHeld, ready.size() - before);
    gathered.clear();
    // What both readers have passed is let go.
    size_t passed = std::min(nextPoint, nextValue);
    if (passed > 4096 && passed > ready.size() / 2) {
      ready.erase(ready.begin(), ready.begin() + passed);
      nextPoint -= passed;
      nextValue -= passed;
    }
  }

  bool hasPoint() const { return nextPoint < ready.size(); }
  const Point &point() const { return ready[nextPoint]; }
  void popPoint() { ++nextPoint; }
  bool hasValue() const { return nextValue < ready.size(); }
  const Point &value() const { return ready[nextValue]; }
  void popValue() { ++nextValue; }

  /// Sums that became ready at once, at most.
  uint64_t getMostHeld() const { return mostHeld; }

private:
  std::vector<Point> gathered;
  std::vector<Point> ready;
  uint64_t mostHeld = 0;
  size_t nextPoint = 0;
  size_t nextValue = 0;
};

} // namespace ember::sim::sam

#endif
