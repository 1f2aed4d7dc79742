//===- LoopOrder.cpp - Which loops formats want outside -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopOrder.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"

using namespace mlir;
using namespace ember::cin;

LoopOrder::LoopOrder(ForallOp statement, VariableUses &uses) {
  auto addRanges = [&](auto op) {
    for (BlockArgument variable : op.getVariables())
      for (Value bound : {op.getLower(variable.getArgNumber()),
                          op.getUpper(variable.getArgNumber())})
        if (bound)
          for (Value outer : uses.of(bound)) {
            later[outer].insert(variable);
            ranged[outer].insert(variable);
          }
  };
  statement.walk([&](Operation *op) {
    if (auto forall = dyn_cast<ForallOp>(op))
      addRanges(forall);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      addRanges(reduce);
    else if (auto access = dyn_cast<AccessOp>(op)) {
      if (auto type = dyn_cast<ArrayType>(access.getArray().getType()))
        add(type, access.getIndices(), /*isTarget=*/false, uses);
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      if (auto type = dyn_cast<ArrayType>(assign.getArray().getType()))
        add(type, assign.getIndices(), /*isTarget=*/true, uses);
    }
  });
  close(later);
  close(ranged);
}

void LoopOrder::add(ArrayType type, ValueRange indices, bool isTarget,
                    VariableUses &uses) {
  SmallVector<Value> coordinates = getCoordinates(type, indices);
  SmallVector<Value> above;
  for (auto [coordinate, level] :
       llvm::zip_equal(coordinates, type.getFormat().getLevels())) {
    bool isVariable = isa<BlockArgument>(coordinate);
    if (isVariable && (level.isListed() || isTarget))
      for (Value outer : above)
        if (outer != coordinate)
          later[outer].insert(coordinate);
    if (isVariable && !isTarget && level.kind != LevelKind::dense)
      walked.insert(coordinate);
    if (isVariable && !isTarget && !level.isUnique)
      repeated.insert(coordinate);
    const DenseSet<Value> &variables = uses.of(coordinate);
    above.append(variables.begin(), variables.end());
  }
}

void LoopOrder::close(Relation &relation) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto &[outer, inner] : relation)
      for (Value variable : llvm::to_vector(inner)) {
        auto more = relation.find(variable);
        if (more == relation.end())
          continue;
        for (Value further : llvm::to_vector(more->second))
          isChanged |= inner.insert(further).second;
      }
  }
}

SmallVector<BlockArgument>
LoopOrder::sort(ArrayRef<BlockArgument> variables) const {
  SmallVector<BlockArgument> left(variables), sorted;
  auto findFirst = [&](const Relation &relation) {
    return llvm::find_if(left, [&](BlockArgument variable) {
      return llvm::none_of(left, [&](BlockArgument other) {
        return other != variable && holds(relation, other, variable);
      });
    });
  };
  while (!left.empty()) {
    auto *next = findFirst(later);
    if (next == left.end())
      next = findFirst(ranged);
    assert(next != left.end() && "ranges do not depend on each other");
    sorted.push_back(*next);
    left.erase(next);
  }
  return sorted;
}
