//===- SLC.h - The Structured Lookup-Compute dialect ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLC_H
#define EMBER_DIALECT_SLC_IR_SLC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::slc {
class YieldOp;
class LoopOpInterface;

/// Verifies what `slc.for` and `slcv.vec_for` have in common: types of the
/// loop-carried values, what may stand in the body, where bounds may come from.
llvm::LogicalResult verifyLoop(LoopOpInterface loop);

/// Verifies that every operand of `op` that is not a stream or a buffer is
/// fixed during the whole nest around `op`: the access unit cannot read values
/// of the execute unit (paper, section 6.2, condition 1).
llvm::LogicalResult verifyAccessOperands(mlir::Operation *op);

/// True if `value` is defined outside the outermost loop of the nest `op`
/// stands in.
bool isFixedDuringNest(mlir::Value value, mlir::Operation *op);

/// The outermost loop around (or at) `op`; null outside of any nest.
LoopOpInterface getNestRoot(mlir::Operation *op);

/// The loop nested directly in `loop`'s body; null in the innermost loop.
LoopOpInterface getNestedLoop(LoopOpInterface loop);

/// Verifies that a load from `memref` has an index a dimension.
llvm::LogicalResult verifyIndexCount(mlir::Operation *op,
                                     mlir::MemRefType memref, size_t count);

/// Verifies that `op`, a store of the access unit, stands before the loop
/// nested beside it: a loop's own streams advance before those of the nested
/// loop.
llvm::LogicalResult verifyStoresBeforeNested(mlir::Operation *op);

/// Verifies that `result`, a stream of `op`, compares `lhs` with `rhs`:
/// integers of one type, in the lanes of the result or the same for all lanes.
llvm::LogicalResult verifyComparison(mlir::Operation *op, mlir::Value lhs,
                                     mlir::Value rhs, mlir::Value result);

/// Verifies likewise that `result` chooses between two values by `condition`.
llvm::LogicalResult verifyChoice(mlir::Operation *op, mlir::Value condition,
                                 mlir::Value trueValue, mlir::Value falseValue,
                                 mlir::Value result);

/// Verifies what a load of `result`, a stream, has where `mask` is false:
/// elements of its type, in its lanes or the same for all, and none without a
/// mask.
llvm::LogicalResult verifyOtherwise(mlir::Operation *op, mlir::Value otherwise,
                                    mlir::Value mask, mlir::Type result);

/// The element type of a stream type.
mlir::Type getStreamElementType(mlir::Type type);

/// The element type of a stream, and every other type as it is.
mlir::Type stripStream(mlir::Type type);

/// The lanes of a vector or a stream of vectors; 0 for all that has none.
int64_t lanesOf(mlir::Type type);
} // namespace ember::slc

#include "ember/Dialect/SLC/IR/SLCDialect.h.inc"
#include "ember/Dialect/SLC/IR/SLCEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/SLC/IR/SLCTypes.h.inc"

#include "ember/Dialect/SLC/IR/SLCInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/SLC/IR/SLCOps.h.inc"

namespace ember::slc {
/// The outermost loops in `op`, in order.
llvm::SmallVector<LoopOpInterface> getNestRoots(mlir::Operation *op);

/// The range whose segments `loop` goes over; null if it goes over none: a loop
/// to a `slc.segment_count` that does not begin at 0 or has another step.
SegmentCountOp getSegmentCount(LoopOpInterface loop);

/// The condition under which `loop` traverses anything, or not: where it does
/// not hold, the range is chosen to be empty. `condition` is null where there
/// is none; `end` is the upper bound wherever the range is not empty.
struct LoopPredicate {
  mlir::Value condition;
  bool whereTrue;
  mlir::Value end;
};
LoopPredicate getPredicate(LoopOpInterface loop);

/// True if `loop` certainly traverses nothing where `mask` is false.
bool isEmptyWithout(LoopOpInterface loop, mlir::Value mask);

/// The stream that is true where `flag`, a stream of a nest, is false.
mlir::Value createNegation(mlir::OpBuilder &builder, mlir::Value flag);

/// What `value`, a stream or not, is where `mask` is true, as far as that is
/// obvious: a choice by the mask is then the value it chooses.
mlir::Value getWhereTrue(mlir::Value value, mlir::Value mask);

/// Makes `callback` run always, and take a branch in it where its mask is true.
void dropMask(CallbackOp callback);
} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_SLC_H
