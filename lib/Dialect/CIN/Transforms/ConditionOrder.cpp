//===- ConditionOrder.cpp - Where conditions of a nest stand --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionOrder.h"

#include "ScheduledStatement.h"

#include "llvm/ADT/SmallPtrSet.h"

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

/// Whether `check` finds one among the operations that a value is computed by,
/// those in reductions included: each is asked once.
static bool isAnyOf(Value value, llvm::function_ref<bool(Operation *)> check) {
  SmallVector<Operation *> open;
  llvm::SmallPtrSet<Operation *, 16> seen;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && seen.insert(op).second)
      open.push_back(op);
  };
  add(value);
  while (!open.empty()) {
    WalkResult found = open.pop_back_val()->walk([&](Operation *op) {
      llvm::for_each(op->getOperands(), add);
      return check(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return true;
  }
  return false;
}

bool ember::cin::mayFail(Value value) {
  return isAnyOf(value, [](Operation *op) {
    if (auto access = dyn_cast<AccessOp>(op))
      return !llvm::all_of(access.getIndices(), isWithin);
    auto call = dyn_cast<CallOp>(op);
    return call && !isTotal(call);
  });
}

/// Whether a value can be computed where nothing says that it is needed: it
/// fails nowhere, and takes no walk.
static bool isHarmless(Value value) {
  auto isWalked = [](Operation *op) {
    auto access = dyn_cast<AccessOp>(op);
    return !isa<AccessOp, CallOp, ApplyOp, ExtentOp, LiteralOp>(op) ||
           (access && isa<ArrayType>(access.getArray().getType()));
  };
  return !mayFail(value) && !isAnyOf(value, isWalked);
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

SmallVector<size_t> ember::cin::getDepths(ArrayRef<Value> conditions,
                                          ArrayRef<BlockArgument> order,
                                          VariableUses &uses) {
  SmallVector<size_t> depths;
  size_t deepest = 0;
  for (Value condition : conditions) {
    size_t depth = isHarmless(condition) ? 0 : deepest;
    for (auto [number, variable] : llvm::enumerate(order))
      if (uses.depends(condition, variable))
        depth = std::max(depth, number + 1);
    depths.push_back(depth);
    deepest = std::max(deepest, depth);
  }
  return depths;
}

bool ember::cin::looksUp(Value value, Value lookup) {
  auto same = lookup.getDefiningOp<AccessOp>();
  return same && isAnyOf(value, [&](Operation *op) {
           auto access = dyn_cast<AccessOp>(op);
           return access && access.getArray() == same.getArray() &&
                  llvm::equal(access.getIndices(), same.getIndices());
         });
}
