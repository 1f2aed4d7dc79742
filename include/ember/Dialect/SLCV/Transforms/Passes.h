//===- Passes.h - Optimisations of lookup-compute nests ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_H

#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Dialect/Ember/Transforms/Choice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ember::slcv {

/// How scalar operands are kept from breaking the alignment of the vectors in
/// the data queue (paper, section 7.3).
enum class AlignmentStrategy {
  /// Chooses for each callback.
  automatic,
  /// The execute unit counts induction variables itself.
  counters,
  /// Scalars are sent as vectors.
  pad,
  /// The access unit computes where rows begin and sends that instead of ids.
  addresses,
};

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"

} // namespace ember::slcv

#endif // EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_H
