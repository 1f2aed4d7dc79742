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

/// Longer computations stay where they are.
static constexpr unsigned maxDepth = 16;

bool StreamedValues::canStream(Value value, unsigned depth) {
  if (slc::isFixedDuringNest(value, root))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto toVal = dyn_cast_or_null<StrToValOp>(op))
    return isa<slc::StreamType>(toVal.getStream().getType()) &&
           !toVal.getLane();
  return op && depth < maxDepth && slc::isStreamArithmetic(op) &&
         isSpeculatable(op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) { return canStream(operand, depth + 1); });
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

/// A stream in front of `op`, in its block, that is computed in the same way;
/// `op` itself if there is none.
static Operation *findEqual(Operation *op) {
  for (Operation *other = op->getPrevNode(); other;
       other = other->getPrevNode())
    if (OperationEquivalence::isEquivalentTo(
            other, op, OperationEquivalence::IgnoreLocations))
      return other;
  return op;
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
  LoopOpInterface loop = innermostLoop(operands);
  if (!loop)
    loop = root;
  // In front of the nested loop, whose range it may decide about.
  Operation *before = slc::getNestedLoop(loop);
  if (loop == callback->getParentOp() &&
      (!before || callback->isBeforeInBlock(before)))
    before = callback;
  OpBuilder builder(before);
  Value stream = slc::createStreamArithmetic(builder, op, operands);
  Operation *equal = findEqual(stream.getDefiningOp());
  if (equal != stream.getDefiningOp())
    stream.getDefiningOp()->erase();
  created.map(value, equal->getResult(0));
  return equal->getResult(0);
}
