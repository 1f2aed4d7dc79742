//===- IterationLoops.cpp - Loops over coordinates and positions ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IterationCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Predicate = arith::CmpIPredicate;

/// The body of a new loop, where its terminator is to stand.
static void enter(ImplicitLocOpBuilder &builder, scf::ForOp loop) {
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  builder.setInsertionPointToEnd(loop.getBody());
}

void IterationCode::emitWalkedAssertion(unsigned operand, Value position) {
  const Fiber &fiber = fibers[operand];
  const Storage &storage = levels.getStorage(fiber.array);
  unsigned level = fiber.depth() - 1;
  Value end = segments[operand].end;
  Value isLeft = arith::CmpIOp::create(builder, Predicate::slt, position, end);
  auto branch = scf::IfOp::create(builder, isLeft, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value isInside = arith::CmpIOp::create(
        builder, Predicate::ult, levels.getCoordinate(fiber, position),
        storage.sizeOfLevel(level));
    levels.emitBoundsAssertion(
        isInside, storage.describe(storage.format().getDimensionOf(level)));
  }
  Value isOver = arith::CmpIOp::create(builder, Predicate::eq, position, end);
  cf::AssertOp::create(builder, isOver,
                       "coordinates of " + storage.name + " do not increase");
}

IterationCode::State IterationCode::emitAll(Value size, State state,
                                            Body body) {
  auto loop = scf::ForOp::create(builder, levels.constant(0), size,
                                 levels.constant(1), flatten(state));
  {
    OpBuilder::InsertionGuard guard(builder);
    enter(builder, loop);
    State before = unflatten(loop.getRegionIterArgs());
    Round round{set,
                listed,
                0,
                /*walksAll=*/true,
                loop.getInductionVar(),
                SmallVector<Value>(fibers.size())};
    for (unsigned operand = 0; operand < fibers.size(); ++operand)
      if (isWalked(operand, listed))
        round.isAt[operand] =
            isHere(operand, before.positions[operand], round.coordinate);
    scf::YieldOp::create(builder, flatten(emitRound(round, before, body)));
  }
  State after = unflatten(loop.getResults());
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    if (!isWalked(operand, listed))
      continue;
    emitWalkedAssertion(operand, after.positions[operand]);
  }
  return after;
}

void IterationCode::emitIncrease(Value coordinate, Value before,
                                 OperandMask walked) {
  SmallVector<std::string> names;
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (isWalked(operand, walked))
      names.push_back(levels.getStorage(fibers[operand].array).name);
  Value isLater =
      arith::CmpIOp::create(builder, Predicate::sgt, coordinate, before);
  cf::AssertOp::create(builder, isLater,
                       "coordinates of " + llvm::join(names, " or ") +
                           " do not increase");
}

bool IterationCode::needsIncrease(unsigned operand) const {
  return checksIncrease || (fibers[operand].getLevel().isOrdered &&
                            llvm::popcount(set.support() & listed) > 1);
}

Value IterationCode::getLast(const State &state) {
  return state.last ? state.last : levels.constant(-1);
}

IterationCode::State IterationCode::emitFor(const LatticePoint &point,
                                            OperandMask exhausted,
                                            unsigned operand, State state,
                                            Body body) {
  Value end = segments[operand].end;
  SmallVector<Value> initial = flatten(state);
  bool isChecked = needsIncrease(operand);
  if (isChecked)
    initial.push_back(getLast(state));
  auto loop = scf::ForOp::create(builder, state.positions[operand], end,
                                 levels.constant(1), initial);
  size_t count = flatten(state).size();
  {
    OpBuilder::InsertionGuard guard(builder);
    enter(builder, loop);
    ValueRange arguments = loop.getRegionIterArgs();
    State before = unflatten(arguments.take_front(count));
    Value carried = before.positions[operand];
    // The position is the loop's own variable.
    before.positions[operand] = loop.getInductionVar();
    Round round{point.set,
                OperandMask(1) << operand,
                exhausted,
                /*walksAll=*/false,
                levels.getCoordinate(fibers[operand], loop.getInductionVar()),
                SmallVector<Value>(fibers.size())};
    if (isChecked)
      emitIncrease(round.coordinate, arguments.back(), round.walked);
    State after = emitRound(round, before, body);
    after.positions[operand] = carried;
    SmallVector<Value> values = flatten(after);
    if (isChecked)
      values.push_back(round.coordinate);
    scf::YieldOp::create(builder, values);
  }
  State after = unflatten(loop.getResults().take_front(count));
  after.positions[operand] = end;
  if (isChecked)
    after.last = loop.getResults().back();
  return after;
}

