//===- DeriveIteration.cpp - Which coordinates loops visit ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_DERIVEITERATION
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
struct DeriveIteration
    : public ember::cin::impl::DeriveIterationBase<DeriveIteration> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (!isa<ForallOp, ReduceOp>(op))
        return WalkResult::advance();
      SmallVector<Fiber> operands = getLevelOperands(op);
      if (operands.empty())
        return WalkResult::advance();
      if (operands.size() > CoordinateSet::mostOperands) {
        op->emitError() << "has a variable that " << operands.size()
                        << " sparse operands are walked by, and at most "
                        << CoordinateSet::mostOperands
                        << " can be: compute a part of them in a statement of "
                           "its own";
        return WalkResult::interrupt();
      }
      IterationDerivation derivation = deriveIteration(op);
      auto iteration = IterationAttr::get(&getContext(), derivation.set);
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        reduce.setIterationAttr(iteration);
        reduce.setRestAttr(derivation.rest);
      } else {
        cast<ForallOp>(op).setIterationAttr(iteration);
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
