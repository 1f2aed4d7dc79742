//===- DeriveIteration.cpp - Which coordinates loops visit ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::cin {
#define GEN_PASS_DEF_DERIVEITERATION
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// What is known where the operands of `region`, and no others, store a
/// coordinate.
static AbstractValues at(ArrayRef<Fiber> operands, OperandMask region) {
  SmallVector<Fiber> stored, absent;
  for (auto [number, fiber] : llvm::enumerate(operands))
    (region >> number & 1 ? stored : absent).push_back(fiber);
  return {std::move(stored), std::move(absent)};
}

/// The value at coordinates that no operand stores, where it counts and the
/// reduction can combine any number of it; null otherwise.
static TypedAttr findRest(ReduceOp reduce, ArrayRef<Fiber> operands) {
  AbstractValues nowhere = at(operands, 0);
  AbstractValue value = nowhere.of(reduce.getYield().getValue());
  if (value.kind != AbstractValue::Kind::constant ||
      reduce.getYield().getCondition() || nowhere.isIdentity(reduce) ||
      !reduce.getFunction().getIdentity(reduce.getType()) ||
      !getRepetition(reduce.getFunction(), value.value))
    return nullptr;
  return value.value;
}

/// Whether a loop need not visit what the operands of `region`, and no others,
/// store. `rest` is what a reduction counts there without, null for nothing.
static bool isSkipped(Operation *loop, ArrayRef<Fiber> operands,
                      OperandMask region, TypedAttr rest) {
  AbstractValues values = at(operands, region);
  auto reduce = dyn_cast<ReduceOp>(loop);
  if (!reduce)
    return values.isNoEffect(*cast<ForallOp>(loop).getBody());
  if (rest)
    return values.of(reduce.getYield().getValue()).is(rest);
  return values.isIdentity(reduce);
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
      auto reduce = dyn_cast<ReduceOp>(op);
      TypedAttr rest = reduce ? findRest(reduce, operands) : nullptr;
      llvm::BitVector visited(1u << operands.size());
      for (OperandMask region = 0; region < visited.size(); ++region)
        visited[region] = !isSkipped(op, operands, region, rest);
      CoordinateSet set = CoordinateSet::ofRegions(visited, operands.size());
      auto iteration = IterationAttr::get(&getContext(), set);
      if (reduce) {
        reduce.setIterationAttr(iteration);
        reduce.setRestAttr(rest);
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
