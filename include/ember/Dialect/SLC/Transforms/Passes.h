//===- Passes.h - Passes on lookup-compute nests ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember {

/// Which stores `store-streams` moves to the access unit.
enum class StoreStreamMode { automatic, always, never };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"

} // namespace ember

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
