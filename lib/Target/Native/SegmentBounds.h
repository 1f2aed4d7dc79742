//===- SegmentBounds.h - Loops between two neighbouring offsets -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_NATIVE_SEGMENTBOUNDS_H
#define EMBER_LIB_TARGET_NATIVE_SEGMENTBOUNDS_H

#include "IndexExpr.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace ember::native {

/// On a loop: what the offsets it runs between are called.
constexpr llvm::StringLiteral kSegmentAttr = "ember.segment";

/// The loads that `lower` and `upper` come from, if they are of neighbours in
/// one memref; else null.
std::pair<mlir::memref::LoadOp, mlir::memref::LoadOp>
findSegmentBounds(mlir::Value lower, mlir::Value upper, IndexExprs &exprs);

} // namespace ember::native

#endif // EMBER_LIB_TARGET_NATIVE_SEGMENTBOUNDS_H
