//===- CheckHoisting.cpp - Run-time checks leave loops --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check stays in a loop only if it depends on something that changes there.
// An index that changes with the induction variable, one for one, covers a
// range over the whole loop, and the range is checked in front of it:
//
//   for i = lb to ub step s { check x + i < n }
//     ->  if lb < ub: check x + lb <= x + last < n;  last = the final i
//
//===----------------------------------------------------------------------===//

#include "RangeCheck.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace ember::checks {

/// Whether nothing but `iv` in `expr` is defined inside `loop`.
static bool isInvariantBut(const IndexExpr &expr, Value iv, scf::ForOp loop) {
  return llvm::all_of(expr.getTerms(), [&](const IndexExpr::Term &term) {
    return term.first == iv || loop.isDefinedOutsideOfLoop(term.first);
  });
}

static bool isInvariant(const IndexExpr &expr, scf::ForOp loop) {
  return isInvariantBut(expr, Value(), loop);
}

/// Replaces the points of `check`, which all contain the induction variable of
/// `loop` once, by the range they cover over the loop.
static void coverLoop(RangeCheck &check, scf::ForOp loop, IndexExprs &exprs) {
  Value iv = loop.getInductionVar();
  IndexExpr lower = exprs.of(loop.getLowerBound());
  IndexExpr last = exprs.lastIteration(loop);
  IndexExpr first = check.points.front().substituted(iv, lower);
  for (IndexExpr &point : check.points)
    point = point.substituted(iv, last);
  if (first != check.points.front())
    check.points.insert(check.points.begin(), first);
}

/// Whether counters of `loop` are known not to be negative, so that distances
/// to its bound do not wrap.
static bool startsAtZeroOrAbove(scf::ForOp loop, IndexExprs &exprs) {
  IndexExpr lower = exprs.of(loop.getLowerBound());
  std::optional<int64_t> constant = lower.asConstant();
  return (constant && *constant >= 0) || exprs.isSize(lower);
}

/// Drops guards that say what `loop` says itself: that its counter is below its
/// bound. A mask of the elements that are left is of this kind.
static void dropImpliedGuards(RangeCheck &check, scf::ForOp loop,
                              IndexExprs &exprs) {
  IndexExpr left =
      exprs.of(loop.getUpperBound()) - IndexExpr(loop.getInductionVar());
  if (startsAtZeroOrAbove(loop, exprs))
    llvm::erase_if(check.guards, [&](const auto &guard) {
      return guard.first.asConstant() == 0 && guard.second == left;
    });
}

/// Handles a masked access that advances by at most its vector length and whose
/// mask stops at the end of the loop: together the iterations access
/// everything up to that end. Returns false where this is not so.
static bool coverMaskedLoop(RangeCheck &check, scf::ForOp loop, int64_t step,
                            IndexExprs &exprs) {
  Value iv = loop.getInductionVar();
  IndexExpr upper = exprs.of(loop.getUpperBound());
  if (step > check.lanes || !startsAtZeroOrAbove(loop, exprs) ||
      *check.activeLanes != upper - IndexExpr(iv) || check.points.size() != 1 ||
      check.points.front().coefficient(iv) != 1)
    return false;
  IndexExpr first = check.points.front();
  IndexExpr lower = exprs.of(loop.getLowerBound());
  check.points = {first.substituted(iv, lower),
                  first.substituted(iv, upper) + (-1)};
  check.activeLanes.reset();
  return true;
}

/// Moves `check` in front of `loop`; false where it must stay inside.
static bool leaveLoop(RangeCheck &check, scf::ForOp loop, IndexExprs &exprs) {
  Value iv = loop.getInductionVar();
  if (loop.getUnsignedCmp() ||
      !(iv.getType().isIndex() || iv.getType().isInteger(64)))
    return false;
  dropImpliedGuards(check, loop, exprs);
  auto outside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  if (!isInvariant(check.size, loop) ||
      (check.memref && !outside(check.memref)) ||
      !llvm::all_of(check.conditions, outside))
    return false;
  for (const IndexExpr &point : check.points)
    if (!isInvariantBut(point, iv, loop))
      return false;

  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  bool stepsForward = step && *step > 0;
  bool covered = check.activeLanes && stepsForward &&
                 coverMaskedLoop(check, loop, *step, exprs);
  if (!covered && check.activeLanes && !isInvariant(*check.activeLanes, loop))
    return false;
  for (const auto &[less, more] : check.guards)
    if (!isInvariant(less, loop) || !isInvariant(more, loop))
      return false;

  if (!covered) {
    int64_t factor = check.points.front().coefficient(iv);
    for (const IndexExpr &point : check.points)
      if (point.coefficient(iv) != factor)
        return false;
    if (factor != 0 && (factor != 1 || !stepsForward))
      return false;
    // Lanes of a mask that is the same in each iteration end where the last
    // point does, which must then be known.
    if (factor != 0 && check.activeLanes)
      return false;
    if (factor == 1)
      coverLoop(check, loop, exprs);
  }
  check.guards.push_back(
      {exprs.of(loop.getLowerBound()), exprs.of(loop.getUpperBound())});
  check.anchor = loop;
  return true;
}

unsigned hoistCheck(RangeCheck &check, IndexExprs &exprs) {
  unsigned loops = 0;
  while (auto loop = dyn_cast<scf::ForOp>(check.anchor->getParentOp())) {
    if (!leaveLoop(check, loop, exprs))
      break;
    ++loops;
  }
  return loops;
}

bool isProvenByLoops(RangeCheck check, IndexExprs &exprs) {
  // Without its guards the check says more, and guards are what can keep it
  // from leaving loops. If it holds for all of a loop, it holds.
  check.guards.clear();
  check.conditions.clear();
  while (true) {
    Operation *parent = check.anchor->getParentOp();
    if (isa<scf::IfOp>(parent)) {
      check.anchor = parent;
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || !leaveLoop(check, loop, exprs))
      return false;
    if (findOpenComparisons(check, exprs).empty())
      return true;
  }
}

} // namespace ember::checks
