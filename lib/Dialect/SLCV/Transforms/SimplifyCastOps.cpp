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

#include "PatternsOnly.h"
#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/PatternMatch.h"

namespace ember::slcv {
#define GEN_PASS_DEF_SIMPLIFYCASTOPS
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::StrToValOp;

/// A reader of `input` before `op` in its block that `isSame` accepts.
template <typename Op>
static Op findEarlier(Op op, Value input, function_ref<bool(Op)> isSame) {
  for (Operation *user : input.getUsers()) {
    auto earlier = dyn_cast<Op>(user);
    if (earlier && earlier != op && earlier->getBlock() == op->getBlock() &&
        earlier->isBeforeInBlock(op) && isSame(earlier))
      return earlier;
  }
  return nullptr;
}

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
    if (!isa<CallbackOp>(toVal->getParentOp()))
      return failure();
    auto isSame = [&](StrToValOp earlier) {
      return earlier.getLane() == toVal.getLane();
    };
    if (auto earlier =
            findEarlier<StrToValOp>(toVal, toVal.getStream(), isSame)) {
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
    auto isSame = [](AsScalarOp) { return true; };
    if (auto earlier = findEarlier<AsScalarOp>(view, view.getInput(), isSame)) {
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
    if (failed(applyPatternsOnly(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
