//===- SinkCompute.h - Compute code next to its uses ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_SINKCOMPUTE_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_SINKCOMPUTE_H

#include "ember/Analysis/DecouplingPlan.h"

namespace ember {

/// Empties the body of `loop` before the offloaded loop `nested` of compute
/// code, if all of it can stand where its values are used: in `nested`, behind
/// it, or in both. What runs before `nested` costs a token each time; where one
/// has to be spent anyway, code stays, and a register hands its values on.
void sinkCompute(mlir::scf::ForOp loop, mlir::scf::ForOp nested,
                 const DecouplingPlan &plan);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_SINKCOMPUTE_H
