//===- Traversal.h - Code for what a loop or unit visits --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements a traversal visits, in how many iterations, in which lanes:
// the one answer for recoupled loops, for access programs, and for compute code
// that walks over what a traversal pushed. Bounds and steps may be any numbers:
// no count and no position wraps around.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_STREAMCODE_TRAVERSAL_H
#define EMBER_CONVERSION_STREAMCODE_TRAVERSAL_H

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace ember {

/// What `slc.for`, `slcv.vec_for` or `dlc.new_tu` says about the elements it
/// visits, with ordinary values for streams where code is to be emitted.
struct Traversal {
  using Lookup = llvm::function_ref<mlir::Value(mlir::Value)>;

  static Traversal of(slc::LoopOpInterface loop, Lookup lookup);
  static Traversal of(dlc::NewTUOp unit, Lookup lookup);
  /// The traversal with the operands of `loop` itself, to ask about.
  static Traversal of(slc::LoopOpInterface loop);
  /// `loop`, which has a signed index, spread over `lanes`.
  static Traversal of(mlir::scf::ForOp loop, int64_t lanes);

  /// True if the lanes of an iteration visit elements that follow each other.
  bool spreadsOverLanes() const;
  /// True if each lane has a range of its own.
  bool isLockstep() const;
  /// How far lane 0 moves from one iteration to the next, in steps.
  int64_t getLanesPerIteration() const;
  /// How far lane 0 moves from one iteration to the next, if that is a constant
  /// so small that a range of 2^63 elements would take years.
  std::optional<int64_t> getSmallStride() const;
  /// The number of elements, counting every lane, if all bounds are constants.
  std::optional<int64_t> getStaticVisits() const;
  /// The number of iterations, likewise.
  std::optional<int64_t> getStaticTrips() const;

  mlir::Value lower, upper, step;
  /// Switches lanes off; null if there are none to switch off.
  mlir::Value inMask;
  /// 0 without lanes.
  int64_t lanes = 0;
  slcv::LoopConfig config = slcv::LoopConfig::vector;
  /// True if no element is near the largest index: the upper bound is a size,
  /// or elements are indices of memory.
  bool endsFarFromLargest = false;
};

/// The iterations of a traversal as an scf loop counts them. Where positions
/// could wrap around or differ between lanes, the loop counts iterations from
/// zero; `elements` is then what there is to visit, a number a lane in
/// lockstep.
struct TraversalRange {
  mlir::Value lower, upper, step, elements;

  /// What the scf loop's induction variable is in iteration `k`.
  mlir::Value emitPosition(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value k) const;
};

/// The range of `traversal`; code before the loop asserts, where it is needed,
/// that the step leads to its end.
TraversalRange emitRange(mlir::OpBuilder &builder, mlir::Location loc,
                         const Traversal &traversal);

/// What lane 0 visits where the loop over `range` is at `position`; all lanes,
/// if they have ranges of their own.
mlir::Value emitFirst(mlir::OpBuilder &builder, mlir::Location loc,
                      const Traversal &traversal, const TraversalRange &range,
                      mlir::Value position);

/// The elements visited where the loop over `range` is at `position`: one, or
/// one a lane.
mlir::Value emitVisited(mlir::OpBuilder &builder, mlir::Location loc,
                        const Traversal &traversal, const TraversalRange &range,
                        mlir::Value position);

/// The number of iterations before the one at `position`.
mlir::Value emitIterationCount(mlir::OpBuilder &builder, mlir::Location loc,
                               const TraversalRange &range,
                               mlir::Value position);

/// The active lanes at `position`.
mlir::Value emitMask(mlir::OpBuilder &builder, mlir::Location loc,
                     const Traversal &traversal, const TraversalRange &range,
                     mlir::Value position);

/// The upper bound of a loop from zero with as many iterations as `traversal`;
/// it may be negative where there are none.
mlir::Value emitTripBound(mlir::OpBuilder &builder, mlir::Location loc,
                          const Traversal &traversal);

/// The number of iterations of `traversal`.
mlir::Value emitTrips(mlir::OpBuilder &builder, mlir::Location loc,
                      const Traversal &traversal);

/// True if `value` is certainly what `emitTripBound` gives for `traversal`;
/// `isBound` says whether a value stands for one of its bounds.
bool isTripBound(
    mlir::Value value, const Traversal &traversal,
    llvm::function_ref<bool(mlir::Value value, mlir::Value bound)> isBound);

} // namespace ember

#endif // EMBER_CONVERSION_STREAMCODE_TRAVERSAL_H
