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

#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace ember::dlc {
#define GEN_PASS_DEF_USETOKENVALUES
#include "ember/Dialect/DLC/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::StreamType;

namespace {
/// A scalar that a token could carry.
struct Candidate {
  RegisterOperandOp push;
  PopOperandOp pop;
  /// What would ride, and which lane of it.
  Value stream;
  IntegerAttr lane;
  Type type;

  bool isPadded = false;
};

/// A case with what belongs to it in both programs.
struct CaseParts {
  RegisterCallbackOp callback;
  SmallVector<RegisterOperandOp> pushes;
  SmallVector<PopOperandOp> pops;
  Block *body = nullptr;
};

struct UseTokenValues : public dlc::impl::UseTokenValuesBase<UseTokenValues> {
  using UseTokenValuesBase::UseTokenValuesBase;

  void moveOne(CaseParts &parts);
  void runOnOperation() override;
};
} // namespace

static SmallVector<CaseParts> collectCases(ComputeLoopOp loop) {
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
  for (Operation &op : *loop.getConfigAccess().getBody()) {
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
      !isa<StreamType>(forward.getInput().getType()) ||
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

/// What of one operand could ride; nothing if it is no scalar.
static std::optional<Candidate> getCandidate(RegisterOperandOp push,
                                             PopOperandOp pop) {
  if (isa<MemRefType>(pop.getResult().getType()))
    return std::nullopt;
  Candidate candidate{push, pop, push.getStream(), push.getLaneAttr(),
                      push.getOperandType()};
  candidate.isPadded = isa<VectorType>(candidate.type);
  if (candidate.isPadded) {
    candidate.stream = getPaddedScalar(push, pop);
    if (!candidate.stream)
      return std::nullopt;
    candidate.type = slc::getStreamElementType(candidate.stream.getType());
  }
  if (!isTokenValueType(candidate.type))
    return std::nullopt;
  return candidate;
}

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
static std::pair<int64_t, int64_t> getRank(Candidate candidate) {
  return {getBits(candidate.push.getOperandType()), -getBits(candidate.type)};
}

/// The best scalar of a case, or why there is none: the reason is null if
/// nothing has to be said about it.
static std::pair<std::optional<Candidate>, const char *>
choose(CaseParts &parts, TokenValueChoice which) {
  RegisterCallbackOp callback = parts.callback;
  std::optional<Candidate> best;
  const char *reason = nullptr;
  for (auto [push, pop] : llvm::zip_equal(parts.pushes, parts.pops)) {
    std::optional<Candidate> candidate = getCandidate(push, pop);
    if (!candidate)
      continue;
    if (parts.pushes.front().getEvent() < callback.getPushEvent())
      reason = "operands are pushed before it";
    else if (push.getEvent() != callback.getPushEvent() ||
             pop->getBlock() != parts.body)
      reason = "its scalars come while the case runs";
    else if (candidate->type.isF64() && which != TokenValueChoice::any)
      reason = "an f64 seldom fits";
    else if (!best || getRank(*best) < getRank(*candidate))
      best = candidate;
  }
  return {best, reason};
}

/// Reads the token's value where `candidate` was popped.
static void replacePop(Candidate candidate, Block *body) {
  PopOperandOp pop = candidate.pop;
  auto builder = OpBuilder::atBlockBegin(body);
  Value value = TokenValueOp::create(builder, pop.getLoc(), candidate.type);
  if (candidate.isPadded)
    for (Operation *user :
         llvm::make_early_inc_range(pop.getResult().getUsers())) {
      user->getResult(0).replaceAllUsesWith(value);
      user->erase();
    }
  else
    pop.getResult().replaceAllUsesWith(value);
  pop.erase();
}

void UseTokenValues::moveOne(CaseParts &parts) {
  RegisterCallbackOp callback = parts.callback;
  if (callback.getValue())
    return;
  auto [chosen, reason] = choose(parts, which);
  if (!chosen) {
    if (reason)
      emitRemark(callback.getLoc())
          << "token " << callback.getId() << " carries no scalar: " << reason;
    return;
  }
  ++scalars;
  if (chosen->isPadded)
    ++padded;
  // The stream may be defined behind the callback, but not behind its push.
  callback->moveBefore(chosen->push);
  callback.getValueMutable().assign(chosen->stream);
  callback.setLaneAttr(chosen->lane);
  replacePop(*chosen, parts.body);
  Value sent = chosen->push.getStream();
  chosen->push.erase();
  if (chosen->stream != sent && sent.use_empty())
    sent.getDefiningOp()->erase();
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
