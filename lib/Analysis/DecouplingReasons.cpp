//===- DecouplingReasons.cpp - Why something stays in the execute unit ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words for what a decoupling plan leaves to the execute unit.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/DecouplingPlan.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Dialect/SLC/IR/StreamArithmetic.h"

using namespace mlir;
using namespace ember;

static std::string quote(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

/// The first condition around `op`, from outside, that is unknown to the access
/// unit; null if there is none.
scf::IfOp DecouplingPlan::findUnknownCondition(Operation *op) {
  scf::IfOp unknown;
  for (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()); branch;
       branch = dyn_cast<scf::IfOp>(branch->getParentOp()))
    if (!isStreamable(branch.getCondition()))
      unknown = branch;
  return unknown;
}

/// What keeps the access unit from computing `value`, and where.
std::string DecouplingPlan::explainValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "is carried from iteration to iteration";
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return "is loaded, and " + explainLoad(load);
  culprit = op;
  if (!getLoopAround(op))
    return "is computed in " + quote(op->getParentOp());
  if (scf::IfOp branch = findUnknownCondition(op))
    return "is computed under a condition that " +
           explainValue(branch.getCondition());
  if (isa<scf::ForOp>(op))
    return "is the result of a loop";
  SmallVector<Value> operands(op->getOperands());
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned position = cast<OpResult>(value).getResultNumber();
    operands.push_back(branch.thenYield().getOperand(position));
    operands.push_back(branch.elseYield().getOperand(position));
  } else if (!slc::isStreamArithmetic(op)) {
    operands.clear();
  }
  for (Value operand : operands)
    if (!isStreamable(operand))
      return explainValue(operand);
  return "is computed by " + quote(op) +
         (operands.empty() ? ", which the access unit does not do"
                           : ", which it does not do under a condition");
}

/// What keeps the access unit from making `load`, and where.
std::string DecouplingPlan::explainLoad(memref::LoadOp load) {
  std::string name = memrefName(load.getMemref());
  culprit = load;
  if (!getLoopAround(load))
    return name + " is loaded in " + quote(load->getParentOp());
  if (scf::IfOp branch = findUnknownCondition(load))
    return name + " is loaded under a condition that " +
           explainValue(branch.getCondition());
  if (!canBeStreamed(load.getType()))
    return name + " has elements that no stream carries";
  if (!computeStreamable(load.getMemref()))
    return "which memory " + name + " is, is decided in the nest";
  if (Operation *writer = memory.findWriter(load.getMemref())) {
    std::string text = name + " may be written by ";
    if (auto store = dyn_cast<memref::StoreOp>(writer))
      return text + "the store to " + memrefName(store.getMemref());
    if (auto call = dyn_cast<func::CallOp>(writer))
      return text + "the call of '" + call.getCallee().str() + "'";
    return text + quote(writer);
  }
  for (Value index : load.getIndices())
    if (!isStreamable(index))
      return "the index of " + name + " " + explainValue(index);
  return name + " was loaded there by a loop around it";
}

/// Says of the first load in `loop`, and not in a loop inside, why it is no new
/// one for the access unit.
std::string DecouplingPlan::explainLoads(scf::ForOp loop) {
  path.push_back(loop);
  std::string reason;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForOp>(op))
      return WalkResult::skip();
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      return WalkResult::advance();
    reason = ": " + explainLoad(load);
    return WalkResult::interrupt();
  });
  path.pop_back();
  return reason;
}

/// Notes that the condition of `branch` cannot be computed, if anything under
/// it could be loaded otherwise.
void DecouplingPlan::noteUnknown(scf::IfOp branch) {
  bool reads =
      branch
          .walk([&](memref::LoadOp load) {
            bool isTable = isFixed(load.getMemref()) &&
                           memory.isReadOnly(load.getMemref());
            return isTable ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!reads)
    return;
  culprit = nullptr;
  std::string reason = explainValue(branch.getCondition());
  unknownConditions.push_back({branch, reason, culprit});
}
