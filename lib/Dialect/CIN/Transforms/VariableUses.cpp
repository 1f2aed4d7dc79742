//===- VariableUses.cpp - What expressions depend on ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableUses.h"

#include "ScheduledStatement.h"

using namespace mlir;
using namespace ember::cin;

/// The variables around `access` of loops that also assign to its array, where
/// these do several things: it may be another element's value each time.
static SmallVector<Value> findAssigning(AccessOp access) {
  SmallVector<Value> variables;
  for (Operation *around = access->getParentOp(); !isa<EvaluateOp>(around);
       around = around->getParentOp()) {
    auto loop = dyn_cast<ForallOp>(around);
    bool isAssigned =
        loop && !LoopChain(loop).getAssignment() &&
        llvm::any_of(access.getArray().getUsers(), [&](Operation *user) {
          return isa<AssignOp>(user) && loop->isProperAncestor(user);
        });
    if (isAssigned)
      llvm::append_range(variables, loop.getVariables());
  }
  return variables;
}

const DenseSet<Value> &VariableUses::of(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  DenseSet<Value> variables;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!isa<EvaluateOp>(argument.getOwner()->getParentOp()))
      variables.insert(argument);
  } else {
    Operation *op = value.getDefiningOp();
    auto add = [&](ValueRange values) {
      for (Value operand : values) {
        const DenseSet<Value> &more = of(operand);
        variables.insert(more.begin(), more.end());
      }
    };
    add(op->getOperands());
    if (auto access = dyn_cast<AccessOp>(op))
      add(findAssigning(access));
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      add(reduce.getYield()->getOperands());
      for (BlockArgument mine : reduce.getVariables())
        variables.erase(mine);
    }
  }
  return known.insert({value, std::move(variables)}).first->second;
}
