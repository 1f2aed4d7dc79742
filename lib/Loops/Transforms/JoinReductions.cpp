//===- JoinReductions.cpp - One loop for sums over the same range ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/OnlyReads.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_JOINREDUCTIONS
#include "ember/Loops/Transforms/Passes.h.inc"

/// Whether an operation only reads, and what is inside of it does.
static bool onlyReadsInside(Operation *op) {
  WalkResult walk = op->walk([](Operation *part) {
    bool isNest = part->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return isNest || onlyReads(part) ? WalkResult::advance()
                                     : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// Whether a loop reduces what it reads, and has no other loop in it.
static bool onlyReduces(scf::ForOp loop) {
  auto isLoop = [&](Operation *part) {
    return part != loop && isa<LoopLikeOpInterface>(part)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return loop.getNumResults() != 0 && onlyReadsInside(loop) &&
         !loop->walk(isLoop).wasInterrupted();
}

static bool haveSameRange(scf::ForOp one, scf::ForOp other) {
  return isEqualConstantIntOrValue(one.getLowerBound(),
                                   other.getLowerBound()) &&
         isEqualConstantIntOrValue(one.getUpperBound(),
                                   other.getUpperBound()) &&
         isEqualConstantIntOrValue(one.getStep(), other.getStep()) &&
         one.getInductionVar().getType() == other.getInductionVar().getType();
}

/// Moves what `later` needs in front of `loop`; false if it needs the loop.
/// Nothing between them writes.
static bool moveNeeded(scf::ForOp loop, scf::ForOp later) {
  BackwardSliceOptions options;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop->getBlock() && !op->isBeforeInBlock(loop);
  };
  SetVector<Operation *> needed;
  if (failed(getBackwardSlice(later.getOperation(), &needed, options)) ||
      needed.contains(loop))
    return false;
  for (Operation *op : needed)
    op->moveBefore(loop);
  return true;
}

namespace {
struct JoinReductions : impl::JoinReductionsBase<JoinReductions> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      joinIn(*block);
  }

private:
  void joinIn(Block &block);
};
} // namespace

void JoinReductions::joinIn(Block &block) {
  IRRewriter rewriter(&getContext());
  // Those that a later loop may join: nothing behind them writes.
  SmallVector<scf::ForOp> open;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !onlyReduces(loop)) {
      if (!onlyReadsInside(&op))
        open.clear();
      continue;
    }
    auto *first = llvm::find_if(open, [&](scf::ForOp earlier) {
      return haveSameRange(earlier, loop) && moveNeeded(earlier, loop);
    });
    if (first == open.end()) {
      open.push_back(loop);
      continue;
    }
    auto attributes = llvm::to_vector((*first)->getDiscardableAttrs());
    *first = fuseIndependentSiblingForLoops(loop, *first, rewriter);
    (*first)->setDiscardableAttrs(attributes);
    ++joined;
  }
}
} // namespace ember::loops
