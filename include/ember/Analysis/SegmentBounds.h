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

} // namespace ember

#endif // EMBER_ANALYSIS_SEGMENTBOUNDS_H
