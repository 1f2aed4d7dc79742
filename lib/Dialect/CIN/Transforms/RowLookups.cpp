//===- RowLookups.cpp - Rows that are looked up, not merged ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLookups.h"

#include "Statement.h"
#include "ember/Dialect/CIN/Transforms/AbstractValues.h"
#include "ember/Dialect/CIN/Transforms/ShortRows.h"

using namespace mlir;
using namespace ember::cin;

/// Of rows with fewer coordinates, those of all lists together, the loops that
/// fill and clear workspaces take as long as merging does.
static constexpr double kLeastCoordinates = 7;
/// Lists that are so much longer than another one are searched.
static constexpr double kMostTimesLonger = 16;
/// As many workspaces as loops around may have regions.
static constexpr double kRegions = 4;
/// Rows of this part of what is compared at once are rarely longer than that.
static constexpr double kScannedPart = 0.75;
/// Elements of workspaces that stay in a cache near the processor.
static constexpr double kMostElements = 1 << 16;

/// Whether a variable is that of a loop, or alone in a reduction that no other
/// one is around.
static bool isBoundAlone(BlockArgument variable) {
  auto reduce = dyn_cast<ReduceOp>(variable.getOwner()->getParentOp());
  return !reduce || (reduce.getVariables().size() == 1 &&
                     !reduce->getParentOfType<ReduceOp>());
}

bool ember::cin::canLookUp(AccessOp access, BlockArgument variable) {
  auto type = dyn_cast<ArrayType>(access.getArray().getType());
  if (!type || access.getStored() || hasRange(variable) ||
      !isBoundAlone(variable) || getIndexedDimensions(variable).empty())
    return false;
  const Level &last = type.getFormat().getLevels().back();
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  VariableUses uses;
  return last.kind == LevelKind::compressed && last.isUnique &&
         coordinates.back() == variable &&
         !isShifted({access.getArray(), coordinates}) &&
         llvm::none_of(llvm::drop_end(coordinates), [&](Value above) {
           return uses.depends(above, variable);
         });
}

size_t ember::cin::countLoopsOf(AccessOp access,
                                ArrayRef<BlockArgument> loops) {
  auto type = cast<ArrayType>(access.getArray().getType());
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  VariableUses uses;
  size_t count = 0;
  for (auto [number, loop] : llvm::enumerate(loops))
    for (Value above : llvm::drop_end(coordinates))
      if (uses.depends(above, loop))
        count = number + 1;
  return count;
}

/// Whether nothing is assigned, or nothing combined by the reduction that
/// `reduce` is, where the row that `access` reads of stores nothing.
static bool leads(AccessOp access, AssignOp assign, ReduceOp reduce) {
  auto type = cast<ArrayType>(access.getArray().getType());
  Fiber fiber{access.getArray(), getCoordinates(type, access.getIndices())};
  AbstractValues values({}, {fiber});
  return reduce ? values.isIdentity(reduce) : values.isNoEffect(assign);
}

SmallVector<AccessOp> ember::cin::findLookups(AssignOp assign,
                                              ArrayRef<BlockArgument> loops,
                                              BlockArgument innermost,
                                              OrderCost &cost) {
  Operation *binding = innermost.getOwner()->getParentOp();
  auto reduce = dyn_cast<ReduceOp>(binding);
  Operation *scope = reduce ? binding : getStatement(assign).getOperation();
  SmallVector<AccessOp> listed;
  bool isMergedBeside = false;
  scope->walk([&](AccessOp access) {
    if (canLookUp(access, innermost))
      listed.push_back(access);
    else
      isMergedBeside |= isa<ArrayType>(access.getArray().getType());
  });
  if (cost.isGuess() || isMergedBeside ||
      cost.getExtent(innermost) > kMostElements)
    return {};
  // Of those that may lead, the one that changes in the innermost loop does, as
  // the others are put in workspaces outside of that; then the longest, since
  // walking a list takes less than filling a workspace.
  auto rank = [&](AccessOp access) {
    return std::pair(countLoopsOf(access, loops), cost.getRowLength(access));
  };
  AccessOp leader;
  for (AccessOp access : listed)
    if (leads(access, assign, reduce) &&
        (!leader || rank(access) > rank(leader)))
      leader = access;
  if (!leader)
    return {};
  auto [depth, length] = rank(leader);
  double all = length;
  double scanned = kScannedPart * double(countScanned(assign));
  bool areScanned = true;
  SmallVector<AccessOp> others;
  for (AccessOp access : listed) {
    if (access == leader)
      continue;
    if (access.getArray() == leader.getArray())
      return {};
    auto [theirDepth, theirLength] = rank(access);
    bool isLong =
        theirDepth == depth && theirLength > kMostTimesLonger * length;
    if (isLong || length > kMostTimesLonger * theirLength)
      return {};
    areScanned &= theirDepth == depth && theirLength <= scanned;
    all += theirLength;
    others.push_back(access);
  }
  // Workspaces are cleared once, as a whole, in each region of the loops
  // around.
  bool isCleared =
      cost.getRows(leader) * length >= kRegions * cost.getExtent(innermost);
  bool areLookedUp = all >= kLeastCoordinates && isCleared && !areScanned;
  return areLookedUp ? others : SmallVector<AccessOp>();
}
