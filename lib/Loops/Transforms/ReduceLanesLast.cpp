//===- ReduceLanesLast.cpp - Reduce over lanes once, behind the loop ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/CombiningKind.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::loops {
using namespace mlir;
using vector::CombiningKind;

#define GEN_PASS_DEF_REDUCELANESLAST
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
struct ReduceLanesLast : impl::ReduceLanesLastBase<ReduceLanesLast> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Whether elements may be combined in any order.
static bool mayReorder(vector::ReductionOp reduction) {
  if (!isa<FloatType>(reduction.getType()))
    return true;
  switch (reduction.getKind()) {
  case CombiningKind::MAXIMUMF:
  case CombiningKind::MINIMUMF:
    return true;
  default:
    return bitEnumContainsAll(reduction.getFastmath(),
                              arith::FastMathFlags::reassoc);
  }
}

/// The reduction over lanes that the loop hands from iteration to iteration as
/// its value `number`, and that nothing else in the loop looks at.
static vector::ReductionOp findCarried(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  auto reduction =
      loop.getYieldedValues()[number].getDefiningOp<vector::ReductionOp>();
  bool isAlone = reduction && reduction->getBlock() == loop.getBody() &&
                 reduction.getAcc() == carried && carried.hasOneUse() &&
                 reduction->hasOneUse();
  return isAlone && mayReorder(reduction) ? reduction : nullptr;
}

/// Carries the lanes of the value `number`; returns the loop that does so.
static scf::ForOp carryLanes(scf::ForOp loop, unsigned number,
                             vector::ReductionOp reduction) {
  IRRewriter rewriter(loop);
  Location loc = reduction.getLoc();
  CombiningKind kind = reduction.getKind();
  arith::FastMathFlagsAttr flags = reduction.getFastmathAttr();
  VectorType type = reduction.getSourceVectorType();
  TypedAttr neutral = getNeutralElement(kind, type.getElementType());
  Value start = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(type, neutral));
  Value initial = loop.getInitArgs()[number];

  // The old value goes around unchanged, for canonicalisation to drop.
  auto combine = [&](OpBuilder &builder, Location,
                     ArrayRef<BlockArgument> added) -> SmallVector<Value> {
    return {vector::makeArithReduction(builder, loc, kind, added.front(),
                                       reduction.getVector(), flags)};
  };
  auto wide = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, combine));
  rewriter.replaceOp(reduction, wide.getRegionIterArg(number));
  rewriter.setInsertionPointAfter(wide);
  Value result = vector::ReductionOp::create(
      rewriter, loc, kind, wide.getResults().back(), initial, flags.getValue());
  rewriter.replaceAllUsesWith(wide.getResult(number), result);
  return wide;
}

void ReduceLanesLast::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (unsigned number = 0, e = loop.getNumResults(); number != e; ++number)
      if (vector::ReductionOp reduction = findCarried(loop, number)) {
        loop = carryLanes(loop, number, reduction);
        ++deferred;
      }
}

} // namespace ember::loops
