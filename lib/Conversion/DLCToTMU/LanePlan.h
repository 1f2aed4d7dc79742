//===- LanePlan.h - Which lanes visit what ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOTMU_LANEPLAN_H
#define EMBER_LIB_CONVERSION_DLCTOTMU_LANEPLAN_H

#include "ember/Dialect/DLC/IR/DLC.h"

namespace ember {

/// How the traversal units of one layer share what a unit of `dlc` visits.
struct LanePlan {
  dlc::NewTUOp unit;
  /// Elements of a vector; 0 without.
  int64_t length = 0;
  /// Traversal units, and how many elements a step each of them stands for.
  int64_t lanes = 1, width = 1;
  /// Every lane visits a different element of one range.
  bool spreads = false;
  /// No lane is ever off: there are as many elements as all of them visit.
  bool isFull = true;
  /// Lanes behind the end step all the same; the mask is computed.
  bool comparesBounds = false;

  /// The element of a vector that is the first one of `lane`.
  int64_t getFirst(int64_t lane) const { return lane * width; }
};

/// Spreads `unit` over as many of `lanes` lanes as divide its vectors. Fails,
/// with a diagnostic, where the access unit cannot do what the program needs.
llvm::FailureOr<LanePlan> planLanes(dlc::NewTUOp unit, int64_t lanes);

/// Verifies, with diagnostics, that each operation of the access program is
/// something that a unit can do, whatever its lanes are.
llvm::LogicalResult verifyUnitRules(dlc::ProgramOp program);

/// True if `mask` is off wherever a lane of `unit` is behind the end.
bool impliesLane(mlir::Value mask, dlc::NewTUOp unit);

/// The lanes of a stream whose element is no vector in memory.
int64_t getLanes(mlir::Value stream);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOTMU_LANEPLAN_H
