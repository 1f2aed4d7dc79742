//===- EventFrequencies.cpp - How often tokens are pushed -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/EventFrequencies.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::Event;

/// Far from what overflows when a few are added.
static constexpr uint64_t largestCount = uint64_t(1) << 48;

static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::min(
      largestCount, llvm::SaturatingMultiply(static_cast<uint64_t>(a),
                                             static_cast<uint64_t>(b))));
}

/// How many numbers `unit` visits in one traversal, whatever its lanes.
static int64_t estimateElements(NewTUOp unit) {
  std::optional<int64_t> lower = getConstantIntValue(unit.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(unit.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(unit.getStep());
  if (unit.getCoordinates())
    return unit.getParent() ? EventFrequencies::assumedRow
                            : EventFrequencies::assumedRoot;
  int64_t length;
  if (lower && upper && step && *step > 0 &&
      !llvm::SubOverflow(*upper, *lower, length))
    return length <= 0 ? 0 : llvm::divideCeilSigned(length, *step);
  if (!unit.hasFixedBounds())
    return EventFrequencies::assumedSegment;
  return unit.getParent() ? EventFrequencies::assumedRow
                          : EventFrequencies::assumedRoot;
}

/// The numbers that one iteration of `unit` visits.
static int64_t getElementsPerIteration(NewTUOp unit) {
  if (!unit.getVectorLength() || unit.getConfig() != slcv::LoopConfig::vector ||
      !unit.hasFixedBounds())
    return 1;
  return static_cast<int64_t>(*unit.getVectorLength());
}

EventFrequencies::EventFrequencies(ProgramOp program) {
  for (auto unit : program.getAccessBody()->getOps<NewTUOp>()) {
    Value parent = unit.getParent();
    int64_t traversals = parent ? units.lookup(parent).iterations : 1;
    int64_t iterations = llvm::divideCeilSigned(estimateElements(unit),
                                                getElementsPerIteration(unit));
    units[unit.getResult()] = {traversals, multiply(traversals, iterations)};
  }
}

int64_t EventFrequencies::getCount(RegisterCallbackOp callback) const {
  Counts counts = units.lookup(callback.getTu());
  int64_t count =
      callback.getEvent() == Event::ite ? counts.iterations : counts.traversals;
  if (!callback.getToggle())
    return count;
  int64_t changes = llvm::divideCeilSigned(count, assumedStay);
  return callback.getWhereSame() ? count - changes : changes;
}
