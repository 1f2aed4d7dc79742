//===- DeriveIteration.cpp - Which coordinates loops visit ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AbstractValues.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_DERIVEITERATION
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Whether a loop does nothing at coordinates that the operands of `region`,
/// and no others, store.
static bool isSkipped(Operation *loop, ArrayRef<Fiber> operands,
                      OperandMask region) {
  SmallVector<Fiber> stored, absent;
  for (auto [number, fiber] : llvm::enumerate(operands))
    (region >> number & 1 ? stored : absent).push_back(fiber);
  AbstractValues values(stored, absent);
  if (auto reduce = dyn_cast<ReduceOp>(loop))
    return values.isIdentity(reduce);
  return values.isNoEffect(*cast<ForallOp>(loop).getBody());
}

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
      llvm::BitVector visited(1u << operands.size());
      for (OperandMask region = 0; region < visited.size(); ++region)
        visited[region] = !isSkipped(op, operands, region);
      CoordinateSet set = CoordinateSet::ofRegions(visited, operands.size());
      auto iteration = IterationAttr::get(&getContext(), set);
      if (auto forall = dyn_cast<ForallOp>(op))
        forall.setIterationAttr(iteration);
      else
        cast<ReduceOp>(op).setIterationAttr(iteration);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
