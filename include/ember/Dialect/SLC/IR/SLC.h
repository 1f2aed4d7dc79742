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
class MemoryStreamOpInterface;
class StreamOpInterface;

/// Verifies what `slc.for` and `slcv.vec_for` have in common: types of the
/// loop-carried values, what may stand in the body, where bounds may come from.
llvm::LogicalResult verifyLoop(LoopOpInterface loop);

/// Verifies that every operand of `op` that is not a stream or a buffer is
/// fixed during the whole nest around `op`: the access unit cannot read values
/// of the execute unit (paper, section 6.2, condition 1).
llvm::LogicalResult verifyAccessOperands(mlir::Operation *op);

/// Verifies that `op` stands in the body of a loop of the access unit, and has
/// such operands.
llvm::LogicalResult verifyInNest(mlir::Operation *op);

/// What the access unit does in each iteration of a loop.
template <typename Op>
class OfAccessUnit : public mlir::OpTrait::TraitBase<Op, OfAccessUnit> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyInNest(op);
  }
};

/// True if `value` is defined outside the outermost loop of the nest `op`
/// stands in.
bool isFixedDuringNest(mlir::Value value, mlir::Operation *op);

/// The outermost loop around (or at) `op`; null outside of any nest.
LoopOpInterface getNestRoot(mlir::Operation *op);

/// The loop nested directly in `loop`'s body; null in the innermost loop.
LoopOpInterface getNestedLoop(LoopOpInterface loop);

/// Names the arguments of the body of `loop` that the access unit provides.
void nameControl(LoopOpInterface loop, mlir::Region &region,
                 mlir::OpAsmSetValueNameFn setName);

/// Verifies what loads and stores of all levels have in common.
llvm::LogicalResult verifyMemoryStream(MemoryStreamOpInterface access);

/// Each verifies a stream of one kind, whose inputs are integers of one type,
/// in the lanes of the result or the same for all lanes.
llvm::LogicalResult verifyArithmetic(StreamOpInterface op);
llvm::LogicalResult verifyComparison(StreamOpInterface op);
llvm::LogicalResult verifyChoice(StreamOpInterface op);
llvm::LogicalResult verifyConversion(StreamOpInterface op);

/// Verifies that each element is that of the input, or has it in all lanes.
llvm::LogicalResult verifyForwarding(StreamOpInterface op);

/// Verifies that a running sum starts from what it sums up.
llvm::LogicalResult verifySum(mlir::Operation *op, mlir::Value input,
                              mlir::Value initial);

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
/// True for what is not defined if the right operand is zero.
bool isDivision(AluOp opcode);

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
