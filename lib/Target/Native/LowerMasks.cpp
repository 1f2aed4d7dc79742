//===- LowerMasks.cpp - Vector masks as comparisons of narrow lanes -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::native {
using namespace mlir;

#define GEN_PASS_DEF_LOWERMASKS
#include "ember/Target/Native/Passes.h.inc"

/// Replaces `mask`, whose count is not constant, by a comparison.
static void lowerMask(vector::CreateMaskOp mask) {
  VectorType type = mask.getType();
  if (type.isScalable() || type.getRank() != 1 ||
      getConstantIntValue(mask.getOperand(0)))
    return;
  OpBuilder builder(mask);
  Location loc = mask.getLoc();
  int64_t length = type.getNumElements();
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  Value all = arith::ConstantIndexOp::create(builder, loc, length);
  Value count = mask.getOperand(0);
  count = arith::MaxSIOp::create(builder, loc, count, none);
  count = arith::MinSIOp::create(builder, loc, count, all);
  count = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), count);

  auto lanes = VectorType::get(length, builder.getI32Type());
  auto numbers = llvm::to_vector_of<int32_t>(llvm::seq<int64_t>(length));
  Value numbered = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(lanes, ArrayRef(numbers)));
  Value counts = vector::BroadcastOp::create(builder, loc, lanes, count);
  Value active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       numbered, counts);
  mask.replaceAllUsesWith(active);
  mask.erase();
}

namespace {
struct LowerMasks : impl::LowerMasksBase<LowerMasks> {
  void runOnOperation() override { getOperation().walk(lowerMask); }
};
} // namespace

} // namespace ember::native
