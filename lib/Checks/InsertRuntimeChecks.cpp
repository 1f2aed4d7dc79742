//===- InsertRuntimeChecks.cpp - Check every access at run time -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what each operation needs checked (AccessChecks, ViewChecks,
// OperationChecks), moves checks out of loops (CheckHoisting), drops those that
// hold for certain or repeat one before them (RangeCheck), and emits the rest.
//
//===----------------------------------------------------------------------===//

#include "CheckCollector.h"
#include "ember/ABI/RuntimeCalls.h"
#include "ember/Checks/Passes.h"
#include "ember/Runtime/Runtime.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/RuntimeOpVerification.h"
#include "llvm/ADT/SCCIterator.h"

namespace ember::checks {
using namespace mlir;

#define GEN_PASS_DEF_INSERTRUNTIMECHECKS
#include "ember/Checks/Passes.h.inc"

namespace {
/// The checks emitted so far, by the block they stand in.
class EmittedChecks {
public:
  /// Whether the same range has been checked in front of `check`, in its block
  /// or in one around it. Notes it otherwise.
  bool covers(const RangeCheck &check);

private:
  static bool isSame(const RangeCheck &a, const RangeCheck &b) {
    return a.points == b.points && a.size == b.size && a.guards == b.guards &&
           a.conditions == b.conditions && !a.activeLanes && !b.activeLanes;
  }
  llvm::DenseMap<Block *, std::vector<RangeCheck>> byBlock;
};

struct InsertRuntimeChecks
    : impl::InsertRuntimeChecksBase<InsertRuntimeChecks> {
  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    memref::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  }
  void runOnOperation() override;

private:
  LogicalResult checkFunction(func::FuncOp func);
};
} // namespace

bool EmittedChecks::covers(const RangeCheck &check) {
  Operation *place = check.anchor;
  // Checks are emitted in program order, so what is noted for a block around
  // this place stands before it.
  while (place && !isa<func::FuncOp>(place)) {
    for (const RangeCheck &earlier : byBlock[place->getBlock()])
      if (isSame(earlier, check))
        return true;
    place = place->getParentOp();
  }
  byBlock[check.anchor->getBlock()].push_back(check);
  return false;
}

LogicalResult InsertRuntimeChecks::checkFunction(func::FuncOp func) {
  SmallVector<Operation *> operations;
  func.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operations.push_back(op); });

  for (Operation *op : operations)
    definePoison(op);

  IndexExprs exprs;
  std::vector<RangeCheck> checks;
  // These stay until checks have taken their places.
  SmallVector<Operation *> settled;
  for (Operation *op : operations) {
    if (collectBounds(op, exprs, checks))
      settled.push_back(op);
    else if (failed(collectAccessChecks(op, exprs, checks)) ||
             failed(collectViewChecks(op, exprs, checks)))
      return failure();
  }
  // Assertions that the checks of views brought are among these.
  SmallVector<Operation *> assertions;
  func.walk([&](cf::AssertOp op) { assertions.push_back(op); });
  for (Operation *op : operations)
    if (!isa<cf::AssertOp>(op))
      emitOperationChecks(op, exprs);
  for (Operation *op : assertions)
    if (!llvm::is_contained(settled, op))
      emitOperationChecks(op, exprs);

  EmittedChecks earlier;
  for (RangeCheck &check : checks) {
    hoisted += hoistCheck(check, exprs) > 0;
    OpenComparisons open = findOpenComparisons(check, exprs);
    if (open.empty() || isProvenByLoops(check, exprs) ||
        earlier.covers(check)) {
      ++proven;
      continue;
    }
    emitCheck(check, open, exprs);
    ++emitted;
  }
  for (Operation *op : settled)
    op->erase();
  return success();
}

/// Functions that call themselves, if only through others, check at their entry
/// how far they have come.
static void checkRecursion(ModuleOp module) {
  RuntimeCalls runtime(module);
  CallGraph graph(module);
  const CallGraph *nodes = &graph;
  for (auto group = llvm::scc_begin(nodes); !group.isAtEnd(); ++group) {
    if (!group.hasCycle())
      continue;
    for (CallGraphNode *node : *group) {
      Region *body = node->getCallableRegion();
      OpBuilder builder = OpBuilder::atBlockBegin(&body->front());
      LLVM::LLVMFuncOp check =
          runtime.declare(EMBER_RUNTIME(ember_check_recursion));
      LLVM::CallOp::create(builder, body->getLoc(), check, ValueRange());
    }
  }
}

void InsertRuntimeChecks::runOnOperation() {
  for (auto func : getOperation().getOps<func::FuncOp>())
    if (failed(checkFunction(func)))
      return signalPassFailure();
  checkRecursion(getOperation());
}

} // namespace ember::checks
