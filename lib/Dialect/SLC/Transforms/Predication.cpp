//===- Predication.cpp - Conditions as masks and ranges -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access unit traverses and does not branch. A loop that runs under a
// condition is one that traverses nothing where the condition does not hold,
// and a load under one is a load with a mask, which stands under the condition
// alone and has another value there:
//
//   scf.if %ok {                          %w = scf.if %ok {
//     %w = load %weights[%i]                %a = load %weights[%i]
//     scf.for %e = %c0 to %n {              yield %a
//       use %table[%i, %e], %w            } else {
//     }                                     yield %zero
//     after                       =>      }
//   } else {                              %end = arith.select %ok, %n, %c0
//     other                               scf.for %e = %c0 to %end {
//   }                                       use %table[%i, %e], %w
//                                         }
//                                         scf.if %ok {
//                                           after
//                                         } else {
//                                           other
//                                         }
//
// So padding is skipped, and a lookup is made only where its index is valid.
// A condition in a branch of another one holds where both do.
//
//===----------------------------------------------------------------------===//

#include "Predication.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember;

namespace {
/// Where code of a branch runs: where `outer` holds, which is null outside of
/// all conditions, and `condition` does or, for an else branch, does not.
class Mask {
public:
  Mask() = default;
  Mask(Mask *outer, Value condition, bool whereTrue)
      : outer(outer), condition(condition), whereTrue(whereTrue) {}

  explicit operator bool() const { return condition != nullptr; }

  /// The mask as a value, which `builder` computes where nobody has asked for
  /// it yet.
  Value get(OpBuilder &builder, Location loc, DecouplingPlan &plan);

  /// `taken` where the mask holds, `other` elsewhere.
  Value select(OpBuilder &builder, Location loc, Value taken, Value other,
               DecouplingPlan &plan);

private:
  Mask *outer = nullptr;
  Value condition;
  bool whereTrue = true;
  Value value;
};

/// The body of one loop of a plan.
class Predication {
public:
  Predication(scf::ForOp loop, scf::ForOp nested, DecouplingPlan &plan)
      : loop(loop), nested(nested), plan(plan), builder(loop) {}

  void run();

private:
  void takeOut(scf::IfOp branch, Mask &mask);
  void takeOut(Block &block, Mask &mask);
  void takeOutLoad(memref::LoadOp load, Mask &mask);
  void takeOutLoop(Mask &mask);
  void moveOut(Value value);
  Value chooseLoad(Value loaded, Value other);
  Value choose(OpResult result);

  scf::ForOp loop, nested;
  DecouplingPlan &plan;
  OpBuilder builder;
  /// The outermost condition that things are taken out of.
  scf::IfOp outermost;
  /// Loads under masks that are something else already where nothing is loaded.
  DenseSet<Operation *> chosen;
};
} // namespace

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value Mask::get(OpBuilder &builder, Location loc, DecouplingPlan &plan) {
  if (value)
    return value;
  value = condition;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!whereTrue && compare) {
    value = arith::CmpIOp::create(
        builder, loc, arith::invertPredicate(compare.getPredicate()),
        compare.getLhs(), compare.getRhs());
  } else if (!whereTrue) {
    OpBuilder outside(plan.getChain().front());
    Value set = arith::ConstantIntOp::create(outside, loc, 1, 1);
    value = arith::XOrIOp::create(builder, loc, condition, set);
  }
  if (!whereTrue)
    plan.addOffloaded(value.getDefiningOp());
  if (*outer) {
    value = arith::AndIOp::create(builder, loc, outer->get(builder, loc, plan),
                                  value);
    plan.addOffloaded(value.getDefiningOp());
  }
  return value;
}

Value Mask::select(OpBuilder &builder, Location loc, Value taken, Value other,
                   DecouplingPlan &plan) {
  bool isNegated = !whereTrue && !*outer;
  Value flag = isNegated ? condition : get(builder, loc, plan);
  auto choice = arith::SelectOp::create(
      builder, loc, flag, isNegated ? other : taken, isNegated ? taken : other);
  plan.addOffloaded(choice);
  return choice;
}

//===----------------------------------------------------------------------===//
// Taking out
//===----------------------------------------------------------------------===//

/// The load takes the place of itself under its mask.
void Predication::takeOutLoad(memref::LoadOp load, Mask &mask) {
  Location loc = load.getLoc();
  Value flag = mask.get(builder, loc, plan);
  auto masked = scf::IfOp::create(builder, loc, load.getType(), flag,
                                  /*withElseRegion=*/true);
  load.getResult().replaceAllUsesWith(masked.getResult(0));
  load->moveBefore(masked.thenBlock(), masked.thenBlock()->end());
  auto inside = OpBuilder::atBlockEnd(masked.thenBlock());
  scf::YieldOp::create(inside, loc, load.getResult());
  OpBuilder outside(plan.getChain().front());
  Value zero = arith::ConstantOp::create(outside, loc,
                                         outside.getZeroAttr(load.getType()));
  inside.setInsertionPointToEnd(masked.elseBlock());
  scf::YieldOp::create(inside, loc, zero);
  plan.replaceOffloaded(load, masked);
}

