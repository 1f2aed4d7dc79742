//===- VectorLoops.cpp - What is known about loops over lanes -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "ember/Conversion/StreamCode/Traversal.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::AluOp;
using ember::slc::LoopOpInterface;
using ember::slc::StreamType;

bool ember::slcv::sharesRange(VecForOp loop) {
  return loop.getConfig() == LoopConfig::vector && !loop.isLockstep();
}

Traversal ember::slcv::whereNotEmpty(LoopOpInterface loop) {
  Traversal traversal = Traversal::of(loop);
  traversal.upper = slc::getPredicate(loop).end;
  return traversal;
}

bool ember::slcv::hasFullVectors(VecForOp loop) {
  std::optional<int64_t> visits =
      whereNotEmpty(cast<LoopOpInterface>(loop.getOperation()))
          .getStaticVisits();
  return sharesRange(loop) && !loop.getInMask() && visits &&
         *visits % static_cast<int64_t>(loop.getVectorLength()) == 0;
}

static bool isVectorStream(Value value) {
  auto stream = dyn_cast<StreamType>(value.getType());
  return stream && isa<VectorType>(stream.getElementType());
}

bool ember::slcv::isConsecutive(Value stream) {
  if (auto argument = dyn_cast<BlockArgument>(stream)) {
    auto loop = dyn_cast<VecForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && sharesRange(loop) &&
           matchPattern(loop.getStep(), m_One());
  }
  auto alu = stream.getDefiningOp<VecAluStrOp>();
  if (!alu)
    return false;
  bool left = isVectorStream(alu.getLhs()),
       right = isVectorStream(alu.getRhs());
  if (alu.getOpcode() == AluOp::add && left != right)
    return isConsecutive(left ? alu.getLhs() : alu.getRhs());
  return alu.getOpcode() == AluOp::sub && left && !right &&
         isConsecutive(alu.getLhs());
}

/// The number of lanes that share an element of an induction variable shifted
/// right: whole vectors must begin at multiples of it.
static std::optional<int64_t> getShiftedRepeat(VecAluStrOp shift) {
  auto argument = dyn_cast<BlockArgument>(shift.getLhs());
  std::optional<int64_t> places = getConstantIntValue(shift.getRhs());
  if (!argument || !isConsecutive(argument) || !places || *places < 0 ||
      *places > 16)
    return std::nullopt;
  auto loop = cast<VecForOp>(argument.getOwner()->getParentOp());
  int64_t repeat = int64_t(1) << *places;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  auto lanes = static_cast<int64_t>(loop.getVectorLength());
  if (!lower || *lower < 0 || *lower % repeat != 0 || lanes % repeat != 0)
    return std::nullopt;
  return repeat;
}

std::optional<int64_t> ember::slcv::getRepeat(Value stream) {
  if (isConsecutive(stream))
    return 1;
  auto alu = stream.getDefiningOp<VecAluStrOp>();
  if (!alu)
    return std::nullopt;
  if (alu.getOpcode() == AluOp::shru)
    return getShiftedRepeat(alu);
  bool left = isVectorStream(alu.getLhs()),
       right = isVectorStream(alu.getRhs());
  if (alu.getOpcode() == AluOp::add && left != right)
    return getRepeat(left ? alu.getLhs() : alu.getRhs());
  return std::nullopt;
}
