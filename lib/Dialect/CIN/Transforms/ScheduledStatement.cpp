//===- ScheduledStatement.cpp - A statement and its loops' order ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledStatement.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ember::cin;

bool ember::cin::isPartOfExpression(Operation *op) {
  return !isa<AssignOp, ForallOp, IfOp, WhereOp>(op);
}

bool ember::cin::hasRange(BlockArgument variable) {
  Operation *binding = variable.getOwner()->getParentOp();
  ArrayRef<bool> ranged = isa<ForallOp>(binding)
                              ? cast<ForallOp>(binding).getRanged()
                              : cast<ReduceOp>(binding).getRanged();
  return ranged[variable.getArgNumber()];
}

void ember::cin::nameVariables(ForallOp statement) {
  llvm::StringSet<> taken;
  Builder builder(statement.getContext());
  auto findName = [&](StringRef wanted) {
    std::string name = wanted.str();
    for (unsigned more = 1; !taken.insert(name).second; ++more)
      name = (wanted + "_" + Twine(more)).str();
    return name;
  };
  auto set = [&](auto op) {
    SmallVector<Attribute> names;
    for (BlockArgument variable : op.getVariables()) {
      unsigned number = variable.getArgNumber();
      std::string wanted =
          op.getNames() ? op.getNameOf(number) : "v" + std::to_string(number);
      names.push_back(builder.getStringAttr(findName(wanted)));
    }
    if (!names.empty())
      op.setNamesAttr(builder.getArrayAttr(names));
  };
  statement->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto forall = dyn_cast<ForallOp>(op))
      set(forall);
    else if (auto reduce = dyn_cast<ReduceOp>(op))
      set(reduce);
  });
}

/// The only statement in a block; null if there are others.
static Operation *getOnlyStatement(Block &block) {
  Operation *only = nullptr;
  for (Operation &op : block) {
    if (isPartOfExpression(&op))
      continue;
    if (only)
      return nullptr;
    only = &op;
  }
  return only;
}

LoopChain::LoopChain(ForallOp outermost) {
  for (ForallOp loop = outermost; loop;) {
    loops.push_back(loop);
    llvm::append_range(variables, loop.getVariables());
    auto inner = dyn_cast_or_null<ForallOp>(getOnlyStatement(*loop.getBody()));
    // Loops with a schedule of their own are ordered by it.
    loop = inner && !inner.getSchedule() ? inner : nullptr;
  }
}

AssignOp LoopChain::getAssignment() {
  return dyn_cast_or_null<AssignOp>(getOnlyStatement(body()));
}

ScheduledOrder::ScheduledOrder(ForallOp statement) {
  llvm::SmallVector<BlockArgument> bound =
      ember::cin::getBoundVariables(statement);
  if (std::optional<ScheduleAttr> schedule = statement.getSchedule())
    for (StringAttr name : schedule->getOrder())
      for (BlockArgument variable : bound)
        if (getVariableName(variable) == name.getValue())
          variables.push_back(variable);
  for (BlockArgument variable : bound)
    if (!llvm::is_contained(variables, variable))
      variables.push_back(variable);
  number();
}

ScheduledOrder::ScheduledOrder(ArrayRef<BlockArgument> order)
    : variables(order) {
  number();
}

void ScheduledOrder::number() {
  for (auto [position, variable] : llvm::enumerate(variables))
    positions[variable] = position;
}

SmallVector<BlockArgument>
ScheduledOrder::sort(ArrayRef<BlockArgument> some) const {
  SmallVector<BlockArgument> sorted(some);
  llvm::sort(sorted,
             [&](BlockArgument a, BlockArgument b) { return isBefore(a, b); });
  return sorted;
}

LogicalResult ember::cin::verifyAppends(AssignOp assign,
                                        ArrayRef<BlockArgument> order) {
  auto compact = assign.getArray().getDefiningOp<CompactOp>();
  if (compact && order.front() != compact.getVariable())
    return assign.emitError()
           << "assigns to an array that is stored without gaps, and the loop "
              "over its last index is not the outermost one";
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (!type || !assign.getArray().getDefiningOp<AssembleOp>())
    return success();
  SmallVector<Value> coordinates = getCoordinates(type, assign.getIndices());
  if (llvm::equal(coordinates, order))
    return success();
  // Indices that are no loops' variables lead to their places, in any order.
  bool areVariables =
      llvm::all_of(llvm::enumerate(coordinates), [&](auto pair) {
        auto [level, coordinate] = pair;
        return isa<BlockArgument>(coordinate) &&
               !llvm::is_contained(ArrayRef(coordinates).take_front(level),
                                   coordinate);
      });
  if (type.getFormat().isLocated() && !areVariables)
    return success();
  return assign.emitError()
         << "appends to an array in another order than that of its levels: "
            "ranges and formats want other loops outside; assign to an array "
            "in another format";
}
