//===- CINLevelOperands.cpp - Levels that a loop walks --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/LevelOperands.h"

using namespace mlir;
using namespace ember::cin;

SmallVector<Value> ember::cin::getCoordinates(ArrayType array,
                                              ValueRange indices) {
  return llvm::map_to_vector(
      array.getFormat().getOrder(),
      [&](unsigned dimension) { return Value(indices[dimension]); });
}

bool Fiber::contains(AccessOp access) const {
  if (access.getArray() != array)
    return false;
  SmallVector<Value> mine =
      getCoordinates(cast<ArrayType>(array.getType()), access.getIndices());
  return ArrayRef(mine).take_front(depth()) == ArrayRef(coordinates);
}

SmallVector<Fiber> ember::cin::getLevelOperands(Operation *loop) {
  // What the evaluation itself names is a number that the caller gives.
  if (!isa<ForallOp, ReduceOp>(loop))
    return {};
  Block &body = loop->getRegion(0).front();
  ArrayRef<bool> ranged = isa<ForallOp>(loop)
                              ? cast<ForallOp>(loop).getRanged()
                              : cast<ReduceOp>(loop).getRanged();
  SmallVector<Fiber> operands;
  if (ranged.size() != 1 || ranged.front())
    return operands;
  BlockArgument variable = body.getArgument(0);
  loop->walk([&](AccessOp access) {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    if (!type)
      return;
    SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
    for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
      if (coordinates[number] != variable)
        continue;
      ArrayRef<Value> above = ArrayRef(coordinates).take_front(number);
      bool isKnown = llvm::none_of(above, [&](Value coordinate) {
        return loop->isAncestor(coordinate.getParentBlock()->getParentOp());
      });
      Fiber fiber{
          access.getArray(),
          llvm::to_vector(ArrayRef(coordinates).take_front(number + 1))};
      // Where coordinates are in no order, those past the variable's values are
      // anywhere: they are looked for instead.
      bool isBounded = level.isOrdered || !isShifted(fiber);
      if (isKnown && level.kind != LevelKind::dense && isBounded &&
          !llvm::is_contained(operands, fiber))
        operands.push_back(fiber);
      // Of a second index, the diagonal, only the first is walked.
      break;
    }
  });
  return operands;
}

bool ember::cin::isShifted(const Fiber &fiber) {
  auto variable = dyn_cast<BlockArgument>(fiber.coordinates.back());
  unsigned dimension = fiber.getFormat().getDimensionOf(fiber.depth() - 1);
  return variable &&
         !llvm::is_contained(getIndexedDimensions(variable),
                             ArrayDimension{fiber.array, dimension});
}

IterationAttr ember::cin::getIteration(Operation *op) {
  if (auto forall = dyn_cast<ForallOp>(op))
    return forall.getIterationAttr();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getIterationAttr();
  return nullptr;
}

std::optional<Fiber> ember::cin::getLoneWalk(Operation *op) {
  IterationAttr iteration = getIteration(op);
  if (!iteration || !(iteration.getSet() == CoordinateSet::operand(0)))
    return std::nullopt;
  SmallVector<Fiber> fibers = getLevelOperands(op);
  if (fibers.size() != 1)
    return std::nullopt;
  return fibers.front();
}
