//===- CheckCollector.h - The checks a module needs -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each operation has to have checked. Ranges of indices are collected as
// data, to be moved and compared; everything else is put in front of its
// operation at once.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CHECKS_CHECKCOLLECTOR_H
#define EMBER_LIB_CHECKS_CHECKCOLLECTOR_H

#include "RangeCheck.h"
#include "ember/ABI/RuntimeCalls.h"
#include "ember/Analysis/IndexExpr.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::checks {

/// Adds to `checks` what an access to memory needs. Fails, with a diagnostic,
/// where an access cannot be checked.
llvm::LogicalResult collectAccessChecks(mlir::Operation *op, IndexExprs &exprs,
                                        std::vector<RangeCheck> &checks);

/// Adds to `checks` what making a view of a memref needs, or emits it.
llvm::LogicalResult collectViewChecks(mlir::Operation *op, IndexExprs &exprs,
                                      std::vector<RangeCheck> &checks);

/// Adds to `checks` what an assertion of bounds asserts, if that is that an
/// index is inside and no more. The assertion then says nothing else.
bool collectBounds(mlir::Operation *op, IndexExprs &exprs,
                   std::vector<RangeCheck> &checks);

/// Emits the checks of operations that are no accesses: divisions, sizes of
/// allocations, bounds and steps of loops, assertions.
void emitOperationChecks(mlir::Operation *op, IndexExprs &exprs);

/// The index lanes of a gather or scatter, or of a masked access whose mask is
/// not a number of leading lanes: each active lane is checked, in place.
void emitLaneChecks(mlir::Operation *op, mlir::Value memref,
                    mlir::ValueRange indices, mlir::Value laneOffsets,
                    mlir::Value mask);

/// Makes the results of `op` numbers where they could be poison, which no check
/// of them would survive.
void definePoison(mlir::Operation *op);

/// Fails with `message` in front of the builder's place if `bad`.
void failIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bad,
            llvm::StringRef message);

} // namespace ember::checks

#endif // EMBER_LIB_CHECKS_CHECKCOLLECTOR_H
