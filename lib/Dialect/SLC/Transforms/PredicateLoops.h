//===- PredicateLoops.h - Conditions as empty ranges ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATELOOPS_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATELOOPS_H

#include "ember/Analysis/MemoryAliasing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {

/// A loop that was under a condition, and the choice that is its upper bound
/// now: between the bound it had and its lower one.
struct PredicatedLoop {
  mlir::scf::ForOp loop;
  mlir::arith::SelectOp end;
};

/// Takes loops out of the conditions in the nest under `root` that the access
/// unit can evaluate: where a condition does not hold, they have nothing to
/// traverse.
llvm::SmallVector<PredicatedLoop> predicateLoops(mlir::scf::ForOp root,
                                                 const NestMemory &memory);

/// Puts a loop that stays with the execute unit, which can branch, under its
/// condition again.
void restoreCondition(const PredicatedLoop &predicated);

} // namespace ember

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_PREDICATELOOPS_H
