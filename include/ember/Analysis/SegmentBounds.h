//===- SegmentBounds.h - Loops between two neighbouring offsets -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_SEGMENTBOUNDS_H
#define EMBER_ANALYSIS_SEGMENTBOUNDS_H

#include "ember/Analysis/IndexExpr.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ember {

/// The load that `value` comes from, through casts, or null.
mlir::Operation *findIndexLoad(mlir::Value value);

/// The loads that `lower` and `upper` come from, if they are of neighbours in
/// one memref; else null.
std::pair<mlir::memref::LoadOp, mlir::memref::LoadOp>
findSegmentBounds(mlir::Value lower, mlir::Value upper, IndexExprs &exprs);

/// The range, from `lower` to `upper`, that has `length` elements, if that is
/// said as it is where rows are counted from zero.
struct CountedRange {
  mlir::Value lower;
  mlir::Value upper;
  /// Said to be none, not negative, where the range ends before it begins.
  bool isClamped = false;
};
std::optional<CountedRange> findCountedRange(mlir::Value length);

/// The number of elements from `lower` to `upper`, which `findCountedRange`
/// finds again: none where the range ends before it begins, and the largest
/// index where there are more, which nothing ever visits. With `isSigned`,
/// there cannot be more.
mlir::Value emitRangeLength(mlir::OpBuilder &builder, mlir::Location loc,
                            CountedRange range, bool isSigned);

} // namespace ember

#endif // EMBER_ANALYSIS_SEGMENTBOUNDS_H
