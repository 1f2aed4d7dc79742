//===- OnlyReads.h - Operations that change nothing -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_ONLYREADS_H
#define EMBER_ANALYSIS_ONLYREADS_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {

/// True if `op` computes, or reads memory, and does nothing else: it may as
/// well not run where nobody uses its results.
inline bool onlyReads(mlir::Operation *op) {
  return mlir::isMemoryEffectFree(op) ||
         mlir::hasSingleEffect<mlir::MemoryEffects::Read>(op);
}

} // namespace ember

#endif // EMBER_ANALYSIS_ONLYREADS_H
