//===- FusionCost.h - How often elements are computed -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUSIONCOST_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUSIONCOST_H

#include "ProducerMatch.h"

namespace ember::cin {

/// What it costs to compute an expression once: 1 for each access and call, 8
/// for each call of a function that takes a series or a division, and 0 for
/// indices, numbers and conversions. None for one with a reduction.
std::optional<unsigned> getCost(mlir::Value value);

/// Whether the loops around `read` reach each element that it reads at most
/// once, if what depends on outer loops alone is computed there: in the order
/// in which `--cin-concretize` has loops. `match` says what it reads.
bool readsOnce(AccessOp read, AssignOp consumer, const ProducerMatch &match);

/// Whether statements are estimated to take much longer, in their best orders
/// of loops, than those that they take the place of.
bool isSlower(llvm::ArrayRef<ForallOp> fused, llvm::ArrayRef<ForallOp> apart);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_FUSIONCOST_H
