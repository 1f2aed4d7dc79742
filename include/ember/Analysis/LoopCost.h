//===- LoopCost.h - What the iterations of a loop cost ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_LOOPCOST_H
#define EMBER_ANALYSIS_LOOPCOST_H

#include "ember/Analysis/IndexExpr.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ember {

/// An estimate, in operations of about a third of a nanosecond.
struct LoopCost {
  /// Of an iteration, without its segment.
  int64_t cost = 0;
  /// Of each element of the segment that an iteration goes through: from
  /// offsets[firstOffset + i] to offsets[firstOffset + i + 1].
  int64_t segmentCost = 0;
  /// Null where iterations have no segments, or several kinds.
  mlir::Value offsets;
  IndexExpr firstOffset;
};

LoopCost estimateCost(mlir::scf::ForOp loop, IndexExprs &exprs);

} // namespace ember

#endif // EMBER_ANALYSIS_LOOPCOST_H
