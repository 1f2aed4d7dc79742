//===- CINCompact.cpp - Results without gaps ------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/IR/ProgramOrder.h"

using namespace mlir;
using namespace ember::cin;

AssignOp CompactOp::getAssignment() {
  for (Operation *user : getUsersInOrder(getResult()))
    if (auto assign = dyn_cast<AssignOp>(user))
      return assign;
  return nullptr;
}

BlockArgument CompactOp::getVariable() {
  AssignOp assign = getAssignment();
  return assign ? dyn_cast<BlockArgument>(assign.getIndices().back())
                : BlockArgument();
}

LogicalResult CompactOp::verify() {
  for (Value array : {getMemory(), getCount()}) {
    auto argument = dyn_cast<BlockArgument>(array);
    auto evaluate = cast<EvaluateOp>((*this)->getParentOp());
    if (!argument || argument.getOwner() != evaluate.getBody() ||
        !evaluate.isInit(argument))
      return emitOpError("is of something else than arrays of outs");
  }
  if (cast<MemRefType>(getCount().getType()).getDimSize(0) == 1)
    return success();
  return emitOpError() << "has a count of type " << getCount().getType()
                       << ", which is not one number";
}

/// Whether `value` depends on one of `variables`.
static bool depends(Value value, ValueRange variables) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (llvm::is_contained(variables, next))
      return true;
    Operation *op = next.getDefiningOp();
    if (op && seen.insert(op).second)
      op->walk([&](Operation *part) {
        llvm::append_range(open, part->getOperands());
      });
  }
  return false;
}

/// An array that stores some of the values of `variable` alone; null if there
/// is none.
static Value findListed(BlockArgument variable) {
  for (Operation *user : getUsersInOrder(variable)) {
    auto access = dyn_cast<AccessOp>(user);
    auto type =
        access ? dyn_cast<ArrayType>(access.getArray().getType()) : ArrayType();
    if (!type)
      continue;
    for (auto [coordinate, level] :
         llvm::zip_equal(getCoordinates(type, access.getIndices()),
                         type.getFormat().getLevels()))
      if (coordinate == variable && level.kind != LevelKind::dense)
        return access.getArray();
  }
  return nullptr;
}

LogicalResult CompactOp::verifyAssignment() {
  auto evaluate = cast<EvaluateOp>((*this)->getParentOp());
  std::string name = evaluate.getNameOf(getResult());
  AssignOp assign = getAssignment();
  for (Operation *user : getUsersInOrder(getResult())) {
    if (isa<AccessOp>(user))
      return user->emitError() << "reads " << name << ", which is stored "
                               << "without gaps";
    if (isa<AssignOp>(user) && user != assign)
      return user->emitError()
             << "is one of several that assign to " << name
             << ", which is stored without gaps: only one can";
  }
  if (!assign)
    return success();
  if (assign.isCombining())
    return assign.emitError() << "combines values with elements of " << name
                              << ", which is stored without gaps";
  BlockArgument variable = getVariable();
  auto forall = variable
                    ? dyn_cast<ForallOp>(variable.getOwner()->getParentOp())
                    : ForallOp();
  OperandRange others = assign.getIndices().drop_back();
  if (!forall || forall.getRanged()[variable.getArgNumber()] ||
      llvm::any_of(others, [&](Value index) {
        return depends(index, ValueRange{variable});
      }))
    return assign.emitError()
           << "assigns to " << name << ", which is stored without gaps: its "
           << "last index has to be a variable without a range, which is part "
              "of no other";
  if (Value listed = findListed(variable))
    return assign.emitError()
           << "assigns to " << name << ", which is stored without gaps, and "
           << evaluate.getNameOf(listed)
           << " does not store all values of the last index: have it dense";
  SmallVector<Value> conditions, variables;
  if (Value condition = assign.getCondition())
    conditions.push_back(condition);
  for (Operation *op = assign->getParentOp(); !isa<EvaluateOp>(op);
       op = op->getParentOp()) {
    if (auto branch = dyn_cast<IfOp>(op))
      conditions.push_back(branch.getCondition());
    if (auto around = dyn_cast<ForallOp>(op))
      llvm::append_range(variables, around.getVariables());
  }
  llvm::erase(variables, variable);
  for (Value condition : conditions)
    if (depends(condition, variables))
      return assign.emitError()
             << "assigns to " << name << ", which is stored without gaps, "
             << "where a condition holds that depends on other variables than "
                "the last index";
  return success();
}
