//===- UseTokenValues.cpp - Scalars that ride in tokens -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   register_callback %t, ite, 0           register_callback %t, ite, 0
//   register_operand %t, ite, %w for 0  =>     value %w
//   case 0 { %x = pop_operand }            case 0 { %x = token_value }
//
//===----------------------------------------------------------------------===//

#include "ScalarOperands.h"

#include "ember/Dialect/DLC/Transforms/Passes.h"

namespace ember::dlc {
#define GEN_PASS_DEF_USETOKENVALUES
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
struct UseTokenValues : public dlc::impl::UseTokenValuesBase<UseTokenValues> {
  using UseTokenValuesBase::UseTokenValuesBase;

  void moveOne(CaseParts &parts);
  void runOnOperation() override;
};
} // namespace

/// Bits of the operand as it crosses the data queue.
static int64_t getBits(Type type) {
  int64_t lanes = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    lanes = vector.getNumElements();
    type = vector.getElementType();
  }
  return lanes * (type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
}

/// The order in which scalars are preferred: most bits saved, then least bits
/// to find room for.
static std::pair<int64_t, int64_t> getRank(ScalarOperand &scalar) {
  return {getBits(scalar.push.getOperandType()), -getBits(scalar.type)};
}

/// The scalars of a case that its token could carry, and why one could not;
/// null if there is nothing to say.
static std::pair<SmallVector<ScalarOperand>, const char *>
collectScalars(CaseParts &parts, TokenValueChoice which) {
  RegisterCallbackOp callback = parts.callback;
  SmallVector<ScalarOperand> scalars;
  const char *reason = nullptr;
  for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops)) {
    std::optional<ScalarOperand> scalar = ScalarOperand::of(push, pop);
    if (!scalar || !isTokenValueType(scalar->type))
      continue;
    if (parts.pushes.front().getEvent() < callback.getPushEvent())
      reason = "operands are pushed before it";
    else if (push.getEvent() != callback.getPushEvent() ||
             pop->getBlock() != parts.body)
      reason = "its scalars come while the case runs";
    else if (scalar->type.isF64() && which != TokenValueChoice::any)
      reason = "an f64 seldom fits";
    else
      scalars.push_back(*scalar);
  }
  return {scalars, reason};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void UseTokenValues::moveOne(CaseParts &parts) {
  RegisterCallbackOp callback = parts.callback;
  if (callback.getValue())
    return;
  auto [scalars, reason] = collectScalars(parts, which);
  if (scalars.empty()) {
    if (reason)
      emitRemark(callback.getLoc())
          << "token " << callback.getId() << " carries no scalar: " << reason;
    return;
  }
  ScalarOperand chosen = *llvm::max_element(
      scalars, [](ScalarOperand &left, ScalarOperand &right) {
        return getRank(left) < getRank(right);
      });
  ++moved;
  padded += chosen.isPadded;
  // A stream may be defined behind the callback, but not behind its push.
  if (callback->isBeforeInBlock(chosen.push))
    callback->moveBefore(chosen.push);
  callback.getValueMutable().assign(chosen.stream);
  callback.setLaneAttr(chosen.lane);
  auto builder = OpBuilder::atBlockBegin(parts.body);
  chosen.replace(
      TokenValueOp::create(builder, chosen.pop.getLoc(), chosen.type));
}

void UseTokenValues::runOnOperation() {
  if (which == TokenValueChoice::none)
    return;
  for (ProgramOp program : getNumberedPrograms(getOperation())) {
    SmallVector<CaseParts> cases = collectCases(program.getComputeLoop());
    for (CaseParts &parts : cases)
      moveOne(parts);
  }
}
