//===- CoordinateOrder.cpp - What levels in no order are asked for --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level in no order is walked alone: a merge and a search need the order of
// coordinates. Where coordinates are repeated, too, a walk comes to one several
// times, each with some of what is stored there.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/IR/LevelOperands.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Whether a loop walks level `number` of what `access` reads.
static bool isWalked(AccessOp access, size_t number) {
  auto type = cast<ArrayType>(access.getArray().getType());
  SmallVector<Value> coordinates = getCoordinates(type, access.getIndices());
  auto variable = dyn_cast<BlockArgument>(coordinates[number]);
  Operation *loop = variable ? variable.getOwner()->getParentOp() : nullptr;
  if (!loop || !getIteration(loop))
    return false;
  Fiber fiber{access.getArray(),
              llvm::to_vector(ArrayRef(coordinates).take_front(number + 1))};
  return llvm::is_contained(getLevelOperands(loop), fiber);
}

/// Whether it makes no difference that `loop` comes to coordinates of `fiber`
/// several times: what is stored below is walked, too, not looked for each
/// time, and combined.
static bool mayRepeat(Operation *loop, const Fiber &fiber) {
  // Of what is not stored it would count too few.
  if (auto reduce = dyn_cast<ReduceOp>(loop); reduce && reduce.getRest())
    return false;
  auto refuses = [&](Operation *op) {
    if (auto assign = dyn_cast<AssignOp>(op))
      return !assign.isCombining();
    auto access = dyn_cast<AccessOp>(op);
    if (!access || access.getArray() != fiber.array)
      return false;
    size_t count = fiber.getFormat().getLevels().size();
    return !llvm::all_of(
        llvm::seq<size_t>(fiber.depth(), count),
        [&](size_t number) { return isWalked(access, number); });
  };
  return !loop->walk([&](Operation *op) {
                return refuses(op) ? WalkResult::interrupt()
                                   : WalkResult::advance();
              })
              .wasInterrupted();
}

LogicalResult EvaluationLowering::checkOrder() {
  auto check = [&](Operation *loop, CoordinateSet set) -> LogicalResult {
    SmallVector<Fiber> fibers = getLevelOperands(loop);
    bool isAlone = fibers.size() == 1 && set == CoordinateSet::operand(0);
    for (const Fiber &fiber : fibers) {
      const Level &level = fiber.getLevel();
      if (level.isOrdered ||
          (isAlone && (level.isUnique || mayRepeat(loop, fiber))))
        continue;
      return loop->emitError()
             << "walks " << evaluate.getNameOf(fiber.array)
             << ", of which level " << fiber.depth() - 1
             << (isAlone ? " is unordered and nonunique"
                         : " is unordered, together with others")
             << ": sort its coordinates, and leave 'unordered' out of its "
                "format";
    }
    return success();
  };
  // What is in no order, and there several times, cannot be searched for.
  auto checkAccess = [&](AccessOp access) -> LogicalResult {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    if (!type)
      return success();
    if (type.getFormat().getEncoding())
      return access.emitError()
             << "reads an element of " << evaluate.getNameOf(access.getArray())
             << ", which is encoded: --cin-expand-encodings decodes it first";
    for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels()))
      if (!level.isOrdered && !level.isUnique && !isWalked(access, number))
        return access.emitError() << "looks for coordinates of "
                                  << evaluate.getNameOf(access.getArray())
                                  << ", of which level " << number
                                  << " is unordered and nonunique: sort its "
                                     "coordinates, and leave "
                                     "'unordered' out of its format";
    return success();
  };
  WalkResult walk = evaluate.getRegion().walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOp>(op);
        access && failed(checkAccess(access)))
      return WalkResult::interrupt();
    IterationAttr iteration = getIteration(op);
    if (iteration && failed(check(op, iteration.getSet())))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
