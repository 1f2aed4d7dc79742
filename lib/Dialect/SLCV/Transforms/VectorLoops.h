//===- VectorLoops.h - What is known about loops over lanes -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLCV_TRANSFORMS_VECTORLOOPS_H
#define EMBER_LIB_DIALECT_SLCV_TRANSFORMS_VECTORLOOPS_H

#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"

#include <optional>

namespace ember::slcv {

/// What `loop` visits wherever its range is not chosen to be empty.
Traversal whereNotEmpty(slc::LoopOpInterface loop);

/// True if lane `l` of an iteration visits `base + l * step`: the lanes share
/// one range.
bool sharesRange(VecForOp loop);

/// True if all lanes are active in every iteration.
bool hasFullVectors(VecForOp loop);

/// True if the elements of `stream`, a stream of index vectors, count up by
/// one from lane to lane.
bool isConsecutive(mlir::Value stream);

/// How many lanes of `stream`, a stream of index vectors, side by side have the
/// same element, each group one more than the one before; nullopt if lanes do
/// not relate like that. Consecutive elements are groups of one.
std::optional<int64_t> getRepeat(mlir::Value stream);

} // namespace ember::slcv

#endif // EMBER_LIB_DIALECT_SLCV_TRANSFORMS_VECTORLOOPS_H
