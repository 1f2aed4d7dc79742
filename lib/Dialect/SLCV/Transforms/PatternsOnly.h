//===- PatternsOnly.h - Rewrites that change nothing else -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLCV_TRANSFORMS_PATTERNSONLY_H
#define EMBER_LIB_DIALECT_SLCV_TRANSFORMS_PATTERNSONLY_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ember::slcv {

/// Applies `patterns` in `op` until none matches, without the folding and
/// merging that the driver does otherwise: only ops without uses go as well.
inline llvm::LogicalResult
applyPatternsOnly(mlir::Operation *op, mlir::RewritePatternSet &&patterns) {
  mlir::GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return mlir::applyPatternsGreedily(op, std::move(patterns), config);
}

} // namespace ember::slcv

#endif // EMBER_LIB_DIALECT_SLCV_TRANSFORMS_PATTERNSONLY_H
