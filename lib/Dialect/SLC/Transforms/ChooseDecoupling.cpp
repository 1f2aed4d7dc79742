//===- ChooseDecoupling.cpp - Choose the loops the access unit traverses --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeadCarriedValues.h"
#include "InlineCalls.h"
#include "Predication.h"
#include "SegmentLoops.h"
#include "SinkCompute.h"

#include "ember/Analysis/DecouplingPlan.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace ember {
#define GEN_PASS_DEF_CHOOSEDECOUPLING
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::Event;

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

static bool isInside(Value value, scf::ForOp root) {
  return root->isAncestor(value.getParentRegion()->getParentOp());
}

/// Takes `affine.apply` ops, in which upstream folds views, to arith.
static void lowerAffineApplies(scf::ForOp root) {
  SmallVector<Operation *> applies;
  root->walk([&](affine::AffineApplyOp apply) { applies.push_back(apply); });
  RewritePatternSet patterns(root.getContext());
  populateAffineToStdConversionPatterns(patterns);
  (void)applyOpPatternsGreedily(applies, std::move(patterns));
}

/// Rewrites loads and stores through views made inside the nest to accesses of
/// the viewed memref, so that their addresses are plain index arithmetic.
static void foldViewsInside(scf::ForOp root) {
  SmallVector<Operation *> accesses;
  root->walk([&](Operation *op) {
    Value memref;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      memref = load.getMemref();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      memref = store.getMemref();
    if (memref && isInside(memref, root))
      accesses.push_back(op);
  });
  if (accesses.empty())
    return;
  RewritePatternSet patterns(root.getContext());
  memref::populateFoldMemRefAliasOpPatterns(patterns);
  // Failing to converge only leaves views in place, which are then compute.
  (void)applyOpPatternsGreedily(accesses, std::move(patterns));
  lowerAffineApplies(root);
  SmallVector<Operation *> dead;
  root->walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface>(op) && isOpTriviallyDead(op))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    if (op->use_empty())
      op->erase();
}

/// Moves stack buffers out of the nest: a callback could not hand one on, and
/// in a loop each iteration would take more of the stack. Contents of a new
/// buffer are undefined, so one for all iterations does.
static void hoistStackBuffers(scf::ForOp root) {
  root->walk([&](memref::AllocaOp alloca) {
    bool fixed = llvm::none_of(alloca->getOperands(), [&](Value size) {
      return isInside(size, root);
    });
    if (fixed)
      alloca->moveBefore(root);
  });
}

/// Moves out what is fixed during the whole nest. Code that is invariant in
/// inner loops only stays where it is: a callback at an outer level would cost
/// a token.
static void hoistFixedCode(scf::ForOp root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool fixed = op->getNumRegions() == 0 && isPure(op) &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return !isInside(operand, root);
                 });
    if (fixed && !op->hasTrait<OpTrait::IsTerminator>())
      op->moveBefore(root);
  });
}

