//===- DeadCarriedValues.cpp - What loops carry for nobody ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeadCarriedValues.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {
/// The values of a nest from which something follows: a store, a condition, a
/// bound, or a value outside of the nest.
class LiveValues {
public:
  explicit LiveValues(scf::ForOp root);

  bool contains(Value value) const { return values.contains(value); }

private:
  void addRoots(Operation *op);
  void addSources(Value value);
  void addCarried(scf::ForOp loop, unsigned position);

  SetVector<Value> values;
};
} // namespace

/// True if the operands of `op` matter only if a result of it does.
static bool onlyComputes(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

void LiveValues::addRoots(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    values.insert(loop.getLowerBound());
    values.insert(loop.getUpperBound());
    values.insert(loop.getStep());
    return;
  }
  bool isYield = isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp());
  if (!isYield && !onlyComputes(op))
    values.insert(op->operand_begin(), op->operand_end());
}

/// The carried value at `position` matters: so does what it is made of.
void LiveValues::addCarried(scf::ForOp loop, unsigned position) {
  values.insert(loop.getRegionIterArgs()[position]);
  values.insert(loop.getInitArgs()[position]);
  values.insert(loop.getYieldedValues()[position]);
}

void LiveValues::addSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument != loop.getInductionVar())
      addCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    return;
  }
  auto result = cast<OpResult>(value);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    addCarried(loop, result.getResultNumber());
  else if (onlyComputes(result.getOwner()))
    values.insert(result.getOwner()->operand_begin(),
                  result.getOwner()->operand_end());
}

LiveValues::LiveValues(scf::ForOp root) {
  root->walk([&](Operation *op) { addRoots(op); });
  for (Value result : root.getResults())
    if (!result.use_empty())
      values.insert(result);
  for (size_t i = 0; i < values.size(); ++i)
    addSources(values[i]);
}

/// Replaces `loop` by one that carries what is alive only.
static scf::ForOp dropDead(scf::ForOp loop, const LiveValues &alive) {
  BitVector dead(loop.getNumRegionIterArgs());
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    dead[i] = !alive.contains(argument);
  if (dead.none())
    return loop;
  auto keep = [&](auto &&range) {
    SmallVector<Value> kept;
    for (auto [i, value] : llvm::enumerate(range))
      if (!dead[i])
        kept.push_back(value);
    return kept;
  };
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto shorter = scf::ForOp::create(
      rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), keep(loop.getInitArgs()), nullptr, loop.getUnsignedCmp());
  shorter->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(keep(loop.getYieldedValues()));
  // What is dead is used by dead code only.
  SmallVector<Value> arguments{shorter.getInductionVar()};
  unsigned next = 0;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    arguments.push_back(dead[i] ? init
                                : Value(shorter.getRegionIterArgs()[next++]));
  if (!shorter.getBody()->empty())
    rewriter.eraseOp(shorter.getBody()->getTerminator());
  rewriter.mergeBlocks(loop.getBody(), shorter.getBody(), arguments);
  next = 0;
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceAllUsesWith(dead[i] ? loop.getInitArgs()[i]
                                      : Value(shorter.getResult(next++)));
  loop.erase();
  return shorter;
}

void ember::dropDeadCarriedValues(scf::ForOp &root) {
  LiveValues alive(root);
  // Loops within first: the carried values of `alive` are those of loops that
  // have not been replaced yet.
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    bool isRoot = loop == root;
    scf::ForOp shorter = dropDead(loop, alive);
    if (isRoot)
      root = shorter;
  }
  // What computed the values that are not carried any more is compute code too.
  IRRewriter rewriter(root.getContext());
  (void)runRegionDCE(rewriter, root->getRegions());
}
