//===- EmberOps.cpp - Checks, and calls that run in parts -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void CheckOp::build(OpBuilder &builder, OperationState &state, Value violated) {
  state.addOperands(violated);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(state.addRegion());
}

LogicalResult CheckOp::verifyRegions() {
  bool fails = false;
  auto result = getBody()->walk([&](Operation *op) {
    fails |= isFailure(op);
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (isFailure(op) || !effects || !effects.hasEffect<MemoryEffects::Write>())
      return WalkResult::advance();
    op->emitOpError("stores to memory in a check, which would show where the "
                    "check is left out");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return fails ? success()
               : emitOpError("must hold an operation that ends the program");
}

LogicalResult CheckOp::canonicalize(CheckOp check, PatternRewriter &rewriter) {
  if (!matchPattern(check.getViolated(), m_Zero()))
    return failure();
  rewriter.eraseOp(check);
  return success();
}

LogicalResult FailIndexOp::verify() {
  if (bool(getPosition()) != bool(getSourceAttr()))
    return emitOpError("needs both a source and a position, or neither");
  return success();
}

//===----------------------------------------------------------------------===//
// ParallelCallOp
//===----------------------------------------------------------------------===//

LogicalResult ParallelCallOp::verify() {
  unsigned bounds = 2 * getNumLoops();
  if (bounds == 0)
    return emitOpError("must call at least one loop");
  if (getInputs().size() < bounds)
    return emitOpError("has ")
           << getInputs().size() << " operands, but " << getNumLoops()
           << " loops with two bounds each";
  for (Value bound : getInputs().take_front(bounds))
    if (!bound.getType().isIndex())
      return emitOpError("must have bounds of type index, not ")
             << bound.getType();
  auto typeOf = [&](int64_t operand) -> Type {
    bool exists = operand >= bounds && operand < int64_t(getInputs().size());
    return exists ? getInputs()[operand].getType() : Type();
  };
  for (LoopCostAttr cost : getLoopCosts()) {
    if (!cost.hasSegments())
      continue;
    auto offsets = dyn_cast_if_present<MemRefType>(typeOf(cost.getOffsets()));
    if (!offsets || offsets.getRank() != 1 ||
        !offsets.getElementType().isIntOrIndex())
      return emitOpError("must have offsets, a memref of one dimension of "
                         "integers, as operand ")
             << cost.getOffsets();
    Type first = typeOf(cost.getFirstOffset());
    if (!first || !first.isIndex())
      return emitOpError("must have the first offset, an index, as operand ")
             << cost.getFirstOffset();
  }
  return success();
}

LogicalResult ParallelCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError() << "calls '" << getCallee()
                         << "', which is no function";
  FunctionType type = function.getFunctionType();
  if (type.getNumResults() != 0)
    return emitOpError() << "calls '" << getCallee()
                         << "', which has results: parts have none";
  if (TypeRange(type.getInputs()) != getInputs().getTypes())
    return emitOpError() << "has operands of other types than '" << getCallee()
                         << "' takes";
  return success();
}

#define GET_OP_CLASSES
#include "ember/Dialect/Ember/IR/EmberOps.cpp.inc"
