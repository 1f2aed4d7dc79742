//===- CINCoordinateOrder.cpp - What levels in no order are asked for -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A level in no order is walked alone: a merge and a search need the order of
// coordinates. Where coordinates are repeated, too, a walk comes to one several
// times, each with some of what is stored there: that makes no difference where
// all of it is combined by one function, and nothing else is made of it.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CoordinateOrder.h"

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

namespace {
/// A loop that comes to the coordinates of a fiber several times.
class RepeatedWalk {
public:
  RepeatedWalk(Operation *loop, const Fiber &fiber) : loop(loop), fiber(fiber) {
    loop->walk([&](AccessOp access) {
      if (access.getArray() == fiber.array)
        accesses.push_back(access);
    });
  }

  /// Whether that makes no difference.
  bool isSum();

private:
  /// Whether all that `access` reads below the fiber is walked, too, and not
  /// looked for each time.
  bool isWalkedBelow(AccessOp access);
  /// Whether `op` stands where one stored element is looked at.
  bool isAtElement(Operation *op) { return innermost->isProperAncestor(op); }
  /// Whether `value` is of one stored element, or some of them combined by
  /// `callee`.
  bool isPart(Value value, Attribute callee);

  Operation *loop;
  const Fiber &fiber;
  SmallVector<AccessOp> accesses;
  /// The loop that walks the last level.
  Operation *innermost = nullptr;
};
} // namespace

bool RepeatedWalk::isWalkedBelow(AccessOp access) {
  size_t count = fiber.getFormat().getLevels().size();
  return llvm::all_of(llvm::seq<size_t>(fiber.depth(), count),
                      [&](size_t number) { return isWalked(access, number); });
}

/// Whether a reduction by `callee` may be made of its terms in pieces. A rest
/// would be counted each time, and terms in an order would be in none.
static bool combinesPieces(ReduceOp reduce, Attribute callee) {
  return reduce.getCallee() == callee && !reduce.getRest() &&
         !reduce.getOtherwise();
}

bool RepeatedWalk::isPart(Value value, Attribute callee) {
  Operation *op = value.getDefiningOp();
  if (op && isAtElement(op))
    return true;
  auto reduce = dyn_cast_or_null<ReduceOp>(op);
  if (!reduce || !reduce->isAncestor(innermost) ||
      !combinesPieces(reduce, callee))
    return false;
  return reduce == innermost || (!reduce.getYield().getCondition() &&
                                 isPart(reduce.getYield().getValue(), callee));
}

bool RepeatedWalk::isSum() {
  if (accesses.empty())
    return false;
  for (AccessOp access : accesses)
    if (access.getIndices() != accesses.front().getIndices() ||
        !isWalkedBelow(access))
      return false;
  auto type = cast<ArrayType>(fiber.array.getType());
  Value last = getCoordinates(type, accesses.front().getIndices()).back();
  innermost = cast<BlockArgument>(last).getOwner()->getParentOp();
  if (auto reduce = dyn_cast<ReduceOp>(loop))
    return isPart(reduce.getResult(), reduce.getCallee());
  WalkResult walk = loop->walk([&](AssignOp assign) {
    bool isCombined = assign.isCombining() &&
                      (isAtElement(assign) ||
                       (!assign.getCondition() &&
                        isPart(assign.getValue(), assign.getCalleeAttr())));
    return isCombined ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// What is wrong with how a loop walks fibers.
static std::optional<Disorder> findDisorder(EvaluateOp evaluate,
                                            Operation *loop) {
  SmallVector<Fiber> fibers = getLevelOperands(loop);
  bool isAlone = getLoneWalk(loop).has_value();
  for (const Fiber &fiber : fibers) {
    const Level &level = fiber.getLevel();
    if (level.isOrdered ||
        (isAlone && (level.isUnique || RepeatedWalk(loop, fiber).isSum())))
      continue;
    std::string message;
    llvm::raw_string_ostream(message)
        << "walks " << evaluate.getNameOf(fiber.array) << ", of which level "
        << fiber.depth() - 1
        << (isAlone ? " is unordered and nonunique"
                    : " is unordered, together with others");
    return Disorder{loop, fiber.array, message};
  }
  return std::nullopt;
}

/// What is in no order, and there several times, cannot be searched for.
static std::optional<Disorder> findDisorder(EvaluateOp evaluate,
                                            AccessOp access) {
  auto type = dyn_cast<ArrayType>(access.getArray().getType());
  if (!type)
    return std::nullopt;
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    if (level.isOrdered || level.isUnique || isWalked(access, number))
      continue;
    std::string message;
    llvm::raw_string_ostream(message)
        << "looks for coordinates of " << evaluate.getNameOf(access.getArray())
        << ", of which level " << number << " is unordered and nonunique";
    return Disorder{access, access.getArray(), message};
  }
  return std::nullopt;
}

bool ember::cin::isAppendedInOrder(AssignOp assign, Value variable) {
  auto type = dyn_cast<ArrayType>(assign.getArray().getType());
  if (!type)
    return false;
  ArrayRef<Level> levels = type.getFormat().getLevels();
  SmallVector<Value> coordinates = getCoordinates(type, assign.getIndices());
  return llvm::any_of(llvm::enumerate(coordinates), [&](auto pair) {
    auto [number, coordinate] = pair;
    return coordinate == variable && levels[number].isOrdered &&
           llvm::any_of(levels.drop_front(number),
                        [](const Level &level) { return level.isListed(); });
  });
}

/// What is wrong with how a loop walks fibers that it appends by.
static std::optional<Disorder> findDisorder(EvaluateOp evaluate,
                                            ForallOp forall) {
  SmallVector<Fiber> fibers = getLevelOperands(forall);
  auto *mixed = llvm::find_if(fibers, [](const Fiber &fiber) {
    // What a workspace has gathered is put in order.
    return !fiber.getLevel().isOrdered &&
           fiber.array.getDefiningOp<AssembleOp>();
  });
  if (mixed == fibers.end())
    return std::nullopt;
  std::optional<Disorder> disorder;
  forall.walk([&](AssignOp assign) {
    if (!isAppendedInOrder(assign, forall.getVariables().front()))
      return WalkResult::advance();
    std::string message;
    llvm::raw_string_ostream(message)
        << "walks " << evaluate.getNameOf(mixed->array) << ", of which level "
        << mixed->depth() - 1 << " is unordered, and appends to "
        << evaluate.getNameOf(assign.getArray()) << " in that order";
    disorder = Disorder{forall, mixed->array, message};
    return WalkResult::interrupt();
  });
  return disorder;
}

std::optional<Disorder> ember::cin::findDisorder(EvaluateOp evaluate) {
  std::optional<Disorder> disorder;
  evaluate.getRegion().walk([&](Operation *op) {
    if (auto access = dyn_cast<AccessOp>(op))
      disorder = ::findDisorder(evaluate, access);
    if (getIteration(op))
      disorder = ::findDisorder(evaluate, op);
    if (auto forall = dyn_cast<ForallOp>(op); forall && !disorder)
      disorder = ::findDisorder(evaluate, forall);
    return disorder ? WalkResult::interrupt() : WalkResult::advance();
  });
  return disorder;
}
