//===- SortOperands.cpp - Sorted copies of arrays in no order -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCopies.h"

#include "ember/Dialect/CIN/IR/CoordinateOrder.h"
#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace ember::cin {
#define GEN_PASS_DEF_SORTOPERANDS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

/// The loops that visit what an array stores, and nothing else.
static llvm::SmallPtrSet<Operation *, 4> findLoneWalks(ForallOp statement,
                                                       Value array) {
  llvm::SmallPtrSet<Operation *, 4> walks;
  statement->walk([&](Operation *op) {
    std::optional<Fiber> walked = getLoneWalk(op);
    if (walked && walked->array == array)
      walks.insert(op);
  });
  return walks;
}

/// Derives anew what loops visit that walked an array, or do walk its copy.
static void deriveLoops(ForallOp statement, Value copy,
                        const llvm::SmallPtrSetImpl<Operation *> &lone) {
  statement->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool readsThem = op->walk([&](AccessOp access) {
                         return access.getArray() == copy
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       }).wasInterrupted();
    if (!isa<ForallOp, ReduceOp>(op) || !readsThem)
      return;
    auto reduce = dyn_cast<ReduceOp>(op);
    if (getLevelOperands(op).empty()) {
      if (!reduce) {
        cast<ForallOp>(op).removeIterationAttr();
        return;
      }
      reduce.removeIterationAttr();
      reduce.removeRestAttr();
      return;
    }
    // Of elements by their places, only that says that all are stored.
    if (lone.contains(op))
      return;
    IterationDerivation derivation = deriveIteration(op);
    auto iteration = IterationAttr::get(op->getContext(), derivation.set);
    if (!reduce) {
      cast<ForallOp>(op).setIterationAttr(iteration);
      return;
    }
    reduce.setIterationAttr(iteration);
    reduce.setRestAttr(derivation.rest);
  });
}

/// Has the statement of a disorder read a sorted copy; failure if there can be
/// none.
static LogicalResult sortOperand(EvaluateOp evaluate,
                                 const Disorder &disorder) {
  Operation *around = disorder.op;
  while (around->getParentOp() != evaluate)
    around = around->getParentOp();
  auto statement = cast<ForallOp>(around);
  auto array = disorder.array.getDefiningOp<AssembleOp>();
  bool isAssigned =
      array && llvm::any_of(array->getUsers(), [&](Operation *user) {
        return isa<AssignOp>(user) && statement->isProperAncestor(user);
      });
  if (!array || isAssigned || !RegroupOp::findObstacle(array).empty())
    return failure();
  SmallVector<int64_t> order(array.getType().getFormat().getOrder());
  // Below a list, elements at all places are stored: which, a copy has to ask.
  if (array.getLocating() &&
      !llvm::all_of(array.getType().getFormat().getLevels().drop_front(),
                    [](const Level &level) { return level.isListed(); }))
    return failure();
  AssembleOp copy = findOrMakeCopy(statement, array, order);
  llvm::SmallPtrSet<Operation *, 4> lone = findLoneWalks(statement, array);
  array.getResult().replaceUsesWithIf(copy, [&](OpOperand &use) {
    return isa<AccessOp>(use.getOwner()) &&
           statement->isProperAncestor(use.getOwner());
  });
  deriveLoops(statement, copy, lone);
  remark::passed(statement.getLoc(),
                 remark::RemarkOpts::name("Sort").category("cin-sort-operands"))
      << evaluate.getNameOf(array) << " is sorted: the statement "
      << disorder.message;
  return success();
}

namespace {
struct SortOperands : public ember::cin::impl::SortOperandsBase<SortOperands> {
  void runOnOperation() override {
    getOperation()->walk([](EvaluateOp evaluate) {
      while (std::optional<Disorder> disorder = findDisorder(evaluate))
        if (failed(sortOperand(evaluate, *disorder)))
          return;
    });
  }
};
} // namespace
