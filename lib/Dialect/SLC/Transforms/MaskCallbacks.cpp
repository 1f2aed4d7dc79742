//===- MaskCallbacks.cpp - Leave out callbacks that do nothing ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//                                     %ok = slc.cmp_str ne %i, %pad
//                                     %n = slc.sel_str %ok, %length, %c0
//   slc.for %e = %c0 to %length {     slc.for %e = %c0 to %n {
//     slc.callback ite {                slc.callback ite {
//       %id = str_to_val %i        =>     %old = load %out[%b, %e]
//       %ok = cmpi ne, %id, %pad          store %old + %v, %out[%b, %e]
//       %old = load %out[%b, %e]        }
//       %sum = select %ok,            }
//                %old + %v, %old
//       store %sum, %out[%b, %e]
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "StreamedValues.h"

#include "ember/Analysis/OnlyReads.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {
#define GEN_PASS_DEF_MASKCALLBACKS
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::Event;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

//===----------------------------------------------------------------------===//
// What stands under a condition
//===----------------------------------------------------------------------===//

static bool isInside(Value value, CallbackOp callback) {
  return callback.getRegion().isAncestor(value.getParentRegion());
}

namespace {
/// Under which condition a callback does anything, and how to make it do that
/// always.
class Guard {
public:
  Guard(CallbackOp callback, bool selects)
      : callback(callback), selects(selects) {}

  /// Fails if the callback is under no condition.
  LogicalResult find();
  void remove();

  /// The branch that all of the callback stands in; null if there is none.
  scf::IfOp getBranch() const { return branch; }

  CallbackOp callback;
  Value condition;
  bool whereTrue = true;
  /// What the results are where the condition does not hold.
  SmallVector<Value> otherwise;

private:
  LogicalResult findBranch();
  LogicalResult findSelects();
  bool addSelect(Value value, llvm::function_ref<bool(Value)> isOld);
  bool addStore(memref::StoreOp store);

  bool selects;
  scf::IfOp branch;
  SmallVector<arith::SelectOp> choices;
};
} // namespace

/// The callback is reads, arithmetic and one branch with nothing on one side.
LogicalResult Guard::findBranch() {
  for (Operation &op : callback.getBody()->without_terminator()) {
    auto candidate = dyn_cast<scf::IfOp>(op);
    if (candidate && !branch)
      branch = candidate;
    else if (!onlyReads(&op))
      return failure();
  }
  if (!branch)
    return failure();
  auto isEmpty = [](Region &region) {
    return region.empty() || llvm::hasSingleElement(region.front());
  };
  whereTrue = isEmpty(branch.getElseRegion());
  if (!whereTrue && !isEmpty(branch.getThenRegion()))
    return failure();
  condition = branch.getCondition();
  for (Value value : callback.getYield().getOperands()) {
    auto result = dyn_cast<OpResult>(value);
    if (result && result.getOwner() == branch)
      value = (whereTrue ? branch.elseYield() : branch.thenYield())
                  .getOperand(result.getResultNumber());
    if (isInside(value, callback))
      return failure();
    otherwise.push_back(value);
  }
  return success();
}

/// Notes that `value` is chosen by the condition of all choices, and is old
/// where that does not hold.
bool Guard::addSelect(Value value, llvm::function_ref<bool(Value)> isOld) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice || choice->getBlock() != callback.getBody() ||
      !value.hasOneUse() || (condition && choice.getCondition() != condition))
    return false;
  bool isChosenWhereTrue = isOld(choice.getFalseValue());
  if (!isChosenWhereTrue && !isOld(choice.getTrueValue()))
    return false;
  if (condition && whereTrue != isChosenWhereTrue)
    return false;
  condition = choice.getCondition();
  whereTrue = isChosenWhereTrue;
  choices.push_back(choice);
  return true;
}

/// True if `store` writes what was there, but for a condition.
bool Guard::addStore(memref::StoreOp store) {
  return addSelect(store.getValueToStore(), [&](Value value) {
    auto load = value.getDefiningOp<memref::LoadOp>();
    if (!load || load->getBlock() != store->getBlock() ||
        load.getMemRef() != store.getMemRef() ||
        !llvm::equal(load.getIndices(), store.getIndices()))
      return false;
    // Nothing is written between.
    for (Operation *op = load->getNextNode(); op != store;
         op = op->getNextNode())
      if (!onlyReads(op))
        return false;
    return true;
  });
}

