//===- ConditionOrder.cpp - Where conditions of a nest stand --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionOrder.h"

#include "ScheduledStatement.h"

using namespace mlir;
using namespace ember::cin;

SmallVector<Value> ember::cin::getConjuncts(Value condition) {
  SmallVector<Value> conditions;
  if (condition)
    addConjuncts(condition, conditions);
  return conditions;
}

/// Whether an index is in bounds wherever loops come to.
static bool isWithin(Value index) {
  auto variable = dyn_cast<BlockArgument>(index);
  return variable &&
         isa<ForallOp, ReduceOp>(variable.getOwner()->getParentOp()) &&
         !hasRange(variable);
}

/// Whether a value can be computed where nothing says that it is needed.
static bool isHarmless(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  auto areHarmless = [](ValueRange operands) {
    return llvm::all_of(operands, isHarmless);
  };
  if (auto access = dyn_cast<AccessOp>(op))
    return !isa<ArrayType>(access.getArray().getType()) &&
           llvm::all_of(access.getIndices(), isWithin);
  if (auto call = dyn_cast<CallOp>(op))
    return isTotal(call) && areHarmless(call.getOperands());
  if (auto apply = dyn_cast<ApplyOp>(op))
    return areHarmless(apply.getOperands());
  return isa<ExtentOp, LiteralOp>(op);
}

static bool canFail(Operation *op) {
  if (auto access = dyn_cast<AccessOp>(op))
    return !llvm::all_of(access.getIndices(), isWithin);
  auto call = dyn_cast<CallOp>(op);
  return call && !isTotal(call);
}

bool ember::cin::mayFail(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  // The operation itself, and what is in a reduction.
  WalkResult found = op->walk([](Operation *inner) {
    return canFail(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted() || llvm::any_of(op->getOperands(), mayFail);
}

SmallVector<Value> ember::cin::takeOutside(SmallVectorImpl<Value> &conditions,
                                           ArrayRef<BlockArgument> variables,
                                           VariableUses &uses) {
  SmallVector<Value> taken, left;
  for (Value condition : conditions) {
    bool isInside = llvm::any_of(variables, [&](BlockArgument variable) {
      return uses.depends(condition, variable);
    });
    bool staysBehind = !left.empty() && !isHarmless(condition);
    (isInside || staysBehind ? left : taken).push_back(condition);
  }
  conditions.assign(left.begin(), left.end());
  return taken;
}
