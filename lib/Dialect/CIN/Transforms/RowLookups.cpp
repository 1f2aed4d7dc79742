//===- RowLookups.cpp - Rows that are looked up, not merged ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLookups.h"

#include "Statement.h"
#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

using namespace mlir;
using namespace ember::cin;

/// Of rows with fewer coordinates, those of all lists together, the loops that
/// fill and clear workspaces take as long as merging does.
static constexpr double kLeastCoordinates = 9;
/// Lists that are so much longer than another one are searched.
static constexpr double kMostTimesLonger = 16;
/// As many workspaces as loops around may have regions.
static constexpr double kRegions = 4;
/// Elements of workspaces that stay in a cache near the processor.
static constexpr double kMostElements = 1 << 16;

bool ember::cin::canLookUp(AccessOp access, BlockArgument variable) {
  auto type = dyn_cast<ArrayType>(access.getArray().getType());
  if (!type || access.getStored() || hasRange(variable) ||
      !isa<ForallOp>(variable.getOwner()->getParentOp()) ||
      getIndexedDimensions(variable).empty())
    return false;
  const Level &last = type.getFormat().getLevels().back();
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  VariableUses uses;
  return last.kind == LevelKind::compressed && last.isUnique &&
         coordinates.back() == variable &&
         llvm::none_of(llvm::drop_end(coordinates), [&](Value above) {
           return uses.depends(above, variable);
         });
}

/// Whether nothing is assigned where the row that `access` reads of stores
/// nothing.
static bool leads(AccessOp access, AssignOp assign) {
  auto type = cast<ArrayType>(access.getArray().getType());
  Fiber fiber{access.getArray(), getCoordinates(type, access.getIndices())};
  return AbstractValues({}, {fiber}).isNoEffect(assign);
}

SmallVector<AccessOp> ember::cin::findLookups(AssignOp assign,
                                              BlockArgument innermost,
                                              OrderCost &cost) {
  SmallVector<AccessOp> listed;
  ForallOp statement = getStatement(assign);
  bool isMergedBeside = false;
  statement.walk([&](AccessOp access) {
    if (canLookUp(access, innermost))
      listed.push_back(access);
    else
      isMergedBeside |= isa<ArrayType>(access.getArray().getType());
  });
  if (cost.isGuess() || isMergedBeside ||
      cost.getExtent(innermost) > kMostElements)
    return {};
  // The longest list that may lead does: walking it takes less than filling a
  // workspace.
  auto getLength = [&](AccessOp access) { return cost.getRowLength(access); };
  AccessOp leader;
  double all = 0, least = kMostElements, most = 0;
  for (AccessOp access : listed) {
    double length = getLength(access);
    all += length;
    least = std::min(least, length);
    most = std::max(most, length);
    if ((!leader || length > getLength(leader)) && leads(access, assign))
      leader = access;
  }
  if (!leader || all < kLeastCoordinates || most > kMostTimesLonger * least)
    return {};
  SmallVector<AccessOp> others;
  for (AccessOp access : listed)
    if (access.getArray() != leader.getArray())
      others.push_back(access);
  // Workspaces are cleared once, as a whole, in each region of the loops
  // around.
  bool isCleared = cost.getRows(leader) * getLength(leader) >=
                   kRegions * cost.getExtent(innermost);
  return isCleared ? others : SmallVector<AccessOp>();
}
