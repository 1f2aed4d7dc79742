//===- EventFrequencies.h - How often tokens are pushed ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_EVENTFREQUENCIES_H
#define EMBER_ANALYSIS_EVENTFREQUENCIES_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember {

/// How often the traversal events of an access program are expected to happen,
/// from what is known of its units when it is compiled.
///
/// A unit begins and ends once for each iteration of its parent. A unit with
/// constant bounds and step iterates as often as they say. Where they are not
/// known, a unit is assumed to visit `assumedSegment` elements if a bound is a
/// stream, as in a bag or a row of a sparse matrix; `assumedRow` if all its
/// traversals are alike, as along an embedding; and `assumedRoot` if it is the
/// outermost one. A toggled callback is assumed to run in one of `assumedStay`
/// iterations. The numbers matter only where two cases are compared of which
/// neither stands deeper.
class EventFrequencies {
public:
  static constexpr int64_t assumedRoot = 64;
  static constexpr int64_t assumedSegment = 16;
  static constexpr int64_t assumedRow = 16;
  static constexpr int64_t assumedStay = 4;

  explicit EventFrequencies(dlc::ProgramOp program);

  /// How often `callback` pushes its token in one run; saturates.
  int64_t getCount(dlc::RegisterCallbackOp callback) const;

private:
  struct Counts {
    int64_t traversals, iterations;
  };
  llvm::DenseMap<mlir::Value, Counts> units;
};

} // namespace ember

#endif // EMBER_ANALYSIS_EVENTFREQUENCIES_H