static void prepare(scf::ForOp &root) {
  dropDeadCarriedValues(root);
  foldViewsInside(root);
  hoistStackBuffers(root);
  hoistFixedCode(root);
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

namespace {
/// Moves the compute code of one offloaded loop's body into callbacks.
class CallbackPlacement {
public:
  CallbackPlacement(scf::ForOp loop, scf::ForOp nested,
                    const DecouplingPlan &plan)
      : loop(loop), nested(nested), plan(plan) {}

  void run();

private:
  void place(Event event, ArrayRef<Operation *> ops, Operation *before);

  scf::ForOp loop, nested;
  const DecouplingPlan &plan;
};
} // namespace

/// The operands of `before`, a terminator or a nested loop, that the execute
/// unit passes on: all loop-carried values but those that the access unit sums
/// up.
static SmallVector<OpOperand *> getPassedOperands(scf::ForOp loop,
                                                  Operation *before,
                                                  const DecouplingPlan &plan) {
  bool isEnd = before == loop.getBody()->getTerminator();
  auto carrier = isEnd ? loop : cast<scf::ForOp>(before);
  SmallVector<OpOperand *> passed;
  for (BlockArgument argument : carrier.getRegionIterArgs())
    if (!plan.isRunningSum(argument))
      passed.push_back(isEnd ? carrier.getTiedLoopYieldedValue(argument)
                             : carrier.getTiedLoopInit(argument));
  return passed;
}

/// Wraps `ops` in a callback in front of `before`. Values that code outside of
/// the callback needs become its results; so do the offloaded values that the
/// terminator (or the nested loop's initial values) at `before` pass on.
void CallbackPlacement::place(Event event, ArrayRef<Operation *> ops,
                              Operation *before) {
  SmallVector<OpOperand *> passed = getPassedOperands(loop, before, plan);
  llvm::SmallSetVector<Value, 4> results;
  SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value value : op->getResults()) {
      bool usedOutside = llvm::any_of(value.getUsers(), [&](Operation *user) {
        while (user->getBlock() != loop.getBody())
          user = user->getParentOp();
        return !inside.contains(user);
      });
      if (usedOutside)
        results.insert(value);
    }
  SmallVector<Value> handedOver;
  for (OpOperand *operand : passed)
    if (plan.isStreamed(operand->get()) && results.insert(operand->get()))
      handedOver.push_back(operand->get());
  if (ops.empty() && results.empty())
    return;

  OpBuilder builder(before);
  Location loc = ops.empty() ? loop.getLoc() : ops.front()->getLoc();
  SmallVector<Type> types;
  for (Value value : results)
    types.push_back(value.getType());
  auto callback = CallbackOp::create(builder, loc, event, types);
  Block *body = callback.getBody();
  for (Operation *op : ops)
    op->moveBefore(body, types.empty() ? Block::iterator(body->getTerminator())
                                       : body->end());
  if (!types.empty()) {
    OpBuilder inner = OpBuilder::atBlockEnd(body);
    slc::YieldOp::create(inner, loc, results.getArrayRef());
  }
  for (auto [value, result] : llvm::zip_equal(results, callback.getResults())) {
    if (llvm::is_contained(handedOver, value)) {
      // Streams keep reading the value itself.
      for (OpOperand *operand : passed)
        if (operand->get() == value)
          operand->set(result);
      continue;
    }
    Value(value).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !callback->isProperAncestor(use.getOwner());
    });
  }
}

void CallbackPlacement::run() {
  SmallVector<Operation *> before, after;
  bool passedNested = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == nested) {
      passedNested = true;
      continue;
    }
    if (!plan.isOffloaded(&op))
      (passedNested ? after : before).push_back(&op);
  }
  Operation *terminator = loop.getBody()->getTerminator();
  if (!nested) {
    place(Event::ite, before, terminator);
    return;
  }
  place(Event::beg, before, nested);
  place(Event::end, after, terminator);
}

/// Streams that stand after the nested loop are computed before it, where the
/// access unit can run ahead with them; they depend on no compute code.
static void moveStreamsBefore(scf::ForOp loop, scf::ForOp nested,
                              const DecouplingPlan &plan) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    if (plan.isOffloaded(&op) && nested->isBeforeInBlock(&op))
      op.moveBefore(nested);
}