/// Takes what computes `value` out of conditions.
void Predication::moveOut(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !outermost->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    moveOut(operand);
  op->moveBefore(outermost);
}

void Predication::takeOutLoop(Mask &mask) {
  SetVector<Value> read;
  nested->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!nested->isAncestor(operand.getParentRegion()->getParentOp()))
        read.insert(operand);
  });
  for (Value value : read)
    moveOut(value);
  nested.setUpperBound(mask.select(builder, nested.getLoc(),
                                   nested.getUpperBound(),
                                   nested.getLowerBound(), plan));
  nested->moveBefore(outermost);
}

/// `loaded`, under a mask, with `other` where the mask is false.
Value Predication::chooseLoad(Value loaded, Value other) {
  auto masked = loaded.getDefiningOp<scf::IfOp>();
  if (masked.elseYield().getOperand(0) == other)
    return loaded;
  Operation *source = other.getDefiningOp();
  bool isBehind = source && source->getBlock() == masked->getBlock() &&
                  masked->isBeforeInBlock(source);
  bool canMove = llvm::all_of(loaded.getUsers(), [&](Operation *user) {
    return outermost->isAncestor(user);
  });
  // The branch uses it only where it is loaded, and leaves what it is elsewhere
  // to the first who asks.
  if ((isBehind && !canMove) || !chosen.insert(masked).second)
    masked = cast<scf::IfOp>(builder.clone(*masked));
  else if (isBehind)
    masked->moveBefore(outermost);
  plan.addOffloaded(masked);
  chosen.insert(masked);
  masked.elseYield()->setOperand(0, other);
  return masked.getResult(0);
}

/// The stream that is `result`, whose branches are taken out; null if there is
/// none.
Value Predication::choose(OpResult result) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  Value taken = branch.thenYield().getOperand(result.getResultNumber());
  Value other = branch.elseYield().getOperand(result.getResultNumber());
  switch (plan.getChoice(result)) {
  case DecouplingPlan::Choice::thenLoads:
    return chooseLoad(taken, other);
  case DecouplingPlan::Choice::elseLoads:
    return chooseLoad(other, taken);
  case DecouplingPlan::Choice::select: {
    auto choice = arith::SelectOp::create(builder, branch.getLoc(),
                                          branch.getCondition(), taken, other);
    plan.addOffloaded(choice);
    return choice;
  }
  case DecouplingPlan::Choice::none:
    return nullptr;
  }
}

void Predication::takeOut(Block &block, Mask &mask) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      takeOut(branch, mask);
    else if (&op == nested)
      takeOutLoop(mask);
    else if (!plan.isOffloaded(&op))
      continue;
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      takeOutLoad(load, mask);
    else
      op.moveBefore(outermost);
  }
}

void Predication::takeOut(scf::IfOp branch, Mask &mask) {
  Mask whereTrue(&mask, branch.getCondition(), true);
  Mask whereFalse(&mask, branch.getCondition(), false);
  bool isAround = nested && branch->isProperAncestor(nested);
  bool isThen =
      isAround && branch.getThenRegion().isAncestor(nested->getParentRegion());
  takeOut(*branch.thenBlock(), whereTrue);
  if (Block *block = branch.elseBlock())
    takeOut(*block, whereFalse);

  // What the loop gives is what its condition gives.
  if (isAround && branch.getNumResults() != 0)
    branch.replaceAllUsesWith(llvm::to_vector(
        (isThen ? branch.thenYield() : branch.elseYield()).getOperands()));
  for (OpResult result : branch.getResults())
    if (!result.use_empty())
      if (Value stream = choose(result))
        result.replaceAllUsesWith(stream);
  bool isEmpty =
      llvm::hasSingleElement(*branch.thenBlock()) &&
      (!branch.elseBlock() || llvm::hasSingleElement(*branch.elseBlock()));
  if (!isEmpty)
    return;
  OpBuilder choices(branch);
  for (OpResult result : branch.getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(arith::SelectOp::create(
          choices, branch.getLoc(), branch.getCondition(),
          branch.thenYield().getOperand(result.getResultNumber()),
          branch.elseYield().getOperand(result.getResultNumber())));
  branch.erase();
}

void Predication::run() {
  Mask always;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || plan.isOffloaded(branch))
      continue;
    outermost = branch;
    builder.setInsertionPoint(branch);
    takeOut(branch, always);
  }
}

void ember::takeOutOfConditions(DecouplingPlan &plan) {
  ArrayRef<scf::ForOp> chain = plan.getChain();
  for (auto [level, loop] : llvm::enumerate(chain)) {
    scf::ForOp nested;
    if (level + 1 < chain.size())
      nested = chain[level + 1];
    Predication(loop, nested, plan).run();
  }
}
