//===- ParallelCall.h - Calls that run loops in parts -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parallelize-loops leaves calls of functions whose first arguments are the
// bounds of loops: from the first to the last iteration, which makes them
// ordinary calls, or any part of that. The attribute on a call says so, and
// what each loop's iterations cost; emit-parallel-calls reads it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_PARALLELCALL_H
#define EMBER_ANALYSIS_PARALLELCALL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace ember {

/// On a call: a dictionary for each loop.
constexpr llvm::StringLiteral kParallelAttr = "ember.parallel";

/// On a loop over the pieces of a reduction, which is inside other loops: how
/// many iterations of that a piece has. On the scf.if around it: that is all.
constexpr llvm::StringLiteral kPiecesAttr = "ember.pieces";

/// On a loop that runs so many iterations at once from its lower bound on: with
/// floating point it makes a difference which they are.
constexpr llvm::StringLiteral kGroupAttr = "ember.group";

/// What the iterations of one loop cost, as in `ember_loop` of the runtime.
struct ParallelLoopCost {
  int64_t cost = 0;
  int64_t segmentCost = 0;
  /// The operands of the call that are the offsets, and the position of the
  /// offset of iteration 0 among them.
  std::optional<unsigned> offsets, firstOffset;
};

/// On a loop whose iterations may run in any order.
constexpr llvm::StringLiteral kIndependentAttr = "ember.independent";

void setParallelLoops(mlir::func::CallOp call,
                      llvm::ArrayRef<ParallelLoopCost> loops);

/// Empty for an ordinary call.
llvm::SmallVector<ParallelLoopCost> getParallelLoops(mlir::func::CallOp call);

} // namespace ember

#endif // EMBER_ANALYSIS_PARALLELCALL_H
