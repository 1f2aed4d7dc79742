//===- SegmentBounds.cpp - Loops between two neighbouring offsets ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/SegmentBounds.h"
#include "ember/Analysis/SameValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace ember {

Operation *findIndexLoad(Value value) {
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (isa<memref::LoadOp>(op))
      return op;
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
             arith::ExtUIOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

std::pair<memref::LoadOp, memref::LoadOp>
findSegmentBounds(Value lower, Value upper, IndexExprs &exprs) {
  auto begin = dyn_cast_if_present<memref::LoadOp>(findIndexLoad(lower));
  auto end = dyn_cast_if_present<memref::LoadOp>(findIndexLoad(upper));
  if (!begin || !end || begin.getMemRef() != end.getMemRef() ||
      begin.getIndices().empty())
    return {};
  if (!areSameValues(begin.getIndices().drop_back(),
                     end.getIndices().drop_back(), exprs))
    return {};
  IndexExpr distance =
      exprs.of(end.getIndices().back()) - exprs.of(begin.getIndices().back());
  if (distance.asConstant() != 1)
    return {};
  return {begin, end};
}

std::optional<CountedRange> findCountedRange(Value length) {
  auto least = length.getDefiningOp<arith::MinUIOp>();
  if (least && getConstantIntValue(least.getRhs()) == INT64_MAX)
    length = least.getLhs();
  auto difference = length.getDefiningOp<arith::SubIOp>();
  if (!difference)
    return std::nullopt;
  CountedRange range{difference.getRhs(), difference.getLhs()};
  auto end = range.upper.getDefiningOp<arith::MaxSIOp>();
  range.isClamped = end && llvm::is_contained(end->getOperands(), range.lower);
  if (range.isClamped)
    range.upper = end.getLhs() == range.lower ? end.getRhs() : end.getLhs();
  return range;
}

Value emitRangeLength(OpBuilder &builder, Location loc, CountedRange range,
                      bool isSigned) {
  Value end = arith::MaxSIOp::create(builder, loc, range.upper, range.lower);
  Value length = arith::SubIOp::create(builder, loc, end, range.lower);
  if (isSigned)
    return length;
  Value most = arith::ConstantIndexOp::create(builder, loc, INT64_MAX);
  return arith::MinUIOp::create(builder, loc, length, most);
}

} // namespace ember
