//===- SinkCompute.cpp - Compute code next to its uses --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scf.for %b {                       scf.for %b {
//     %i = memref.load %ids[%b]          %i = memref.load %ids[%b]
//     %q = arith.muli %b, %c3            %s = scf.for %e { ... %i ... }
//     %s = scf.for %e { ... %i ... }  => %q = arith.muli %b, %c3
//     memref.store %s, %out[%q]          memref.store %s, %out[%q]
//   }                                  }
//
// On the left, a callback before the loop over %e would compute %q.
//
//===----------------------------------------------------------------------===//

#include "SinkCompute.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;

/// True if `op` computes values and nothing else, and `nested` does not begin
/// with one of them.
static bool canSink(Operation *op, scf::ForOp nested) {
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::none_of(op->getUsers(),
                       [&](Operation *user) { return user == nested; });
}

/// The code before `nested` that is not the access unit's.
static SmallVector<Operation *>
getCodeBefore(scf::ForOp loop, scf::ForOp nested, const DecouplingPlan &plan) {
  SmallVector<Operation *> code;
  for (Operation &op : *loop.getBody()) {
    if (&op == nested)
      return code;
    if (!plan.isOffloaded(&op))
      code.push_back(&op);
  }
  return code;
}

/// True if a callback has to hand a value of the access unit to `nested`.
static bool beginsWithStream(scf::ForOp nested, const DecouplingPlan &plan) {
  return llvm::any_of(nested.getRegionIterArgs(), [&](BlockArgument argument) {
    Value init = nested.getTiedLoopInit(argument)->get();
    return !plan.isRunningSum(argument) && plan.isStreamed(init);
  });
}

void ember::sinkCompute(scf::ForOp loop, scf::ForOp nested,
                        const DecouplingPlan &plan) {
  SmallVector<Operation *> code = getCodeBefore(loop, nested, plan);
  if (beginsWithStream(nested, plan) ||
      !llvm::all_of(code, [&](Operation *op) { return canSink(op, nested); }))
    return;
  // Users first: where they have gone, what they use follows.
  for (Operation *op : llvm::reverse(code)) {
    auto isInside = [&](OpOperand &use) {
      return nested->isProperAncestor(use.getOwner());
    };
    bool anyInside = llvm::any_of(op->getUses(), isInside);
    bool anyBehind = !llvm::all_of(op->getUses(), isInside);
    if (anyInside && anyBehind) {
      OpBuilder builder(nested.getBody(), nested.getBody()->begin());
      Operation *copy = builder.clone(*op);
      for (auto [value, copied] :
           llvm::zip_equal(op->getResults(), copy->getResults()))
        Value(value).replaceUsesWithIf(copied, isInside);
    } else if (anyInside) {
      op->moveBefore(nested.getBody(), nested.getBody()->begin());
      continue;
    }
    op->moveAfter(nested);
  }
}
