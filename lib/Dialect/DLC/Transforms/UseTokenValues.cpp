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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember::dlc {
#define GEN_PASS_DEF_USETOKENVALUES
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {
/// What a token could carry: a scalar, or what the case computes of two.
struct Candidate {
  SmallVector<ScalarOperand, 2> scalars;
  /// The operation on two scalars, which the access unit then does.
  Operation *operation = nullptr;
  slc::AluOp opcode = slc::AluOp::add;
};

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

/// The order in which candidates are preferred: most bits saved, then least
/// bits to find room for.
static std::pair<int64_t, int64_t> getRank(Candidate &candidate) {
  int64_t saved = 0;
  for (ScalarOperand &scalar : candidate.scalars)
    saved += getBits(scalar.push.getOperandType());
  return {saved, -getBits(candidate.scalars.front().type)};
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
// Two scalars
//===----------------------------------------------------------------------===//

/// `scalar` as its case uses it; null if it is not read exactly once from the
/// operand.
static Value getReadValue(ScalarOperand &scalar) {
  Value popped = scalar.pop.getResult();
  if (!scalar.isPadded)
    return popped;
  return popped.hasOneUse() ? popped.getUsers().begin()->getResult(0) : Value();
}

static std::optional<slc::AluOp> getOpcode(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<slc::AluOp>>(op)
      .Case([](arith::AddIOp) { return slc::AluOp::add; })
      .Case([](arith::SubIOp) { return slc::AluOp::sub; })
      .Case([](arith::MulIOp) { return slc::AluOp::mul; })
      .Default(std::nullopt);
}

/// The result of an operation on `left` and `right` that are used for nothing
/// else, such as the length of a segment.
static std::optional<Candidate> combine(ScalarOperand left,
                                        ScalarOperand right) {
  Value a = getReadValue(left), b = getReadValue(right);
  if (!a || !b || !a.hasOneUse() || !b.hasOneUse() || left.lane || right.lane)
    return std::nullopt;
  Operation *user = *a.getUsers().begin();
  std::optional<slc::AluOp> opcode = getOpcode(user);
  if (!opcode || user->getOperand(0) != a || user->getOperand(1) != b)
    return std::nullopt;
  return Candidate{{left, right}, user, *opcode};
}

static std::optional<Candidate> choose(ArrayRef<ScalarOperand> scalars) {
  std::optional<Candidate> best;
  auto consider = [&](Candidate candidate) {
    if (!best || getRank(*best) < getRank(candidate))
      best = candidate;
  };
  for (const ScalarOperand &left : scalars) {
    consider({{left}});
    for (const ScalarOperand &right : scalars)
      if (std::optional<Candidate> both = combine(left, right))
        consider(*both);
  }
  return best;
}

/// The stream that rides; computed before `callback` if it is of two.
static Value getStream(Candidate &candidate, RegisterCallbackOp callback) {
  Value left = candidate.scalars.front().stream;
  if (!candidate.operation)
    return left;
  // The units that streams advance with are nested in each other.
  Value right = candidate.scalars.back().stream;
  Value unit = left.getDefiningOp()->getOperand(0);
  Value other = right.getDefiningOp()->getOperand(0);
  if (unit.getDefiningOp()->isBeforeInBlock(other.getDefiningOp()))
    unit = other;
  OpBuilder builder(callback);
  return AluStrOp::create(builder, callback.getLoc(), left.getType(), unit,
                          candidate.opcode, left, right);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void UseTokenValues::moveOne(CaseParts &parts) {
  RegisterCallbackOp callback = parts.callback;
  if (callback.getValue())
    return;
  auto [scalars, reason] = collectScalars(parts, which);
  std::optional<Candidate> chosen = choose(scalars);
  if (!chosen) {
    if (reason)
      emitRemark(callback.getLoc())
          << "token " << callback.getId() << " carries no scalar: " << reason;
    return;
  }
  ScalarOperand &first = chosen->scalars.front();
  moved += chosen->scalars.size();
  for (ScalarOperand &scalar : chosen->scalars) {
    padded += scalar.isPadded;
    // A stream may be defined behind the callback, but not behind its push.
    if (callback->isBeforeInBlock(scalar.push))
      callback->moveBefore(scalar.push);
  }
  Value stream = getStream(*chosen, callback);
  callback.getValueMutable().assign(stream);
  callback.setLaneAttr(first.lane);
  auto builder = OpBuilder::atBlockBegin(parts.body);
  Value value = TokenValueOp::create(builder, first.pop.getLoc(), first.type);
  if (chosen->operation) {
    chosen->operation->getResult(0).replaceAllUsesWith(value);
    chosen->operation->erase();
  }
  for (ScalarOperand &scalar : chosen->scalars)
    scalar.replace(value);
}

void UseTokenValues::runOnOperation() {
  if (which == TokenValueChoice::none)
    return;
  SmallVector<ComputeLoopOp> loops;
  getOperation()->walk([&](ComputeLoopOp loop) { loops.push_back(loop); });
  for (ComputeLoopOp loop : loops) {
    SmallVector<CaseParts> cases = collectCases(loop);
    for (CaseParts &parts : cases)
      moveOne(parts);
  }
}
