//===- MoveToValOps.cpp - Stream reads into callbacks ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

namespace ember {
#define GEN_PASS_DEF_MOVETOVALOPS
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"

#include "mlir/Dialect/Func/IR/FuncOps.h"
} // namespace ember

using namespace mlir;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

namespace {
struct MoveToValOps : public ember::impl::MoveToValOpsBase<MoveToValOps> {
  void runOnOperation() override {
    SmallVector<StrToValOp> outside;
    getOperation()->walk([&](StrToValOp toVal) {
      if (isa<LoopOpInterface>(toVal->getParentOp()))
        outside.push_back(toVal);
    });
    for (StrToValOp toVal : outside)
      moveIntoCallbacks(toVal);
  }

private:
  void moveIntoCallbacks(StrToValOp toVal) {
    DenseMap<Operation *, Value> perCallback;
    for (OpOperand &use :
         llvm::make_early_inc_range(toVal.getValue().getUses())) {
      auto callback = use.getOwner()->getParentOfType<CallbackOp>();
      if (!callback)
        continue;
      Value &inside = perCallback[callback];
      if (!inside) {
        // Behind those already moved: operands cross the queue in this order.
        OpBuilder builder(&*llvm::find_if_not(*callback.getBody(),
                                              llvm::IsaPred<StrToValOp>));
        inside = cast<StrToValOp>(builder.clone(*toVal)).getValue();
      }
      use.set(inside);
    }
    if (toVal.getValue().use_empty())
      toVal.erase();
  }
};
} // namespace
