//===- OrderParallelLoops.cpp - Parallel loops one after the other --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_ORDERPARALLELLOOPS
#include "ember/Loops/Transforms/Passes.h.inc"

/// The results of the reductions of `loop` after one more iteration: their
/// regions, applied to the values so far and what the iteration contributes.
static SmallVector<Value>
inlineReductions(scf::ReduceOp reduce, ValueRange soFar, IRRewriter &rewriter) {
  SmallVector<Value> next;
  for (auto [region, value, element] :
       llvm::zip_equal(reduce.getReductions(), soFar, reduce.getOperands())) {
    Block &body = region.front();
    Value result = cast<scf::ReduceReturnOp>(body.getTerminator()).getResult();
    rewriter.eraseOp(body.getTerminator());
    // A region that returns its argument returns what replaces that.
    if (auto argument = dyn_cast<BlockArgument>(result))
      if (argument.getOwner() == &body)
        result = argument.getArgNumber() == 0 ? value : element;
    rewriter.inlineBlockBefore(&body, reduce, {value, element});
    next.push_back(result);
  }
  return next;
}

static void order(scf::ParallelOp loop, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  auto reduce = cast<scf::ReduceOp>(loop.getBody()->getTerminator());
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), loop.getInitVals(),
      [&](OpBuilder &, Location, ValueRange counters, ValueRange soFar) {
        Block *inside = rewriter.getInsertionBlock();
        rewriter.inlineBlockBefore(loop.getBody(), inside, inside->end(),
                                   counters);
        rewriter.setInsertionPoint(reduce);
        SmallVector<Value> next = inlineReductions(reduce, soFar, rewriter);
        rewriter.eraseOp(reduce);
        return scf::ValueVector(next.begin(), next.end());
      });
  rewriter.replaceOp(loop, nest.results);
}

namespace {
struct OrderParallelLoops : impl::OrderParallelLoopsBase<OrderParallelLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
    for (scf::ParallelOp loop : loops)
      order(loop, rewriter);
  }
};
} // namespace

} // namespace ember::loops