Value IterationCode::isOpen(ArrayRef<unsigned> operands, const State &state) {
  Value areOpen;
  for (unsigned operand : operands) {
    Value hasMore =
        arith::CmpIOp::create(builder, Predicate::slt, state.positions[operand],
                              segments[operand].end);
    areOpen =
        areOpen ? arith::AndIOp::create(builder, areOpen, hasMore) : hasMore;
  }
  return areOpen;
}

void IterationCode::findWhereSmallest(Round &round, ArrayRef<unsigned> operands,
                                      ArrayRef<Value> coordinates) {
  // Not by the smallest, for which positions would have to wait.
  for (unsigned operand : operands)
    for (unsigned other : operands) {
      if (other == operand)
        continue;
      // One comparison of two serves both.
      auto [first, second] = std::minmax(operand, other);
      Value isNotBehind = arith::CmpIOp::create(
          builder, operand == first ? Predicate::sle : Predicate::sge,
          coordinates[first], coordinates[second]);
      Value &isAt = round.isAt[operand];
      isAt = isAt ? arith::AndIOp::create(builder, isAt, isNotBehind)
                  : isNotBehind;
    }
}

IterationCode::State IterationCode::emitWhile(const LatticePoint &point,
                                              OperandMask exhausted,
                                              State state, Body body) {
  OperandMask walked = point.walked & listed;
  SmallVector<unsigned> operands;
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (isWalked(operand, walked))
      operands.push_back(operand);
  bool readsAhead = tentative && operands.size() == 2 &&
                    llvm::popcount(listed) == 2 &&
                    llvm::all_of(operands, [&](unsigned operand) {
                      return fibers[operand].getLevel().isUnique;
                    });
  if (!readsAhead)
    return emitWhile(point, exhausted, operands, {}, state, body);
  SmallVector<Value> before = flatten(state);
  before.push_back(getLast(state));
  auto branch =
      scf::IfOp::create(builder, TypeRange(ValueRange(before)),
                        isOpen(operands, state), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> first;
  for (unsigned operand : operands)
    first.push_back(
        levels.getCoordinate(fibers[operand], state.positions[operand]));
  State done = emitWhile(point, exhausted, operands, first, state, body);
  SmallVector<Value> after = flatten(done);
  after.push_back(done.last);
  scf::YieldOp::create(builder, after);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, before);
  State either = unflatten(branch.getResults().drop_back());
  either.last = branch.getResults().back();
  return either;
}

IterationCode::State IterationCode::emitWhile(const LatticePoint &point,
                                              OperandMask exhausted,
                                              ArrayRef<unsigned> operands,
                                              ArrayRef<Value> first,
                                              State state, Body body) {
  SmallVector<Value> initial = flatten(state);
  size_t count = initial.size();
  initial.push_back(getLast(state));
  llvm::append_range(initial, first);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  SmallVector<Location> locations(initial.size(), builder.getLoc());
  auto loop = scf::WhileOp::create(builder, types, initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before =
        builder.createBlock(&loop.getBefore(), {}, types, locations);
    State entering =
        unflatten(ValueRange(before->getArguments()).take_front(count));
    scf::ConditionOp::create(builder, isOpen(operands, entering),
                             before->getArguments());
    Block *inside = builder.createBlock(&loop.getAfter(), {}, types, locations);
    ValueRange arguments = inside->getArguments();
    State at = unflatten(arguments.take_front(count));
    ValueRange ahead = arguments.drop_front(count + 1);
    SmallVector<Value> coordinates(fibers.size()), next;
    Value smallest;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      Value position = at.positions[operand];
      Value mine = ahead.empty()
                       ? levels.getCoordinate(fibers[operand], position)
                       : ahead[number];
      if (!ahead.empty())
        next.push_back(levels.getNextCoordinate(fibers[operand], position));
      coordinates[operand] = mine;
      smallest =
          smallest ? arith::MinSIOp::create(builder, smallest, mine) : mine;
    }
    OperandMask walked = point.walked & listed;
    // What is in no order is walked alone.
    if (fibers[operands.front()].getLevel().isOrdered)
      emitIncrease(smallest, arguments[count], walked);
    Round round{point.set, walked,
                exhausted, /*walksAll=*/false,
                smallest,  SmallVector<Value>(fibers.size())};
    findWhereSmallest(round, operands, coordinates);
    SmallVector<Value> values = flatten(emitRound(round, at, body));
    values.push_back(smallest);
    for (auto [operand, later] : llvm::zip(operands, next))
      values.push_back(arith::SelectOp::create(builder, round.isAt[operand],
                                               later, coordinates[operand]));
    scf::YieldOp::create(builder, values);
  }
  State after = unflatten(loop.getResults().take_front(count));
  after.last = loop.getResult(count);
  return after;
}
