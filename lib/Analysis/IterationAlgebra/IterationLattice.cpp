//===- IterationLattice.cpp - The order in which a set is visited ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IterationAlgebra/IterationLattice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace ember;

IterationLattice::IterationLattice(const CoordinateSet &set) {
  llvm::SmallVector<LatticePoint> found;
  auto add = [&](const CoordinateSet &given) {
    CoordinateSet left = given.simplified();
    bool isKnown = llvm::any_of(
        found, [&](const LatticePoint &point) { return point.set == left; });
    if (!isKnown && !left.isEmpty())
      found.push_back({left.support(), left.contains(0), left});
  };
  add(set);
  for (size_t i = 0; i < found.size(); ++i) {
    // What is added moves the points.
    LatticePoint point = found[i];
    forEachRegion(point.walked, [&](OperandMask exhausted) {
      add(point.set.without(exhausted));
    });
  }
  // Those with fewer operands come after those that lead to them.
  for (int count = CoordinateSet::mostOperands; count >= 0; --count)
    for (const LatticePoint &point : found)
      if (llvm::popcount(point.walked) == count)
        allPoints.push_back(point);
}

const LatticePoint *IterationLattice::find(const CoordinateSet &set) const {
  for (const LatticePoint &point : allPoints)
    if (point.set == set)
      return &point;
  return nullptr;
}

const LatticePoint *IterationLattice::next(const LatticePoint &point,
                                           OperandMask exhausted) const {
  CoordinateSet left = point.set.without(exhausted);
  return left.isEmpty() ? nullptr : find(left);
}