/// The callback does nothing but to store or hand on what a condition chooses.
LogicalResult Guard::findSelects() {
  for (Operation &op : callback.getBody()->without_terminator()) {
    auto store = dyn_cast<memref::StoreOp>(op);
    if (store ? !addStore(store) : !onlyReads(&op))
      return failure();
  }
  for (Value value : callback.getYield().getOperands()) {
    if (!isInside(value, callback)) {
      otherwise.push_back(value);
      continue;
    }
    if (!addSelect(value, [&](Value old) { return !isInside(old, callback); }))
      return failure();
    auto choice = cast<arith::SelectOp>(value.getDefiningOp());
    otherwise.push_back(whereTrue ? choice.getFalseValue()
                                  : choice.getTrueValue());
  }
  return success(condition != nullptr);
}

LogicalResult Guard::find() {
  // A branch in one that a mask has taken the place of already: what there is
  // without it must be what there is without the mask.
  if (callback.getMask())
    return success(succeeded(findBranch()) &&
                   llvm::equal(otherwise, callback.getOtherwise()));
  if (succeeded(findBranch()))
    return success();
  branch = nullptr;
  otherwise.clear();
  return selects ? findSelects() : failure();
}

/// Takes the code out of the condition.
void Guard::remove() {
  for (arith::SelectOp choice : choices) {
    choice.replaceAllUsesWith(whereTrue ? choice.getTrueValue()
                                        : choice.getFalseValue());
    choice.erase();
  }
  if (!branch)
    return;
  Region &taken = whereTrue ? branch.getThenRegion() : branch.getElseRegion();
  if (!taken.empty()) {
    Operation *yield = taken.front().getTerminator();
    branch->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(),
                                               taken.front().getOperations());
  }
  branch.erase();
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

/// Erases reads and arithmetic that nothing in `callback` needs.
static void eraseDeadCode(CallbackOp callback) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*callback.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Makes two callbacks of one that does something for both outcomes of its only
/// branch: each iteration has the token of one of them, and no operand says of
/// which. In an innermost loop they would be one again.
static CallbackOp splitBranch(CallbackOp callback, LoopOpInterface root) {
  if (callback.getMask() || callback.getEvent() == Event::ite ||
      callback.getNumResults() != 0)
    return nullptr;
  scf::IfOp branch;
  for (Operation &op : callback.getBody()->without_terminator()) {
    auto candidate = dyn_cast<scf::IfOp>(op);
    if (candidate && !branch)
      branch = candidate;
    else if (!isMemoryEffectFree(&op))
      return nullptr;
  }
  if (!branch || !branch.elseBlock() ||
      llvm::hasSingleElement(*branch.thenBlock()) ||
      llvm::hasSingleElement(*branch.elseBlock()) ||
      !StreamedValues(root).canStream(branch.getCondition()))
    return nullptr;
  auto copy = cast<CallbackOp>(callback->clone());
  callback->getBlock()->getOperations().insertAfter(callback->getIterator(),
                                                    copy);
  auto clear = [](Block *block) {
    while (!llvm::hasSingleElement(*block))
      block->getTerminator()->getPrevNode()->erase();
  };
  clear(branch.elseBlock());
  clear((*copy.getBody()->getOps<scf::IfOp>().begin()).thenBlock());
  return copy;
}

/// Says which condition keeps a callback running that would do nothing.
static void remarkOnCondition(scf::IfOp branch, Operation *obstacle) {
  InFlightDiagnostic remark =
      emitRemark(branch.getLoc())
      << "callback runs whether this condition holds or not: the access unit "
         "cannot compute it";
  if (obstacle)
    remark.attachNote(obstacle->getLoc())
        << "because of '" << obstacle->getName() << "'";
}

/// Gives `callback` a mask if it is under a condition that the access unit can
/// evaluate.
static bool maskCallback(CallbackOp callback, LoopOpInterface root,
                         bool selects) {
  // Not for several callbacks: what it knows of this one is erased below.
  StreamedValues streams(root);
  Guard guard(callback, selects);
  if (failed(guard.find()))
    return false;
  if (!streams.canStream(guard.condition)) {
    if (scf::IfOp branch = guard.getBranch())
      remarkOnCondition(branch, streams.findObstacle(guard.condition));
    return false;
  }
  Value flag = streams.create(guard.condition, callback);
  if (!isa<slc::StreamType>(flag.getType()))
    return false;
  OpBuilder builder(callback);
  if (!guard.whereTrue)
    flag = slc::createNegation(builder, flag);
  if (Value mask = callback.getMask())
    flag = streams.createAnd(mask, flag, callback);
  guard.remove();
  callback.getMaskMutable().assign(flag);
  callback.getOtherwiseMutable().assign(guard.otherwise);
  eraseDeadCode(callback);
  return true;
}

