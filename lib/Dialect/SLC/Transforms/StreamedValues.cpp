//===- StreamedValues.cpp - Values of callbacks as streams ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedValues.h"

#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

/// True if the access unit can do what `op` does, whether its callback runs or
/// not.
bool StreamedValues::isArithmetic(Operation *op) {
  return op && slc::isStreamArithmetic(op) && isSpeculatable(op);
}

bool StreamedValues::canStream(Value value) {
  if (slc::isFixedDuringNest(value, root))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto toVal = dyn_cast_or_null<StrToValOp>(op))
    return isa<slc::StreamType>(toVal.getStream().getType()) &&
           !toVal.getLane();
  auto known = streamable.find(value);
  if (known != streamable.end())
    return known->second;
  bool result = isArithmetic(op) &&
                llvm::all_of(op->getOperands(),
                             [&](Value operand) { return canStream(operand); });
  streamable[value] = result;
  return result;
}

Operation *StreamedValues::findObstacle(Value value) {
  Operation *op = value.getDefiningOp();
  if (isArithmetic(op))
    for (Value operand : op->getOperands())
      if (!canStream(operand))
        return findObstacle(operand);
  return op;
}

/// The innermost of the loops in which `operands` are streams.
static LoopOpInterface innermostLoop(ValueRange operands) {
  LoopOpInterface innermost;
  for (Value operand : operands) {
    if (!isa<slc::StreamType>(operand.getType()))
      continue;
    auto loop = cast<LoopOpInterface>(operand.getParentBlock()->getParentOp());
    if (!innermost || innermost->isProperAncestor(loop))
      innermost = loop;
  }
  return innermost;
}

/// `stream`, or a stream in front of it, in its block, that is computed in the
/// same way and takes its place.
static Value takeEqual(Value stream) {
  Operation *op = stream.getDefiningOp();
  for (Operation *other = op->getPrevNode(); other;
       other = other->getPrevNode())
    if (OperationEquivalence::isEquivalentTo(
            other, op, OperationEquivalence::IgnoreLocations)) {
      op->erase();
      return other->getResult(0);
    }
  return stream;
}

/// Builds where `operands` are there for `callback`.
OpBuilder StreamedValues::getBuilder(ValueRange operands, CallbackOp callback) {
  LoopOpInterface loop = innermostLoop(operands);
  if (!loop)
    loop = root;
  // In front of the nested loop, whose range it may decide about.
  Operation *before = slc::getNestedLoop(loop);
  if (loop == callback->getParentOp() &&
      (!before || callback->isBeforeInBlock(before)))
    before = callback;
  return OpBuilder(before);
}

Value StreamedValues::create(Value value, CallbackOp callback) {
  if (slc::isFixedDuringNest(value, root))
    return value;
  if (auto toVal = value.getDefiningOp<StrToValOp>())
    return toVal.getStream();
  if (Value known = created.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(create(operand, callback));
  OpBuilder builder = getBuilder(operands, callback);
  Value stream = takeEqual(slc::createStreamArithmetic(builder, op, operands));
  created.map(value, stream);
  return stream;
}

Value StreamedValues::createAnd(Value lhs, Value rhs, CallbackOp callback) {
  OpBuilder builder = getBuilder({lhs, rhs}, callback);
  return takeEqual(slc::AluStrOp::create(
      builder, callback.getLoc(), lhs.getType(), slc::AluOp::and_, lhs, rhs));
}
