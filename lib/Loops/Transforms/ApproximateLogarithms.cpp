//===- ApproximateLogarithms.cpp - Logarithms without calls ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With u = 2^k (1 + f), where 1 + f is between the roots of 1/2 and 2, log u is
// k ln 2 + log(1 + f). With s = f / (2 + f), that is
//
//   2 (s + s^3 / 3 + s^5 / 5 + ...) = f - f^2 / 2 + s (f^2 / 2 + s^2 p(s^2)).
//
// Of 1 + x, what is lost when that is rounded to u is c, and log(1 + x) is
// log u + c / u.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_APPROXIMATELOGARITHMS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// Builds logarithms of vectors of f32.
class LogarithmCode : LaneCode {
public:
  using LaneCode::LaneCode;

  Value get(Value x);
  /// That of 1 + x.
  Value getOf1Plus(Value x);

private:
  /// Of a positive number that is no smaller than normal ones, times 2 to the
  /// power of `exponent`, and `correction` more.
  Value ofNormal(Value number, Value exponent, Value correction);
  /// `result` where `number` is positive and finite, and what it is elsewhere.
  Value withLimits(Value number, Value result);
};

struct ApproximateLogarithms
    : impl::ApproximateLogarithmsBase<ApproximateLogarithms> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

Value LogarithmCode::ofNormal(Value number, Value exponent, Value correction) {
  // The bits of the root of 1/2 count as those of 1 do.
  constexpr int32_t rootBits = 0x3f3504f3, oneBits = 0x3f800000;
  Value shifted =
      arith::AddIOp::create(builder, bits(number), integer(oneBits - rootBits));
  Value biased = arith::ShRSIOp::create(builder, shifted, integer(23));
  exponent = arith::AddIOp::create(
      builder, exponent, arith::SubIOp::create(builder, biased, integer(127)));
  Value fraction = arith::AndIOp::create(builder, shifted, integer(0x007fffff));
  fraction = arith::AddIOp::create(builder, fraction, integer(rootBits));
  Value count = arith::SIToFPOp::create(builder, type, exponent);

  Value f = subtract(fromBits(fraction), constant(1));
  Value s = divide(f, add(f, constant(2)));
  Value square = multiply(s, s);
  Value half = multiply(multiply(f, f), constant(0.5));
  // Of the least relative error, by weighted least squares.
  Value series = multiply(
      square,
      polynomial(square, {0x1.32d516p-2f, 0x1.99541ep-2f, 0x1.555588p-1f}));
  // ln 2 as the sum of two floats, small numbers first.
  Value low = multiplyAdd(count, constant(0x1.2fefa2p-17f), correction);
  Value sum = multiplyAdd(s, add(half, series), low);
  sum = add(subtract(sum, half), f);
  return multiplyAdd(count, constant(0x1.62e3p-1f), sum);
}

Value LogarithmCode::withLimits(Value number, Value result) {
  using Limits = std::numeric_limits<float>;
  Value isInfinite = compare(Predicate::OEQ, number, Limits::infinity());
  Value isZero = compare(Predicate::OEQ, number, 0);
  Value isPositive = compare(Predicate::OGT, number, 0);
  Value other = select(isZero, constant(-Limits::infinity()),
                       constant(Limits::quiet_NaN()));
  return select(isPositive, select(isInfinite, number, result), other);
}

Value LogarithmCode::get(Value x) {
  using Limits = std::numeric_limits<float>;
  Value isSmall = compare(Predicate::OLT, x, Limits::min());
  Value scaled = select(isSmall, multiply(x, constant(0x1p+25f)), x);
  Value exponent = select(isSmall, integer(-25), integer(0));
  return withLimits(x, ofNormal(scaled, exponent, constant(0)));
}

Value LogarithmCode::getOf1Plus(Value x) {
  Value one = constant(1), sum = add(x, one);
  // The larger one of both less the sum first, which is exact.
  Value isLarge = compare(Predicate::OGT, x, 1);
  Value lost = select(isLarge, subtract(one, subtract(sum, x)),
                      subtract(x, subtract(sum, one)));
  Value result = withLimits(sum, ofNormal(sum, integer(0), divide(lost, sum)));
  // Of -0 it is -0.
  return math::CopySignOp::create(builder, result, x);
}

void ApproximateLogarithms::runOnOperation() {
  getOperation().walk([&](Operation *op) {
    if (!isa<math::LogOp, math::Log1pOp>(op))
      return;
    VectorType type = LaneCode::getLanes(op);
    if (!type)
      return;
    OpBuilder builder(op);
    LogarithmCode code(builder, op->getLoc(), type);
    Value x = op->getOperand(0);
    op->getResult(0).replaceAllUsesWith(
        isa<math::LogOp>(op) ? code.get(x) : code.getOf1Plus(x));
    op->erase();
    ++approximated;
  });
}

} // namespace ember::loops
