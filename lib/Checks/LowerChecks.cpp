//===- LowerChecks.cpp - Checks become calls of the runtime ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/ABI/RuntimeCalls.h"
#include "ember/Checks/Passes.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::checks {
using namespace mlir;

#define GEN_PASS_DEF_LOWERCHECKS
#include "ember/Checks/Passes.h.inc"

namespace {
struct LowerChecks : impl::LowerChecksBase<LowerChecks> {
  void runOnOperation() override;
};
} // namespace

static void lowerFailure(Operation *op, RuntimeCalls &runtime) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (auto fail = dyn_cast<FailWithMessageOp>(op)) {
    runtime.failMessage(builder, loc, fail.getMessage());
  } else if (auto fail = dyn_cast<FailSegmentOp>(op)) {
    runtime.failSegment(builder, loc, fail.getSource(), fail.getPosition(),
                        fail.getBegin(), fail.getEnd());
  } else {
    auto index = cast<FailIndexOp>(op);
    Value position = index.getPosition();
    if (!position)
      position = arith::ConstantIndexOp::create(builder, loc, -1);
    runtime.failIndex(builder, loc, index.getWhat(),
                      index.getSource().value_or(""), index.getValue(),
                      index.getSize(), position);
  }
  op->erase();
}

static void lowerCheck(CheckOp check) {
  OpBuilder builder(check);
  auto condition = scf::IfOp::create(builder, check.getLoc(),
                                     check.getViolated(), /*withElse=*/false);
  Block *body = condition.thenBlock();
  body->getOperations().splice(body->begin(), check.getBody()->getOperations());
  check.erase();
}

void LowerChecks::runOnOperation() {
  RuntimeCalls runtime(getOperation());
  getOperation().walk([&](Operation *op) {
    if (isFailure(op))
      lowerFailure(op, runtime);
    else if (auto check = dyn_cast<CheckOp>(op))
      lowerCheck(check);
  });
}

} // namespace ember::checks
