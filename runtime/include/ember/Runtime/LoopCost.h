//===- LoopCost.h - What iterations of a parallel loop cost -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_LOOPCOST_H
#define EMBER_RUNTIME_LOOPCOST_H

#include "ember/Runtime/Runtime.h"

namespace ember::runtime {

// One loop, as costs up to an iteration.
class LoopCost {
public:
  LoopCost(const ember_loop &loop, double before)
      : loop(loop), before(before), hasOffsets(areOffsetsInRange()) {}

  // Of the iterations of earlier loops, and of this one up to `iteration`.
  double upTo(int64_t iteration) const {
    double cost = before + double(loop.cost) * double(iteration - loop.lower);
    if (hasOffsets && iteration > loop.lower)
      cost += double(loop.segmentCost) *
              (double(offset(iteration)) - double(offset(loop.lower)));
    return cost;
  }

  // The first start of a group up to which the cost is `cost`, or the last one.
  // Decreasing offsets, which the program finds, give some start.
  int64_t startAt(double cost) const {
    int64_t group = loop.group < 1 ? 1 : loop.group;
    int64_t low = 0, high = (loop.upper - loop.lower) / group;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (upTo(loop.lower + middle * group) < cost)
        low = middle + 1;
      else
        high = middle;
    }
    return loop.lower + low * group;
  }

private:
  bool areOffsetsInRange() const {
    int64_t first, last;
    return loop.offsets &&
           !__builtin_add_overflow(loop.firstOffset, loop.lower, &first) &&
           !__builtin_add_overflow(loop.firstOffset, loop.upper, &last) &&
           first >= 0 && last < loop.offsetCount;
  }

  int64_t offset(int64_t iteration) const {
    const char *place = static_cast<const char *>(loop.offsets) +
                        (loop.firstOffset + iteration) * loop.offsetStride;
    if (loop.offsetBytes == sizeof(int32_t))
      return *reinterpret_cast<const int32_t *>(place);
    return *reinterpret_cast<const int64_t *>(place);
  }

  const ember_loop &loop;
  double before;
  bool hasOffsets;
};

} // namespace ember::runtime

#endif // EMBER_RUNTIME_LOOPCOST_H
