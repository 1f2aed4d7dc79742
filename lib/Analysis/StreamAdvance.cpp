//===- StreamAdvance.cpp - How streams change with a unit -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/StreamAdvance.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;
using ember::slc::AluOp;
using ember::slc::StreamType;

StreamAdvance::StreamAdvance(NewTUOp unit) : unit(unit) {
  Block *access = unit->getBlock();
  hasStores = !access->getOps<StoreStrOp>().empty();
  // In order: streams stand behind what they read, so that nothing recurses.
  for (Operation &op : *access)
    if (op.getNumResults() == 1)
      if (std::optional<int64_t> advance = compute(&op))
        advances[op.getResult(0)] = *advance;
}

std::optional<int64_t> StreamAdvance::of(Value stream) const {
  if (!isa<StreamType, TUType>(stream.getType()))
    return 0;
  auto known = advances.find(stream);
  if (known == advances.end())
    return std::nullopt;
  return known->second;
}

bool StreamAdvance::operandsStay(Operation *op) const {
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return stays(operand); });
}

/// What the unit itself produces changes with it; that of another unit, with
/// the bounds of that.
std::optional<int64_t> StreamAdvance::ofControl(Operation *op) {
  auto other = op->getOperand(0).getDefiningOp<NewTUOp>();
  if (other != unit) {
    bool fixed =
        other &&
        (isa<GetIterCountOp>(op) ||
         (operandsStay(other) && !(hasStores && other.getCoordinates())));
    return fixed ? std::optional<int64_t>(0) : std::nullopt;
  }
  if (unit.getVectorLength())
    return std::nullopt;
  if (isa<GetIterCountOp>(op))
    return 1;
  // How long segments are is in the coordinates.
  if (unit.getCoordinates())
    return std::nullopt;
  return isa<GetIndVarOp>(op) ? getConstantIntValue(unit.getStep())
                              : std::nullopt;
}

static bool isWord(Type type) {
  return type.isIndex() || type.isSignlessInteger(64);
}

/// Linear in the unit's induction variable, as far as that is obvious.
std::optional<int64_t> StreamAdvance::ofArithmetic(AluStrOp alu) const {
  if (operandsStay(alu))
    return 0;
  std::optional<int64_t> lhs = of(alu.getLhs()), rhs = of(alu.getRhs());
  if (!lhs || !rhs || !isWord(slc::getStreamElementType(alu.getType())))
    return std::nullopt;
  int64_t result;
  bool overflows = true;
  std::optional<int64_t> factor = getConstantIntValue(alu.getRhs());
  if (alu.getOpcode() == AluOp::add)
    overflows = llvm::AddOverflow(*lhs, *rhs, result);
  else if (alu.getOpcode() == AluOp::sub)
    overflows = llvm::SubOverflow(*lhs, *rhs, result);
  else if (alu.getOpcode() == AluOp::mul && factor)
    overflows = llvm::MulOverflow(*lhs, *factor, result);
  return overflows ? std::nullopt : std::optional<int64_t>(result);
}

std::optional<int64_t> StreamAdvance::compute(Operation *op) {
  if (isa<NewTUOp>(op))
    return 0;
  if (isa<GetIndVarOp, GetIterCountOp, GetMaskOp, GetSegmentEndOp>(op))
    return ofControl(op);
  if (auto alu = dyn_cast<AluStrOp>(op))
    return ofArithmetic(alu);
  if (auto forward = dyn_cast<FwdStrOp>(op))
    return of(forward.getInput());
  if (auto cast = dyn_cast<CastStrOp>(op)) {
    Type from = slc::getStreamElementType(cast.getInput().getType());
    Type to = slc::getStreamElementType(cast.getType());
    std::optional<int64_t> advance = of(cast.getInput());
    return isWord(from) && isWord(to) ? advance
           : advance == int64_t(0)    ? advance
                                      : std::nullopt;
  }
  bool changes = (isa<MemStrOp>(op) && hasStores) ||
                 (isa<AccStrOp>(op) && op->getOperand(0) == unit.getResult());
  return !changes && operandsStay(op) ? std::optional<int64_t>(0)
                                      : std::nullopt;
}
