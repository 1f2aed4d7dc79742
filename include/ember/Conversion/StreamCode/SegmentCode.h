//===- SegmentCode.h - Code that finds segments -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segments of equal coordinates, as in coordinate format, on ordinary values.
// Where one ends is found by comparing; a loop over all of them goes on until
// the range ends, and nobody counts.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_STREAMCODE_SEGMENTCODE_H
#define EMBER_CONVERSION_STREAMCODE_SEGMENTCODE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace ember {

/// The positions from `lower` to below `upper`, which are unsigned, and what
/// tells their segments apart.
struct SegmentRange {
  mlir::Value coordinates, lower, upper;
};

/// Called behind each load of a coordinate that is emitted.
using CoordinateLoaded =
    llvm::function_ref<void(mlir::OpBuilder &, mlir::Value index)>;

/// Where the segment that begins at `begin`, inside of `range`, ends.
mlir::Value emitSegmentEnd(mlir::OpBuilder &builder, mlir::Location loc,
                           const SegmentRange &range, mlir::Value begin,
                           CoordinateLoaded loaded = nullptr);

/// Emits the code of one segment and returns the values it hands on.
using SegmentBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Value begin, mlir::Value end, mlir::ValueRange carried)>;

/// A loop over the segments of `range` that carries values, at first `initial`,
/// from one to the next. Returns the last ones. `builder` stands in the loop
/// while `body` is called, and behind it afterwards.
llvm::SmallVector<mlir::Value>
emitSegmentLoop(mlir::OpBuilder &builder, mlir::Location loc,
                const SegmentRange &range, mlir::ValueRange initial,
                SegmentBody body, CoordinateLoaded loaded = nullptr);

/// The number of segments of `range`.
mlir::Value emitSegmentCount(mlir::OpBuilder &builder, mlir::Location loc,
                             const SegmentRange &range,
                             CoordinateLoaded loaded = nullptr);

/// Replaces the segment counts in `op` that stand outside of nests by code;
/// they are left where something other than a loop over the segments needs
/// them.
void lowerSegmentCounts(mlir::Operation *op);

} // namespace ember

#endif // EMBER_CONVERSION_STREAMCODE_SEGMENTCODE_H
