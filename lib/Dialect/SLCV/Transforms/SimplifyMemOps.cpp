//===- SimplifyMemOps.cpp - Gathers of sequential elements ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gather or scatter at first + <0, 1, 2, ...> is a vector load or store:
//
//   %wide = vector.broadcast %first
//   %steps = vector.step
//   %pos = arith.addi %wide, %steps
//   %v = vector.gather %m[%b, %c0] [%pos],      %v = vector.maskedload
//            %mask, %pass                  =>          %m[%b, %first], %mask,
//            %pass
//
// and a stream of vectors with such an index is contiguous.
//
//===----------------------------------------------------------------------===//

#include "PatternsOnly.h"
#include "ember/Dialect/SLCV/Transforms/Passes.h"

#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace ember::slcv {
#define GEN_PASS_DEF_SIMPLIFYMEMOPS
#include "ember/Dialect/SLCV/Transforms/Passes.h.inc"
} // namespace ember::slcv

using namespace mlir;
using namespace ember::slcv;

namespace {
/// A vector as a sum: scalars, the same for all lanes, and lane numbers.
struct LaneSum {
  SmallVector<Value> added, subtracted;
  int64_t constant = 0;
  unsigned laneNumbers = 0;
};
} // namespace

/// Takes `vector` apart into `sum`; fails if it is not such a sum. `depth`
/// bounds how deep sums may be nested.
static LogicalResult takeApart(Value vector, bool negative, LaneSum &sum,
                               unsigned depth = 8) {
  if (depth == 0)
    return failure();
  if (vector.getDefiningOp<vector::StepOp>()) {
    ++sum.laneNumbers;
    return failure(negative);
  }
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>()) {
    Value source = broadcast.getSource();
    if (!source.getType().isIndex())
      return failure();
    (negative ? sum.subtracted : sum.added).push_back(source);
    return success();
  }
  DenseElementsAttr elements;
  if (matchPattern(vector, m_Constant(&elements))) {
    if (!elements.isSplat())
      return failure();
    int64_t value = elements.getSplatValue<APInt>().getSExtValue();
    sum.constant += negative ? -value : value;
    return success();
  }
  if (auto add = vector.getDefiningOp<arith::AddIOp>())
    return success(
        succeeded(takeApart(add.getLhs(), negative, sum, depth - 1)) &&
        succeeded(takeApart(add.getRhs(), negative, sum, depth - 1)));
  if (auto sub = vector.getDefiningOp<arith::SubIOp>())
    return success(
        succeeded(takeApart(sub.getLhs(), negative, sum, depth - 1)) &&
        succeeded(takeApart(sub.getRhs(), !negative, sum, depth - 1)));
  return failure();
}

/// The index of lane 0 if lane `l` of `base + laneIndex` is `l` further on;
/// null otherwise.
static Value getFirstIndex(OpBuilder &builder, Location loc, Value base,
                           Value laneIndex) {
  LaneSum sum;
  bool isIndex =
      cast<VectorType>(laneIndex.getType()).getElementType().isIndex();
  if (!isIndex || failed(takeApart(laneIndex, /*negative=*/false, sum)) ||
      sum.laneNumbers != 1)
    return {};
  APInt constant;
  if (matchPattern(base, m_ConstantInt(&constant)))
    sum.constant += constant.getSExtValue();
  else
    sum.added.push_back(base);
  Value first;
  for (Value term : sum.added)
    first = first ? arith::AddIOp::create(builder, loc, first, term) : term;
  if (!first || sum.constant != 0) {
    Value offset = arith::ConstantIndexOp::create(builder, loc, sum.constant);
    first = first ? arith::AddIOp::create(builder, loc, first, offset) : offset;
  }
  for (Value term : sum.subtracted)
    first = arith::SubIOp::create(builder, loc, first, term);
  return first;
}

static bool isAllTrue(Value mask) {
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return constant.isAllOnesMask();
  DenseElementsAttr elements;
  return matchPattern(mask, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<bool>();
}

/// Loads and stores of rank-1 vectors from memrefs with unit innermost stride.
static bool isSimple(Type base, VectorType vector) {
  auto memref = dyn_cast<MemRefType>(base);
  return memref && memref.getRank() > 0 && memref.isLastDimUnitStride() &&
         vector.getRank() == 1;
}

namespace {
struct GatherToLoad : OpRewritePattern<vector::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::GatherOp gather,
                                PatternRewriter &rewriter) const override {
    VectorType type = gather.getVectorType();
    if (!isSimple(gather.getBase().getType(), type))
      return failure();
    SmallVector<Value> indices(gather.getOffsets());
    Value first = getFirstIndex(rewriter, gather.getLoc(), indices.back(),
                                gather.getIndices());
    if (!first)
      return failure();
    indices.back() = first;
    if (isAllTrue(gather.getMask()))
      rewriter.replaceOpWithNewOp<vector::LoadOp>(gather, type,
                                                  gather.getBase(), indices);
    else
      rewriter.replaceOpWithNewOp<vector::MaskedLoadOp>(
          gather, type, gather.getBase(), indices, gather.getMask(),
          gather.getPassThru());
    return success();
  }
};

struct ScatterToStore : OpRewritePattern<vector::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    if (!isSimple(scatter.getBase().getType(), scatter.getVectorType()))
      return failure();
    SmallVector<Value> indices(scatter.getOffsets());
    Value first = getFirstIndex(rewriter, scatter.getLoc(), indices.back(),
                                scatter.getIndices());
    if (!first)
      return failure();
    indices.back() = first;
    if (isAllTrue(scatter.getMask()))
      rewriter.replaceOpWithNewOp<vector::StoreOp>(
          scatter, scatter.getValueToStore(), scatter.getBase(), indices);
    else
      rewriter.replaceOpWithNewOp<vector::MaskedStoreOp>(
          scatter, scatter.getBase(), indices, scatter.getMask(),
          scatter.getValueToStore());
    return success();
  }
};

/// For loads and stores of the access unit.
template <typename Op> struct MarkContiguous : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op access,
                                PatternRewriter &rewriter) const override {
    auto memref = cast<MemRefType>(access.getMemref().getType());
    if (access.getContiguous() || access.getIndices().empty() ||
        !memref.isLastDimUnitStride())
      return failure();
    std::optional<int64_t> repeat = getRepeat(access.getIndices().back());
    constexpr bool mayRepeat = std::is_same_v<Op, VecMemStrOp>;
    if (!repeat || (*repeat != 1 && !mayRepeat))
      return failure();
    for (Value index : access.getIndices().drop_back())
      if (auto stream = dyn_cast<ember::slc::StreamType>(index.getType());
          stream && isa<VectorType>(stream.getElementType()))
        return failure();
    rewriter.modifyOpInPlace(access, [&] {
      access.setContiguous(true);
      if constexpr (mayRepeat)
        access.setRepeat(*repeat);
    });
    return success();
  }
};

struct SimplifyMemOps
    : public ember::slcv::impl::SimplifyMemOpsBase<SimplifyMemOps> {
  using SimplifyMemOpsBase::SimplifyMemOpsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<GatherToLoad, ScatterToStore, MarkContiguous<VecMemStrOp>,
                 MarkContiguous<VecStoreStrOp>>(&getContext());
    if (failed(applyPatternsOnly(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
