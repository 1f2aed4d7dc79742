//===- ApproximateErrorFunctions.cpp - erf without calls ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Near 0, erf(x) is x + x p(x^2). Elsewhere it is 1 - e^(-x - x q(x)) for
// positive x, and the negative of that for negative ones.
//
//===----------------------------------------------------------------------===//

#include "LaneCode.h"

#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_APPROXIMATEERRORFUNCTIONS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// Builds erf of vectors of f32.
class ErrorFunctionCode : LaneCode {
public:
  using LaneCode::LaneCode;

  Value get(Value x);
};

struct ApproximateErrorFunctions
    : impl::ApproximateErrorFunctionsBase<ApproximateErrorFunctions> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

Value ErrorFunctionCode::get(Value x) {
  // Polynomials of the least relative error of the result, by weighted least
  // squares.
  Value square = multiply(x, x);
  Value small =
      polynomial(square, {-0x1.390398p-11f, 0x1.46fcc6p-8f, -0x1.b681d8p-6f,
                          0x1.ce19e8p-4f, -0x1.8126e4p-2f, 0x1.06eba6p-3f});
  small = multiplyAdd(small, x, x);

  // From 4 on, the result is 1.
  Value size = limit(math::AbsFOp::create(builder, x), Predicate::OGT, 4);
  Value exponent = polynomial(
      size, {-0x1.82a748p-17f, 0x1.558e7ep-12f, -0x1.defd82p-9f, 0x1.85bb94p-6f,
             -0x1.b3445cp-4f, -0x1.453036p-1f, -0x1.077b2cp-3f});
  exponent = subtract(multiply(exponent, size), size);
  Value large = subtract(constant(1), math::ExpOp::create(builder, exponent));
  large = math::CopySignOp::create(builder, large, x);
  return select(compare(Predicate::OLT, size, 0.9277f), small, large);
}

void ApproximateErrorFunctions::runOnOperation() {
  getOperation().walk([&](math::ErfOp op) {
    VectorType type = LaneCode::getLanes(op);
    if (!type)
      return;
    OpBuilder builder(op);
    ErrorFunctionCode code(builder, op.getLoc(), type);
    op.replaceAllUsesWith(code.get(op.getOperand()));
    op.erase();
    ++approximated;
  });
}

} // namespace ember::loops
