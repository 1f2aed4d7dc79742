//===- SimplifyCastOps.cpp - Move vectors into callbacks ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cleans up the casts that slc-vectorize leaves:
//
//   %lane = slcv.as_scalar %v
//   slc.callback ite {                     slc.callback ite {
//     %x = slc.str_to_val %lane      =>      %xs = slc.str_to_val %v
//                                            %x = slcv.as_scalar %xs
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ember::slcv {
#define GEN_PASS_DEF_SIMPLIFYCASTOPS
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::StrToValOp;

namespace {
/// Takes the vector into the callback and shows it as a scalar there.
struct ReadVectorThenCast : OpRewritePattern<StrToValOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StrToValOp toVal,
                                PatternRewriter &rewriter) const override {
    auto scalarView = toVal.getStream().getDefiningOp<AsScalarOp>();
    if (!scalarView)
      return failure();
    Value vector =
        StrToValOp::create(rewriter, toVal.getLoc(), scalarView.getInput());
    rewriter.replaceOpWithNewOp<AsScalarOp>(toVal, vector);
    return success();
  }
};

/// Reads a stream once in a callback, not every time it is used: what crosses
/// the border twice takes two places in the queue.
struct ReadStreamOnce : OpRewritePattern<StrToValOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StrToValOp toVal,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : toVal.getStream().getUsers()) {
      auto earlier = dyn_cast<StrToValOp>(user);
      bool same = earlier && earlier != toVal &&
                  earlier->getBlock() == toVal->getBlock() &&
                  earlier.getLane() == toVal.getLane() &&
                  isa<CallbackOp>(toVal->getParentOp());
      if (!same || !earlier->isBeforeInBlock(toVal))
        continue;
      rewriter.replaceOp(toVal, earlier.getValue());
      return success();
    }
    return failure();
  }
};

/// One view of a vector is enough.
struct MergeScalarViews : OpRewritePattern<AsScalarOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AsScalarOp view,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : view.getInput().getUsers()) {
      auto earlier = dyn_cast<AsScalarOp>(user);
      if (!earlier || earlier == view ||
          earlier->getBlock() != view->getBlock() ||
          !earlier->isBeforeInBlock(view))
        continue;
      rewriter.replaceOp(view, earlier.getResult());
      return success();
    }
    return failure();
  }
};

struct SimplifyCastOps
    : public ember::slcv::impl::SimplifyCastOpsBase<SimplifyCastOps> {
  using SimplifyCastOpsBase::SimplifyCastOpsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadVectorThenCast, ReadStreamOnce, MergeScalarViews>(
        &getContext());
    // Views nobody uses are erased by the driver; nothing else is to change.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
