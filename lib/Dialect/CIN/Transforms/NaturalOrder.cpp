//===- NaturalOrder.cpp - The order that formats and rows ask for ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderChoice.h"
#include "RowReductions.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::cin;

namespace {
/// Finds the order of one statement.
class OrderChooser {
public:
  OrderChooser(ForallOp statement, AssignOp assign,
               ArrayRef<BlockArgument> variables)
      : statement(statement), assign(assign), variables(variables),
        formats(statement, uses) {}

  SmallVector<BlockArgument> run();

private:
  /// Whether rows lie along a variable: wherever it decides on an index, it is
  /// the index itself, and the last one.
  bool isOfRows(BlockArgument variable);
  /// Whether a variable of a reduction can be outside of all rows.
  bool isOutside(BlockArgument variable, ArrayRef<BlockArgument> rows);
  /// Whether some sum is of rows.
  bool hasRowSums(ArrayRef<BlockArgument> rows);
  SmallVector<BlockArgument> findRows();

  ForallOp statement;
  AssignOp assign;
  SmallVector<BlockArgument> variables;
  VariableUses uses;
  LoopOrder formats;
};
} // namespace

bool OrderChooser::isOfRows(BlockArgument variable) {
  bool isUsedAlone = llvm::all_of(variable.getUsers(), [](Operation *user) {
    return isa<AccessOp, AssignOp>(user);
  });
  if (!isUsedAlone || hasRange(variable))
    return false;
  bool hasRow = false;
  auto isOfRow = [&](OperandRange indices) {
    if (indices.empty())
      return true;
    bool isElsewhere = llvm::any_of(indices, [&](Value index) {
      return index != variable && uses.depends(index, variable);
    });
    hasRow |= indices.size() > 1 && indices.back() == variable;
    return !isElsewhere && !llvm::is_contained(indices.drop_back(), variable);
  };
  WalkResult walk = statement.walk([&](Operation *op) {
    bool isRow = true;
    if (auto access = dyn_cast<AccessOp>(op))
      isRow = isOfRow(access.getIndices());
    else if (auto assignment = dyn_cast<AssignOp>(op))
      isRow = isOfRow(assignment.getIndices());
    return isRow ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasRow && !walk.wasInterrupted();
}

bool OrderChooser::isOutside(BlockArgument variable,
                             ArrayRef<BlockArgument> rows) {
  return llvm::none_of(
      rows, [&](BlockArgument row) { return formats.precedes(row, variable); });
}

bool OrderChooser::hasRowSums(ArrayRef<BlockArgument> rows) {
  bool areSums = true;
  auto dependsOnRows = [&](Value value) {
    return llvm::any_of(
        rows, [&](BlockArgument row) { return uses.depends(value, row); });
  };
  bool isAny = false;
  statement.walk([&](ReduceOp reduce) {
    bool isRowSum =
        !reduce->getParentOfType<ReduceOp>() && dependsOnRows(reduce) &&
        llvm::none_of(reduce->getOperands(), dependsOnRows) &&
        llvm::any_of(reduce.getVariables(), [&](BlockArgument variable) {
          return isOutside(variable, rows);
        });
    isAny |= isRowSum;
    if (isRowSum && !canBegin(reduce))
      areSums = false;
  });
  return isAny && areSums;
}

SmallVector<BlockArgument> OrderChooser::findRows() {
  SmallVector<BlockArgument> reduced, rows;
  statement.walk([&](ReduceOp reduce) {
    if (!reduce->getParentOfType<ReduceOp>())
      llvm::append_range(reduced, reduce.getVariables());
  });
  // Where a format has what is reduced outside.
  for (BlockArgument variable : variables)
    if (llvm::any_of(reduced, [&](BlockArgument other) {
          return formats.precedes(other, variable);
        }))
      rows.push_back(variable);
  // A variable that walks an array has fewer values than a row.
  bool hasRow = !variables.empty() && isOfRows(variables.back()) &&
                !formats.walks(variables.back());
  if (hasRow && !llvm::is_contained(rows, variables.back()))
    rows.push_back(variables.back());
  if (!hasRowSums(rows))
    rows.clear();
  return rows;
}

SmallVector<BlockArgument> OrderChooser::run() {
  // What is appended to decides where formats contradict each other.
  if (auto type = dyn_cast<ArrayType>(assign.getArray().getType())) {
    llvm::SetVector<BlockArgument> all;
    for (Value index : getCoordinates(type, assign.getIndices()))
      if (auto variable = dyn_cast<BlockArgument>(index);
          variable && llvm::is_contained(variables, variable))
        all.insert(variable);
    all.insert(variables.begin(), variables.end());
    variables = all.takeVector();
  }
  SmallVector<BlockArgument> rows = findRows(), outer, around, inside;
  for (BlockArgument variable : variables)
    if (!llvm::is_contained(rows, variable))
      outer.push_back(variable);
  statement->walk<WalkOrder::PreOrder>([&](ReduceOp reduce) {
    bool isOfRows = llvm::any_of(rows, [&](BlockArgument row) {
      return uses.depends(reduce.getResult(), row);
    });
    SmallVector<BlockArgument> mine[2];
    for (BlockArgument variable : reduce.getVariables())
      mine[isOfRows && isOutside(variable, rows)].push_back(variable);
    llvm::append_range(inside, formats.sort(mine[0]));
    llvm::append_range(around, formats.sort(mine[1]));
  });
  SmallVector<BlockArgument> order = formats.sort(outer);
  llvm::append_range(order, around);
  llvm::append_range(order, formats.sort(rows));
  llvm::append_range(order, inside);
  // What is stored without gaps is so in one go over its positions.
  if (auto compact = assign.getArray().getDefiningOp<CompactOp>()) {
    auto *counted = llvm::find(order, compact.getVariable());
    std::rotate(order.begin(), counted, std::next(counted));
  }
  return order;
}

SmallVector<BlockArgument>
ember::cin::findNaturalOrder(ForallOp statement, AssignOp assign,
                             ArrayRef<BlockArgument> variables) {
  return OrderChooser(statement, assign, variables).run();
}
