//===- ApproximateExponentials.cpp - Exponentials without calls -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With x = k ln 2 + r, where k is whole and r half of ln 2 at most, e^x is
// 2^k e^r, and e^r = 1 + r + r^2 p(r) for a polynomial p. e^x - 1 is
// 2^k (r + r^2 p(r)) + (2^k - 1), which loses no bits where x is small.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_APPROXIMATEEXPONENTIALS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// Builds e to the power of vectors of f32.
class ExponentialCode : LaneCode {
public:
  using LaneCode::LaneCode;

  Value get(Value x);
  /// That less 1.
  Value getLess1(Value x);

private:
  /// 2^exponent (1 + rest), where the rest is small.
  struct Parts {
    Value exponent, rest;
  };
  Parts split(Value x);
  /// 2 to the power of integers from -126 to 127.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(builder, exponent, integer(127));
    return fromBits(arith::ShLIOp::create(builder, biased, integer(23)));
  }
};

struct ApproximateExponentials
    : impl::ApproximateExponentialsBase<ApproximateExponentials> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

ExponentialCode::Parts ExponentialCode::split(Value x) {
  // The last bits of a number of this size count ones.
  Value whole = constant(0x1.8p+23f);
  Value shifted = multiplyAdd(x, constant(0x1.715476p+0f), whole);
  Value count = subtract(shifted, whole);
  // ln 2 as the sum of two floats.
  Value rest = multiplyAdd(count, constant(-0x1.62e43p-1f), x);
  rest = multiplyAdd(count, constant(0x1.05c61p-29f), rest);
  // Of the least relative error of e^r, by weighted least squares.
  Value power =
      polynomial(rest, {0x1.6a2352p-10f, 0x1.123a6cp-7f, 0x1.5558f4p-5f,
                        0x1.55549p-3f, 0x1.fffffcp-2f});
  return {arith::SubIOp::create(builder, bits(shifted), bits(whole)),
          multiplyAdd(power, multiply(rest, rest), rest)};
}

Value ExponentialCode::get(Value x) {
  // Beyond, the result is infinite, and zero.
  x = limit(x, Predicate::OGT, 89);
  x = limit(x, Predicate::OLT, -104);
  auto [exponent, rest] = split(x);
  Value power = add(rest, constant(1));
  // In two steps, so that numbers close to zero are rounded once.
  Value half = arith::ShRSIOp::create(builder, exponent, integer(1));
  Value other = arith::SubIOp::create(builder, exponent, half);
  power = multiply(power, powerOfTwo(half));
  return multiply(power, powerOfTwo(other));
}

Value ExponentialCode::getLess1(Value given) {
  // Beyond, the result is infinite, and -1.
  Value x = limit(given, Predicate::OGT, 89);
  x = limit(x, Predicate::OLT, -25);
  auto [exponent, rest] = split(x);
  // 2^128 is no float: half of it is doubled.
  Value isLargest = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          exponent, integer(128));
  Value less = arith::SubIOp::create(builder, exponent, integer(1));
  Value power = powerOfTwo(select(isLargest, less, exponent));
  Value ones = select(isLargest, constant(0.5), constant(1));
  Value result = multiplyAdd(power, rest, subtract(power, ones));
  result = multiply(result, select(isLargest, constant(2), constant(1)));
  // Of -0 it is -0.
  return math::CopySignOp::create(builder, result, given);
}

void ApproximateExponentials::runOnOperation() {
  getOperation().walk([&](Operation *op) {
    if (!isa<math::ExpOp, math::ExpM1Op>(op))
      return;
    VectorType type = LaneCode::getLanes(op);
    if (!type)
      return;
    OpBuilder builder(op);
    ExponentialCode code(builder, op->getLoc(), type);
    Value x = op->getOperand(0);
    op->getResult(0).replaceAllUsesWith(
        isa<math::ExpOp>(op) ? code.get(x) : code.getLess1(x));
    op->erase();
    ++approximated;
  });
}

} // namespace ember::loops
