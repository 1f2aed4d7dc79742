//===- Passes.h - Passes on lookup-compute nests ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H

#include "ember/Dialect/Ember/Transforms/Choice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace ember {

/// Which stores `store-streams` moves to the access unit.
enum class StoreStreamMode { automatic, always, never };

/// The cache that `choose-cache-hints` names for lookups; the numbers are those
/// of `slc::CacheLevel`.
enum class LookupLevel { automatic = 0, l1 = 1, l2 = 2, llc = 3, none };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"

} // namespace ember

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
