//===- Statement.h - One statement that is not concrete ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENT_H
#define EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENT_H

#include "ember/Dialect/CIN/IR/CIN.h"

namespace ember::cin {

/// The only assignment of a statement that is not concrete yet; null for one
/// that is, which has several statements inside. `loops` are those around it:
/// ranges of inner ones depend on variables of outer ones.
AssignOp getAssignment(ForallOp statement,
                       llvm::SmallVectorImpl<ForallOp> &loops);

/// An array like `array`, whose elements are where those of its outer `depth`
/// levels are stored.
AssembleOp makeLocating(mlir::OpBuilder &builder, AssembleOp array,
                        unsigned depth);

/// The statement of an evaluation that `op` is in.
ForallOp getStatement(mlir::Operation *op);

/// The bounds of a variable of a statement or of a reduction; null if it has no
/// range.
std::pair<mlir::Value, mlir::Value> getRange(mlir::BlockArgument variable);

/// Gives a range to a variable that has none.
void setRange(mlir::BlockArgument variable, mlir::Value lower,
              mlir::Value upper);

/// What messages call a variable.
std::string getNameOf(mlir::BlockArgument variable);

/// Whether two expressions of one statement have one value.
bool areEquivalent(mlir::Value a, mlir::Value b);

/// Whether there may be no value: if an element that it is computed from may be
/// missing, both of what is coalesced, or all that a reduction combines.
bool mayBeMissing(mlir::Value value);

/// The conditions under which what stands at `op` counts: those of the
/// reductions around it and of the assignment, outermost first.
llvm::SmallVector<mlir::Value> getConditions(mlir::Operation *op,
                                             AssignOp assign);

/// Simplifies a statement: what is computed twice is computed once, outside of
/// the reductions that it does not depend on, and what nobody needs is dropped.
/// Values stay what they are to the bit.
void simplifyStatement(ForallOp statement);

} // namespace ember::cin

#endif // EMBER_LIB_DIALECT_CIN_TRANSFORMS_STATEMENT_H
