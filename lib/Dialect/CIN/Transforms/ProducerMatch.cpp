//===- ProducerMatch.cpp - What an access reads ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A read of T[j] is what was assigned to T[i] with j for i. If i has all
// positions, j may be any of them. If it has a range, j is a variable of the
// same range, and if there was a condition, the same one guards the read.
//
//===----------------------------------------------------------------------===//

#include "ProducerMatch.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace ember::cin;

ProducerMatch::ProducerMatch(AssignOp producer, ArrayRef<ForallOp> loops)
    : producer(producer) {
  for (ForallOp loop : loops)
    llvm::append_range(variables, loop.getVariables());
}

bool ProducerMatch::unify(Value mine, Value theirs) {
  if (auto variable = dyn_cast<BlockArgument>(mine);
      variable && llvm::is_contained(variables, variable)) {
    auto [place, isNew] = values.insert({mine, theirs});
    return isNew || areEquivalent(place->second, theirs);
  }
  if (mine == theirs)
    return true;
  Operation *left = mine.getDefiningOp(), *right = theirs.getDefiningOp();
  if (!left || !right || isa<ReduceOp>(left) || isNamedArray(mine) ||
      left->getName() != right->getName())
    return false;
  return OperationEquivalence::isEquivalentTo(
      left, right, [&](Value x, Value y) { return success(unify(x, y)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

bool ProducerMatch::isInRange(BlockArgument variable) {
  auto [lower, upper] = getRange(variable);
  if (!lower)
    return true;
  auto theirs = dyn_cast<BlockArgument>(values.lookup(variable));
  if (!theirs || !isa<ForallOp, ReduceOp>(theirs.getOwner()->getParentOp()))
    return false;
  auto [theirLower, theirUpper] = getRange(theirs);
  return theirLower && unify(lower, theirLower) && unify(upper, theirUpper);
}

/// Whether an expression is made of `part`, among others.
static bool isMadeOf(Value value, AccessOp part) {
  Operation *op = value.getDefiningOp();
  if (!op || isNamedArray(value))
    return false;
  if (op->isAncestor(part))
    return true;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isMadeOf(operand, part); });
}

std::string ProducerMatch::find(AccessOp read, AssignOp consumer) {
  values.clear();
  for (auto [mine, theirs] :
       llvm::zip_equal(producer.getIndices(), read.getIndices()))
    if (!unify(mine, theirs))
      return "it is read at indices that do not tell which of its variables' "
             "values assigned there";
  // A range may tell what the variables are that it depends on.
  for (size_t known = 0; known != values.size();) {
    known = values.size();
    for (BlockArgument variable : variables)
      if (values.contains(variable) && !isInRange(variable))
        return "it is assigned to for a range of " + getNameOf(variable) +
               " that is not the one it is read for";
  }
  for (BlockArgument variable : variables)
    if (!values.contains(variable))
      return "no index tells the value of " + getNameOf(variable);
  Value condition = producer.getCondition();
  if (!condition)
    return "";
  // Not by a condition that it is itself read for.
  bool isGuarded =
      llvm::any_of(getConditions(read, consumer), [&](Value theirs) {
        return !isMadeOf(theirs, read) && unify(condition, theirs);
      });
  if (!isGuarded)
    return "it is assigned to under a condition that does not guard what reads "
           "it";
  return "";
}
