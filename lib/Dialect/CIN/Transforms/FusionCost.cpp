//===- FusionCost.cpp - How often elements are computed -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionCost.h"
#include "OrderChoice.h"
#include "StatementNest.h"

using namespace mlir;
using namespace ember::cin;

/// What users define may take as long as any function of the table.
static unsigned getCallCost(Function function) {
  if (const Builtin *row = function.getBuiltin())
    return row->cost;
  static const unsigned most =
      llvm::max_element(getBuiltins(), [](const Builtin &a, const Builtin &b) {
        return a.cost < b.cost;
      })->cost;
  return most;
}

static std::optional<unsigned> addCost(Value value, DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || isNamedArray(value) || !seen.insert(value).second)
    return 0;
  if (isa<ReduceOp>(op))
    return std::nullopt;
  unsigned cost = isa<AccessOp>(op) ? 1 : 0;
  if (auto call = dyn_cast<CallOp>(op))
    cost = getCallCost(call.getFunction());
  for (Value operand : op->getOperands()) {
    std::optional<unsigned> mine = addCost(operand, seen);
    if (!mine)
      return std::nullopt;
    cost += *mine;
  }
  return cost;
}

std::optional<unsigned> ember::cin::getCost(Value value) {
  DenseSet<Value> seen;
  return addCost(value, seen);
}

/// Whether a variable of rows runs innermost: it is the last index wherever it
/// is one, as Concretize asks.
static bool isOfRows(BlockArgument variable) {
  return !getRange(variable).first &&
         llvm::all_of(variable.getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           if (!isa<AccessOp, AssignOp>(user))
             return false;
           OperandRange indices = isa<AccessOp>(user)
                                      ? cast<AccessOp>(user).getIndices()
                                      : cast<AssignOp>(user).getIndices();
           return use.getOperandNumber() + 1 ==
                  indices.getBeginOperandIndex() + indices.size();
         });
}

/// The variables around `op`, outer loops first.
static SmallVector<BlockArgument> getLoops(Operation *op, AssignOp consumer,
                                           VariableUses &uses) {
  SmallVector<ForallOp> around;
  (void)getAssignment(getStatement(consumer), around);
  SmallVector<BlockArgument> loops;
  for (ForallOp forall : around)
    llvm::append_range(loops, forall.getVariables());
  SmallVector<ReduceOp> reductions;
  for (auto reduce = op->getParentOfType<ReduceOp>(); reduce;
       reduce = reduce->getParentOfType<ReduceOp>())
    reductions.push_back(reduce);
  BlockArgument row;
  if (!loops.empty() && !reductions.empty() && isOfRows(loops.back()) &&
      uses.depends(reductions.back(), loops.back()))
    row = loops.pop_back_val();
  for (ReduceOp reduce : llvm::reverse(reductions)) {
    llvm::append_range(loops, reduce.getVariables());
    if (row && reduce == reductions.back())
      loops.push_back(row);
  }
  return loops;
}

/// Whether different values of variables make different values of `value`: it
/// is a variable, or one and a number.
static BlockArgument getOnlyVariable(Value value) {
  if (auto apply = value.getDefiningOp<ApplyOp>()) {
    AffineExpr by = apply.getMap().getNumInputs() == 1
                        ? apply.getMap().getResult(0) -
                              getAffineDimExpr(0, apply.getContext())
                        : AffineExpr();
    bool isShift = by && isa<AffineConstantExpr>(simplifyAffineExpr(by, 1, 0));
    return isShift ? dyn_cast<BlockArgument>(apply.getOperands().front())
                   : BlockArgument();
  }
  auto variable = dyn_cast<BlockArgument>(value);
  bool isBound =
      variable && isa<ForallOp, ReduceOp>(variable.getOwner()->getParentOp());
  return isBound ? variable : BlockArgument();
}

bool ember::cin::readsOnce(AccessOp read, AssignOp consumer,
                           const ProducerMatch &match) {
  VariableUses uses;
  llvm::SmallPtrSet<Value, 8> told;
  for (BlockArgument mine : match.getVariables()) {
    Value value = match.getValue(mine);
    if (uses.of(value).empty())
      continue;
    BlockArgument variable = getOnlyVariable(value);
    if (!variable || !told.insert(variable).second)
      return false;
  }
  // A position tells the segment that it is in.
  SmallVector<Value> open(told.begin(), told.end());
  while (!open.empty()) {
    auto [lower, upper] = getRange(cast<BlockArgument>(open.pop_back_val()));
    if (!lower)
      continue;
    for (Value bound : {lower, upper})
      for (Value variable : uses.of(bound))
        if (told.insert(variable).second)
          open.push_back(variable);
  }
  SmallVector<BlockArgument> loops = getLoops(read, consumer, uses);
  while (!loops.empty() && !told.contains(loops.back()))
    loops.pop_back();
  return llvm::all_of(loops,
                      [&](BlockArgument loop) { return told.contains(loop); });
}

/// Adds what a statement costs in its best order to `costs`, by scenario.
/// False, and nothing is added, if that is not known.
static bool addCosts(ForallOp statement, SmallVector<double> &costs) {
  LoopChain chain(statement);
  AssignOp assign = chain.getAssignment();
  if (!assign)
    return false;
  OrderChoice choice(statement, assign, chain.variables);
  if (!choice.hasAny())
    return false;
  SmallVector<double> mine = choice.getCosts(choice.choose(), /*copies=*/{});
  costs.resize(mine.size());
  for (auto [sum, cost] : llvm::zip_equal(costs, mine))
    sum += cost;
  return true;
}

bool ember::cin::isSlower(ArrayRef<ForallOp> fused, ArrayRef<ForallOp> apart) {
  SmallVector<double> mine, others;
  auto areKnown = [](ArrayRef<ForallOp> statements,
                     SmallVector<double> &costs) {
    return llvm::all_of(statements, [&](ForallOp statement) {
      return addCosts(statement, costs);
    });
  };
  if (!areKnown(fused, mine) || !areKnown(apart, others))
    return false;
  return llvm::any_of(llvm::zip_equal(mine, others), [](auto pair) {
    auto [cost, other] = pair;
    return cost > OrderChoice::gain * other;
  });
}
