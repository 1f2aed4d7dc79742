//===- ScalarOperands.cpp - Cases and their scalar operands ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOperands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

SmallVector<CaseParts> ember::dlc::collectCases(ComputeLoopOp loop) {
  SmallVector<CaseParts> cases;
  llvm::DenseMap<int64_t, size_t> numbers;
  for (auto [id, region] :
       llvm::zip_equal(loop.getCases(), loop.getCaseRegions())) {
    numbers[id] = cases.size();
    CaseParts &parts = cases.emplace_back();
    parts.body = &region.front();
    region.walk([&](PopOperandOp pop) {
      if (pop->getParentOfType<ComputeLoopOp>() == loop)
        parts.pops.push_back(pop);
    });
  }
  for (Operation &op : *loop.getProgram().getAccessBody()) {
    if (auto callback = dyn_cast<RegisterCallbackOp>(op))
      cases[numbers.lookup(callback.getId())].callback = callback;
    else if (auto push = dyn_cast<RegisterOperandOp>(op))
      cases[numbers.lookup(push.getId())].pushes.push_back(push);
  }
  return cases;
}

/// The scalar stream that `push` sends in all lanes of a vector of which `pop`
/// only serves lane 0; null if it does anything else.
static Value getPaddedScalar(RegisterOperandOp push, PopOperandOp pop) {
  auto forward = push.getStream().getDefiningOp<FwdStrOp>();
  if (!forward || push.getLane() ||
      !isa<slc::StreamType>(forward.getInput().getType()) ||
      isa<VectorType>(slc::getStreamElementType(forward.getInput().getType())))
    return nullptr;
  for (Operation *user : pop.getResult().getUsers()) {
    auto extract = dyn_cast<vector::ExtractOp>(user);
    if (!extract || extract.hasDynamicPosition() ||
        extract.getStaticPosition() != ArrayRef<int64_t>{0})
      return nullptr;
  }
  return forward.getInput();
}

std::optional<ScalarOperand> ScalarOperand::of(RegisterOperandOp push,
                                               PopOperandOp pop) {
  if (isa<MemRefType>(pop.getResult().getType()))
    return std::nullopt;
  ScalarOperand scalar{push, pop, push.getStream(), push.getLaneAttr(),
                       push.getOperandType()};
  scalar.isPadded = isa<VectorType>(scalar.type);
  if (scalar.isPadded) {
    scalar.stream = getPaddedScalar(push, pop);
    if (!scalar.stream)
      return std::nullopt;
    scalar.type = slc::getStreamElementType(scalar.stream.getType());
  }
  return scalar;
}

void ember::dlc::replaceScalar(PopOperandOp pop, bool isPadded, Value value) {
  if (isPadded)
    for (Operation *user :
         llvm::make_early_inc_range(pop.getResult().getUsers())) {
      user->getResult(0).replaceAllUsesWith(value);
      user->erase();
    }
  else
    pop.getResult().replaceAllUsesWith(value);
  pop.erase();
}

void ScalarOperand::replace(Value value) {
  replaceScalar(pop, isPadded, value);
  Value sent = push.getStream();
  push.erase();
  if (stream != sent && sent.use_empty())
    sent.getDefiningOp()->erase();
}