/// Makes choices of the branches of `callback` that only compute: lanes cannot
/// branch.
static void chooseBetweenBranches(CallbackOp callback) {
  callback.walk([](scf::IfOp branch) {
    auto onlyComputes = [](Region &region) {
      return llvm::all_of(
          region.front().without_terminator(),
          [](Operation &op) { return op.getNumRegions() == 0 && isPure(&op); });
    };
    if (branch.getNumResults() == 0 || !onlyComputes(branch.getThenRegion()) ||
        !onlyComputes(branch.getElseRegion()))
      return;
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      branch->getBlock()->getOperations().splice(
          branch->getIterator(), block->getOperations(), block->begin(),
          block->getTerminator()->getIterator());
    OpBuilder builder(branch);
    for (auto [result, taken, other] :
         llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands(),
                         branch.elseYield().getOperands()))
      result.replaceAllUsesWith(arith::SelectOp::create(
          builder, branch.getLoc(), branch.getCondition(), taken, other));
    branch.erase();
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// True if nothing happens in an iteration of `loop` whose callbacks are left
/// out: it hands on what it was given.
static bool handsOnWhatItCarries(slc::ForOp loop) {
  for (auto [i, value] : llvm::enumerate(loop.getYield()->getOperands())) {
    Value otherwise = value;
    auto callback = value.getDefiningOp<CallbackOp>();
    if (callback && callback->getParentOp() == loop)
      otherwise =
          callback.getOtherwise()[cast<OpResult>(value).getResultNumber()];
    if (otherwise != loop.getRegionIterArgs()[i])
      return false;
  }
  return true;
}

/// Leaves an innermost loop out as a whole where a stream of the loops around
/// leaves all of its callbacks out.
static bool predicateLoop(slc::ForOp loop) {
  auto interface = cast<LoopOpInterface>(loop.getOperation());
  auto callbacks = llvm::to_vector(loop.getBody()->getOps<CallbackOp>());
  if (callbacks.empty() || slc::getNestedLoop(interface) ||
      slc::getSegmentCount(interface) ||
      !isa<LoopOpInterface>(loop->getParentOp()) ||
      !loop.getBody()->getOps<slc::StoreStrOp>().empty())
    return false;
  Value mask = callbacks.front().getMask();
  bool isOuter = mask && mask.getParentBlock() != loop.getBody();
  if (!isOuter ||
      !llvm::all_of(
          callbacks,
          [&](CallbackOp callback) { return callback.getMask() == mask; }) ||
      !handsOnWhatItCarries(loop))
    return false;
  OpBuilder builder(loop);
  auto type = slc::StreamType::get(builder.getIndexType());
  loop.getUpperBoundMutable().assign(
      slc::SelStrOp::create(builder, loop.getLoc(), type, mask,
                            loop.getUpperBound(), loop.getLowerBound()));
  for (CallbackOp callback : callbacks) {
    callback.getMaskMutable().clear();
    callback.getOtherwiseMutable().clear();
  }
  return true;
}

namespace {
struct MaskCallbacks : public ember::impl::MaskCallbacksBase<MaskCallbacks> {
  using MaskCallbacksBase::MaskCallbacksBase;

  void runOnOperation() override {
    for (LoopOpInterface root : slc::getNestRoots(getOperation())) {
      SmallVector<CallbackOp> callbacks;
      root->walk([&](CallbackOp callback) { callbacks.push_back(callback); });
      for (CallbackOp callback : llvm::to_vector(callbacks))
        if (CallbackOp other = splitBranch(callback, root))
          callbacks.push_back(other);
      for (CallbackOp callback : callbacks) {
        while (maskCallback(callback, root, selects))
          ++masked;
        auto loop = cast<LoopOpInterface>(callback->getParentOp());
        if (!slc::getNestedLoop(loop))
          chooseBetweenBranches(callback);
      }
      root->walk([&](slc::ForOp loop) { predicated += predicateLoop(loop); });
    }
  }
};
} // namespace
