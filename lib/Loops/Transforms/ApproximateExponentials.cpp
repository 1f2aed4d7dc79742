//===- ApproximateExponentials.cpp - Exponentials without calls -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = k ln 2 + r, where k is whole and r half of ln 2 at most, e^x is
// 2^k e^r, and e^r = 1 + r + r^2 p(r) for a polynomial p.
//
//===----------------------------------------------------------------------===//

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_APPROXIMATEEXPONENTIALS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// Builds e to the power of vectors of f32.
class ExponentialCode {
public:
  ExponentialCode(ImplicitLocOpBuilder &builder, VectorType type)
      : builder(builder), type(type),
        integers(type.clone(builder.getI32Type())) {}

  Value get(Value x);

private:
  Value constant(float value) {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, builder.getF32FloatAttr(value)));
  }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(
        builder,
        DenseElementsAttr::get(integers, builder.getI32IntegerAttr(value)));
  }
  Value bits(Value value) {
    return arith::BitcastOp::create(builder, integers, value);
  }
  /// `limit` in place of what is beyond it; of no number, that.
  Value limit(Value x, arith::CmpFPredicate isBeyond, float limit) {
    Value most = constant(limit);
    Value beyond = arith::CmpFOp::create(builder, isBeyond, x, most);
    return arith::SelectOp::create(builder, beyond, most, x);
  }
  /// 2 to the power of integers from -126 to 127.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(builder, exponent, integer(127));
    Value shifted = arith::ShLIOp::create(builder, biased, integer(23));
    return arith::BitcastOp::create(builder, type, shifted);
  }

  ImplicitLocOpBuilder &builder;
  VectorType type, integers;
};

struct ApproximateExponentials
    : impl::ApproximateExponentialsBase<ApproximateExponentials> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

Value ExponentialCode::get(Value x) {
  // Beyond, the result is infinite, and zero.
  x = limit(x, arith::CmpFPredicate::OGT, 89);
  x = limit(x, arith::CmpFPredicate::OLT, -104);
  // The last bits of a number of this size count ones.
  Value whole = constant(0x1.8p+23f);
  Value shifted =
      math::FmaOp::create(builder, x, constant(0x1.715476p+0f), whole);
  Value count = arith::SubFOp::create(builder, shifted, whole);
  // ln 2 as the sum of two floats.
  Value rest = math::FmaOp::create(builder, count, constant(-0x1.62e43p-1f), x);
  rest = math::FmaOp::create(builder, count, constant(0x1.05c61p-29f), rest);

  // Of the least relative error of e^r, by weighted least squares.
  Value power = constant(0x1.6a2352p-10f);
  for (float coefficient :
       {0x1.123a6cp-7f, 0x1.5558f4p-5f, 0x1.55549p-3f, 0x1.fffffcp-2f})
    power = math::FmaOp::create(builder, power, rest, constant(coefficient));
  Value square = arith::MulFOp::create(builder, rest, rest);
  power = math::FmaOp::create(builder, power, square, rest);
  power = arith::AddFOp::create(builder, power, constant(1));

  // In two steps, so that numbers close to zero are rounded once.
  Value exponent = arith::SubIOp::create(builder, bits(shifted), bits(whole));
  Value half = arith::ShRSIOp::create(builder, exponent, integer(1));
  Value other = arith::SubIOp::create(builder, exponent, half);
  power = arith::MulFOp::create(builder, power, powerOfTwo(half));
  return arith::MulFOp::create(builder, power, powerOfTwo(other));
}

void ApproximateExponentials::runOnOperation() {
  getOperation().walk([&](math::ExpOp op) {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable() || !type.getElementType().isF32())
      return;
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    op.replaceAllUsesWith(ExponentialCode(builder, type).get(op.getOperand()));
    op.erase();
    ++approximated;
  });
}

} // namespace ember::loops
