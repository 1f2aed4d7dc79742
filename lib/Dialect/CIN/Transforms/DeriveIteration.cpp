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

/// A workspace may have been in no order to be walked alone, and what it does
/// not store has to be visited too: it is sorted then.
static void sortWorkspaces(ArrayRef<Fiber> operands, const CoordinateSet &set) {
  if (operands.size() == 1 && set == CoordinateSet::operand(0))
    return;
  for (const Fiber &fiber : operands) {
    auto array = dyn_cast<BlockArgument>(fiber.array);
    auto where =
        array ? dyn_cast<WhereOp>(array.getOwner()->getParentOp()) : WhereOp();
    if (!where || fiber.getLevel().isOrdered)
      continue;
    auto type = cast<ArrayType>(array.getType());
    FormatAttr format = type.getFormat();
    SmallVector<Level> levels = llvm::to_vector(format.getLevels());
    levels[fiber.depth() - 1].isOrdered = true;
    auto sorted = ArrayType::get(
        type.getContext(), type.getShape(), type.getElementType(),
        FormatAttr::get(type.getContext(), levels, format.getOrder(),
                        format.getFill(), format.getStoresFill()));
    for (Region &region : where->getRegions())
      region.getArgument(0).setType(sorted);
  }
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
      IterationDerivation derivation = deriveIteration(op);
      sortWorkspaces(operands, derivation.set);
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
