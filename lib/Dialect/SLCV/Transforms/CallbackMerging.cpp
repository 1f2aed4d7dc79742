//===- CallbackMerging.cpp - One callback instead of several --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallbackMerging.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using ember::slc::BufferType;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;
using ember::slc::YieldOp;

/// Each read of a stream takes a place in the queue: keeps the first one, and
/// puts reads of single elements before those of rows.
static void tidyReads(CallbackOp callback) {
  DenseMap<std::pair<Value, int64_t>, Value> known;
  Operation *firstRow = nullptr;
  for (StrToValOp toVal :
       llvm::make_early_inc_range(callback.getBody()->getOps<StrToValOp>())) {
    auto [first, isNew] = known.try_emplace(
        {toVal.getStream(), toVal.getLane().value_or(-1)}, toVal.getValue());
    if (!isNew) {
      toVal.getValue().replaceAllUsesWith(first->second);
      toVal.erase();
      continue;
    }
    bool isRow = isa<BufferType>(toVal.getStream().getType());
    if (isRow && !firstRow)
      firstRow = toVal;
    else if (!isRow && firstRow)
      toVal->moveBefore(firstRow);
  }
}

CallbackOp ember::slcv::mergeCallbacks(ArrayRef<CallbackOp> callbacks) {
  if (callbacks.size() < 2)
    return callbacks.empty() ? CallbackOp() : callbacks.front();

  CallbackOp first = callbacks.front();
  Value mask = first.getMask();
  if (!llvm::all_of(callbacks, [&](CallbackOp callback) {
        return callback.getMask() == mask;
      })) {
    for (CallbackOp callback : callbacks)
      slc::dropMask(callback);
    mask = nullptr;
  }

  // Inside the merged callback its parts use each other's values directly;
  // only what others use stays a result.
  SmallPtrSet<Operation *, 4> parts;
  for (CallbackOp callback : callbacks)
    parts.insert(callback);
  Block *block = callbacks.front()->getBlock();
  SmallVector<Value> results, values, otherwise;
  // What another part gives where the mask is false is what it has otherwise.
  DenseMap<Value, Value> withoutMask;
  for (CallbackOp callback : callbacks)
    for (auto [i, result, value] : llvm::enumerate(
             callback.getResults(), callback.getYield().getOperands())) {
      if (mask) {
        Value given = callback.getOtherwise()[i];
        auto earlier = withoutMask.find(given);
        withoutMask[result] =
            earlier == withoutMask.end() ? given : earlier->second;
      }
      result.replaceUsesWithIf(value, [&](OpOperand &use) {
        return parts.contains(block->findAncestorOpInBlock(*use.getOwner()));
      });
      if (result.use_empty())
        continue;
      results.push_back(result);
      values.push_back(value);
      if (mask)
        otherwise.push_back(withoutMask.lookup(result));
    }

  CallbackOp last = callbacks.back();
  OpBuilder builder(last);
  auto merged =
      CallbackOp::create(builder, last.getLoc(), last.getEvent(),
                         ValueRange(values).getTypes(), mask, otherwise);
  Block *body = merged.getBody();
  body->clear();
  for (CallbackOp callback : callbacks) {
    callback.getYield()->erase();
    body->getOperations().splice(body->end(),
                                 callback.getBody()->getOperations());
  }
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, last.getLoc(), values);
  for (auto [before, after] : llvm::zip_equal(results, merged.getResults()))
    before.replaceAllUsesWith(after);
  for (CallbackOp callback : llvm::reverse(callbacks))
    callback.erase();
  tidyReads(merged);
  return merged;
}

CallbackOp ember::slcv::mergeCallbacks(LoopOpInterface loop) {
  return mergeCallbacks(llvm::to_vector(loop.getBody()->getOps<CallbackOp>()));
}

CallbackOp ember::slcv::addResults(CallbackOp callback, ValueRange values) {
  SmallVector<Value> yielded(callback.getYield().getOperands());
  llvm::append_range(yielded, values);
  OpBuilder builder(callback);
  auto longer =
      CallbackOp::create(builder, callback.getLoc(), callback.getEvent(),
                         ValueRange(yielded).getTypes());
  longer->setDiscardableAttrs(callback->getDiscardableAttrDictionary());
  longer.getRegion().takeBody(callback.getRegion());
  longer.getYield()->setOperands(yielded);
  callback->replaceAllUsesWith(
      longer->getResults().take_front(callback.getNumResults()));
  callback.erase();
  return longer;
}
