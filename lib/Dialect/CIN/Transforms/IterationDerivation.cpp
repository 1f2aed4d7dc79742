//===- IterationDerivation.cpp - What a loop visits -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/Transforms/IterationDerivation.h"

#include "ember/Dialect/CIN/Transforms/AbstractValues.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// What is known where the operands of `region`, and no others, store a
/// coordinate.
static AbstractValues at(ArrayRef<Fiber> operands, OperandMask region) {
  SmallVector<Fiber> stored, absent;
  for (auto [number, fiber] : llvm::enumerate(operands))
    (region >> number & 1 ? stored : absent).push_back(fiber);
  return {std::move(stored), std::move(absent)};
}

/// Whether a statement has no effect there, whatever it reads of elements that
/// rows in workspaces lack: `w` of `-inf + w` is not asked for, so that a mask
/// may leave it out, and is the identity then that sums begin with, infinity,
/// which with -inf makes NaN.
static bool isNoEffectOfAnyRow(ForallOp loop, ArrayRef<Fiber> operands,
                               OperandMask region) {
  SmallVector<Fiber> stored, absent;
  for (auto [number, fiber] : llvm::enumerate(operands)) {
    if (region >> number & 1)
      stored.push_back(fiber);
    else if (!isa<BlockArgument>(fiber.array))
      absent.push_back(fiber);
  }
  return absent.size() + stored.size() != operands.size() &&
         AbstractValues(std::move(stored), std::move(absent))
             .isNoEffect(*loop.getBody());
}

/// The value at coordinates that no operand stores, where it counts and the
/// reduction can combine any number of it; null otherwise.
static TypedAttr findRest(ReduceOp reduce, ArrayRef<Fiber> operands) {
  if (reduce.getOtherwise())
    return nullptr;
  AbstractValues nowhere = at(operands, 0);
  AbstractValue value = nowhere.of(reduce.getInnermost().getYield().getValue());
  if (value.kind != AbstractValue::Kind::constant ||
      reduce.getYield().getCondition() || nowhere.isIdentity(reduce) ||
      !reduce.getFunction().getIdentity(reduce.getType()) ||
      !getRepetition(reduce.getFunction(), value.value))
    return nullptr;
  return value.value;
}

/// Whether a loop need not visit what the operands of `region`, and no others,
/// store. `rest` is what a reduction counts there without, null for nothing.
static bool isSkipped(Operation *loop, ArrayRef<Fiber> operands,
                      OperandMask region, TypedAttr rest) {
  AbstractValues values = at(operands, region);
  auto reduce = dyn_cast<ReduceOp>(loop);
  if (!reduce) {
    auto statement = cast<ForallOp>(loop);
    return values.isNoEffect(*statement.getBody()) ||
           isNoEffectOfAnyRow(statement, operands, region);
  }
  if (rest)
    return values.of(reduce.getInnermost().getYield().getValue()).is(rest);
  return values.isIdentity(reduce);
}

IterationDerivation ember::cin::deriveIteration(Operation *loop) {
  IterationDerivation derivation;
  derivation.operands = getLevelOperands(loop);
  ArrayRef<Fiber> operands = derivation.operands;
  if (operands.empty())
    return derivation;
  if (auto reduce = dyn_cast<ReduceOp>(loop))
    derivation.rest = findRest(reduce, operands);
  derivation.visited.resize(1u << operands.size());
  for (OperandMask region = 0; region < derivation.visited.size(); ++region)
    derivation.visited[region] =
        !isSkipped(loop, operands, region, derivation.rest);
  derivation.set =
      CoordinateSet::ofRegions(derivation.visited, operands.size());
  return derivation;
}