/// Notes which loop-carried values the access unit sums up.
static void markRunningSums(scf::ForOp loop, const DecouplingPlan &plan) {
  SmallVector<int64_t> positions;
  for (auto [position, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (plan.isRunningSum(argument))
      positions.push_back(static_cast<int64_t>(position));
  if (!positions.empty())
    loop->setAttr("slc.running_sums",
                  DenseI64ArrayAttr::get(loop.getContext(), positions));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// True for what holds code of programs below slc.
static bool isSeparated(Operation *op) {
  return isa_and_present<dlc::ProgramOp>(op) ||
         (op && op->hasAttr(ring::RingDialect::halfAttr));
}

/// Whether an outer loop of the execute unit has a nest in it that is decoupled
/// already.
static bool holdsDecoupled(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        return isa<slc::LoopOpInterface, dlc::ProgramOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct ChooseDecoupling
    : public ember::impl::ChooseDecouplingBase<ChooseDecoupling> {
  using ChooseDecouplingBase::ChooseDecouplingBase;

  void runOnOperation() override {
    formSegmentLoops(getOperation(), MemoryAliasing(getOperation(), mayAlias));
    remarkOnWhileLoops();
    SmallVector<scf::ForOp> roots;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Programs may mix levels: what is decoupled already stays so.
      if (isSeparated(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        return WalkResult::advance();
      bool marked = loop->hasAttr("slc.decouple");
      if (!marked && !loop->getParentOfType<slc::LoopOpInterface>())
        roots.push_back(loop);
      return WalkResult::skip();
    });
    // While no function that is called holds callbacks yet.
    for (scf::ForOp root : roots)
      inlineCalls(root);
    // Calls, which are gone now, say what functions' arguments are.
    MemoryAliasing aliasing(getOperation(), mayAlias);
    while (!roots.empty())
      decouple(roots.pop_back_val(), aliasing, roots);
    remarkOnRefused();
    restoreSegmentLoops(getOperation());
  }

private:
  /// What is not offloaded is known when all nests are chosen: a loop that is
  /// none of its nest's may be one of a nest of its own. The loops are still
  /// those that were looked at.
  void remarkOnRefused() {
    for (auto &[loop, reason] : refused)
      if (!reason.empty() && said[loop->getLoc()].insert(reason).second)
        emitRemark(loop->getLoc()) << "loop is not offloaded: " << reason;
    refused.clear();
    said.clear();
  }

  void remarkOnCondition(const DecouplingPlan::UnknownCondition &unknown) {
    scf::IfOp branch = unknown.branch;
    if (!said[branch.getLoc()].insert(unknown.reason).second)
      return;
    InFlightDiagnostic remark =
        emitRemark(branch.getLoc())
        << "what is read under a condition stays in the execute unit: it "
        << unknown.reason;
    if (unknown.culprit)
      remark.attachNote(unknown.culprit->getLoc()) << "here";
  }

  /// The access unit traverses ranges; co-iteration, for example, compares what
  /// it has loaded before it knows where to go on.
  void remarkOnWhileLoops() {
    getOperation()->walk([](scf::WhileOp loop) {
      if (!loop->getParentOfType<slc::LoopOpInterface>() &&
          !loop->getParentOfType<dlc::ProgramOp>() &&
          !isSeparated(loop->getParentOfType<func::FuncOp>()))
        emitRemark(loop.getLoc())
            << "loop is not offloaded: an 'scf.while' traverses no range, the "
               "execute unit decides in each iteration whether it goes on";
    });
  }

  /// Decouples the nest under `root`, or proposes its inner loops as roots.
  void decouple(scf::ForOp root, const MemoryAliasing &aliasing,
                SmallVectorImpl<scf::ForOp> &roots) {
    if (holdsDecoupled(root)) {
      proposeInner(root, roots);
      return;
    }
    prepare(root);
    if (auto call = dyn_cast_if_present<func::CallOp>(findCallOfLoops(root))) {
      refused[root] = "the call of '" + call.getCallee().str() +
                      "' in it runs loops of its own";
      proposeInner(root, roots);
      return;
    }
    NestMemory memory(root, aliasing);
    DecouplingPlan plan(root, memory);
    for (const DecouplingPlan::Refusal &refusal : plan.getRefusals())
      refused[refusal.loop] = refusal.reason;
    ArrayRef<scf::ForOp> chain = plan.getChain();
    for (scf::ForOp loop : chain)
      refused[loop].clear();
    if (chain.empty()) {
      proposeInner(root, roots);
      return;
    }
    for (const DecouplingPlan::UnknownCondition &unknown :
         plan.getUnknownConditions())
      remarkOnCondition(unknown);
    takeOutOfConditions(plan);
    ++numNests;
    numLoops += chain.size();
    for (size_t level = 0; level + 1 < chain.size(); ++level)
      sinkCompute(chain[level], chain[level + 1], plan);
    for (size_t level = chain.size(); level-- > 0;) {
      scf::ForOp loop = chain[level];
      scf::ForOp nested;
      if (level + 1 < chain.size())
        nested = chain[level + 1];
      loop->setAttr("slc.decouple", UnitAttr::get(&getContext()));
      markRunningSums(loop, plan);
      if (nested)
        moveStreamsBefore(loop, nested, plan);
      CallbackPlacement(loop, nested, plan).run();
    }
  }

  /// An inner nest may qualify where the whole does not, for example when only
  /// the outer loop calls a function. Loops that found nothing to load have
  /// nothing inside either.
  void proposeInner(scf::ForOp root, SmallVectorImpl<scf::ForOp> &roots) {
    root.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<slc::LoopOpInterface>(op) || isSeparated(op))
        return WalkResult::skip();
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        return WalkResult::advance();
      roots.push_back(loop);
      return WalkResult::skip();
    });
  }

  /// Why a loop was not offloaded when it was last looked at; empty if it is.
  llvm::MapVector<Operation *, std::string> refused;
  llvm::DenseMap<Location, llvm::StringSet<>> said;
};
} // namespace
