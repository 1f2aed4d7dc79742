//===- RowReductions.cpp - Sums that are added up row by row --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowReductions.h"

using namespace mlir;
using namespace ember::cin;

bool ember::cin::canBegin(ReduceOp reduce) {
  if (reduce.getOtherwise())
    return reduce.getVariables().size() == 1 &&
           !reduce.getYield().getCondition();
  return !!reduce.getFunction().getIdentity(reduce.getType());
}

bool ember::cin::isAskedFor(ReduceOp reduce) {
  return llvm::any_of(reduce->getUsers(), llvm::IsaPred<StoredOp>);
}

RowReductions::RowReductions(ForallOp statement,
                             ArrayRef<BlockArgument> variables,
                             const ScheduledOrder &order, VariableUses &uses)
    : order(order), uses(uses) {
  // The outermost variable of a reduction that is outside of one that it
  // depends on.
  BlockArgument first;
  statement.walk([&](ReduceOp reduce) {
    if (reduce->getParentOfType<ReduceOp>() || !canBegin(reduce))
      return;
    for (BlockArgument mine : reduce.getVariables())
      for (BlockArgument variable : variables)
        if (order.isBefore(mine, variable) &&
            uses.depends(reduce.getResult(), variable) &&
            (!first || order.isBefore(mine, first)))
          first = mine;
  });
  for (BlockArgument variable : variables)
    (first && order.isBefore(first, variable) ? rowVariables : outerVariables)
        .push_back(variable);
}

bool RowReductions::dependsOnRows(Value value) {
  return llvm::any_of(rowVariables, [&](BlockArgument row) {
    return uses.depends(value, row);
  });
}

SmallVector<BlockArgument> RowReductions::getOuter(ReduceOp reduce) const {
  SmallVector<BlockArgument> outside;
  for (BlockArgument variable : reduce.getVariables())
    if (rowVariables.empty() || order.isBefore(variable, rowVariables.back()))
      outside.push_back(variable);
  return order.sort(outside);
}

StatementNest::Steps RowReductions::getInner(ReduceOp reduce) const {
  SmallVector<BlockArgument> outside = getOuter(reduce);
  SmallVector<unsigned> inside;
  for (BlockArgument variable : reduce.getVariables())
    if (!llvm::is_contained(outside, variable))
      inside.push_back(variable.getArgNumber());
  if (inside.empty())
    return {};
  return {inside};
}

SmallVector<ReduceOp> RowReductions::find(ValueRange values) {
  SmallVector<ReduceOp> found;
  if (rowVariables.empty())
    return found;
  SmallVector<Value> open(values);
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second || !dependsOnRows(value))
      continue;
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isOuter = reduce && canBegin(reduce) && !getOuter(reduce).empty() &&
                   llvm::none_of(op->getOperands(), [&](Value bound) {
                     return dependsOnRows(bound);
                   });
    if (isOuter)
      found.push_back(reduce);
    else if (!reduce)
      llvm::append_range(open, op->getOperands());
  }
  return found;
}
