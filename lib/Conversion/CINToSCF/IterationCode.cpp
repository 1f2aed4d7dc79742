//===- IterationCode.cpp - Loops over what arrays store -------------------===//
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

IterationCode::IterationCode(ImplicitLocOpBuilder &builder, LevelCode &levels,
                             ArrayRef<Fiber> fibers, const CoordinateSet &set,
                             llvm::function_ref<void(Value)> setVariable)
    : builder(builder), levels(levels), fibers(fibers), set(set.simplified()),
      setVariable(setVariable) {
  for (auto [number, fiber] : llvm::enumerate(fibers))
    if (fiber.getLevel().isListed())
      listed |= OperandMask(1) << number;
}

SmallVector<Value> IterationCode::flatten(const State &state) {
  SmallVector<Value> values = state.carried;
  for (Value position : state.positions)
    if (position)
      values.push_back(position);
  return values;
}

IterationCode::State IterationCode::unflatten(ValueRange values) {
  State state;
  state.carried = llvm::to_vector(values.take_front(carriedCount));
  values = values.drop_front(carriedCount);
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    state.positions.emplace_back();
    if (!isWalked(operand, ~OperandMask(0)))
      continue;
    state.positions.back() = values.front();
    values = values.drop_front();
  }
  return state;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

Value IterationCode::isHere(unsigned operand, Value position,
                            Value coordinate) {
  Value isInside = arith::CmpIOp::create(builder, Predicate::slt, position,
                                         segments[operand].end);
  auto branch = scf::IfOp::create(builder, builder.getI1Type(), isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value isEqual = arith::CmpIOp::create(
      builder, Predicate::eq, levels.getCoordinate(fibers[operand], position),
      coordinate);
  scf::YieldOp::create(builder, isEqual);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, isInside);
  return branch.getResult(0);
}

Value IterationCode::skipEqual(unsigned operand, Value position,
                               Value coordinate) {
  Type type = builder.getIndexType();
  auto loop = scf::WhileOp::create(builder, type, position);
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, type, builder.getLoc());
  Value isMore = isHere(operand, before->getArgument(0), coordinate);
  scf::ConditionOp::create(builder, isMore, before->getArguments());
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, type, builder.getLoc());
  scf::YieldOp::create(builder, levels.add(after->getArgument(0), 1));
  return loop.getResult(0);
}

Value IterationCode::follow(unsigned operand, Value coordinate, State &state) {
  if (!scanned.empty()) {
    Cursor cursor = scanned[operand]->find(coordinate);
    state.positions[operand] = cursor.position;
    return cursor.isStored;
  }
  Segment left{state.positions[operand], segments[operand].end};
  Value &position = state.positions[operand];
  if (fibers[operand].getLevel().isOrdered) {
    position = levels.gallop(fibers[operand], left, coordinate);
  } else {
    left.begin = segments[operand].begin;
    position = levels.search(fibers[operand], left, coordinate);
  }
  return isHere(operand, position, coordinate);
}

std::optional<OperandMask>
IterationCode::getExhausted(const LatticePoint &point) {
  OperandMask mayEnd = set.support() & listed, always = mayEnd;
  bool isReached = false;
  forEachRegion(mayEnd, [&](OperandMask exhausted) {
    if (!(set.without(exhausted) == point.set))
      return;
    isReached = true;
    always &= exhausted;
  });
  return isReached ? std::optional(always) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

bool IterationCode::isPossible(const Round &round, OperandMask region) const {
  if (region & round.exhausted)
    return false;
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (isWalked(operand, round.walked) && !round.isAt[operand] &&
        !(region >> operand & 1))
      return false;
  return round.walksAll || (region & round.walked);
}

Value IterationCode::emitCondition(const Round &round) {
  auto constant = [&](bool value) -> Value {
    return arith::ConstantOp::create(builder, builder.getBoolAttr(value));
  };
  auto leaf = [&](unsigned operand) -> Value {
    if (round.exhausted >> operand & 1)
      return constant(false);
    if (!isWalked(operand, listed))
      return levels.isStored(fibers[operand]);
    return round.isAt[operand] ? round.isAt[operand] : constant(true);
  };
  auto join = [&](Value a, Value b) -> Value {
    return arith::OrIOp::create(builder, a, b);
  };
  auto meet = [&](Value a, Value b) -> Value {
    return arith::AndIOp::create(builder, a, b);
  };
  auto complement = [&](Value a) -> Value {
    return arith::XOrIOp::create(builder, a, constant(true));
  };
  return round.visited.evaluate<Value>(constant(false), constant(true), leaf,
                                       join, meet, complement);
}

SmallVector<Value> IterationCode::emitBody(const Round &round, Stored stored,
                                           const State &state,
                                           ArrayRef<Value> ends, Body body) {
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    if (!isWalked(operand, listed))
      continue;
    Cursor cursor{state.positions[operand], ends[operand]};
    if (!(stored.surely >> operand & 1))
      cursor.isStored = round.isAt[operand];
    // A fiber that has more is at a later coordinate.
    cursor.isInBounds = !round.walksAll && (round.walked >> operand & 1);
    if ((round.exhausted | ~stored.maybe) >> operand & 1)
      cursor = {};
    levels.bind(fibers[operand], cursor);
  }
  SmallVector<Value> after = body(round.coordinate, state.carried);
  for (unsigned operand = fibers.size(); operand-- > 0;)
    if (isWalked(operand, listed))
      levels.unbind(fibers[operand]);
  return after;
}

SmallVector<Value> IterationCode::emitGuarded(const Round &round, Stored stored,
                                              const State &state,
                                              ArrayRef<Value> ends, Body body) {
  auto branch = scf::IfOp::create(builder, TypeRange(ValueRange(state.carried)),
                                  emitCondition(round),
                                  /*withElseRegion=*/!state.carried.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> done = emitBody(round, stored, state, ends, body);
  if (!done.empty()) {
    scf::YieldOp::create(builder, done);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, state.carried);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

bool IterationCode::isWhereLoopIs(const Round &round) const {
  if (round.walksAll)
    return false;
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (!isWalked(operand, round.walked | round.exhausted) ||
        !fibers[operand].getLevel().isUnique)
      return false;
  return true;
}

SmallVector<Value> IterationCode::emitTentative(const Round &round,
                                                Stored stored,
                                                const State &state,
                                                ArrayRef<Value> ends,
                                                Body body) {
  Value condition = emitCondition(round);
  auto emitAnyway = [&] {
    if (tentative->setCondition)
      tentative->setCondition(condition);
    SmallVector<Value> done = emitBody(round, stored, state, ends, body);
    if (tentative->setCondition)
      tentative->setCondition(nullptr);
    for (auto [value, before] : llvm::zip_equal(done, state.carried))
      value = arith::SelectOp::create(builder, condition, value, before);
    return done;
  };
  Value hasRoom = tentative->hasRoom ? tentative->hasRoom() : Value();
  if (!hasRoom)
    return emitAnyway();
  // What is appended carries no values.
  auto branch = scf::IfOp::create(builder, hasRoom, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAnyway();
  builder.setInsertionPointToStart(branch.elseBlock());
  emitGuarded(round, stored, state, ends, body);
  return {};
}

SmallVector<IterationCode::Part> IterationCode::findParts(const Round &round) {
  // Each is code of its own.
  constexpr size_t mostParts = 8;
  SmallVector<Part> parts;
  if (!cases)
    return parts;
  OperandMask all = (OperandMask(1) << fibers.size()) - 1;
  SmallVector<llvm::BitVector> regions;
  forEachRegion(all, [&](OperandMask region) {
    if (!isPossible(round, region) || !round.visited.contains(region))
      return;
    SmallVector<Fiber> stored, absent;
    for (auto [number, fiber] : llvm::enumerate(fibers))
      (region >> number & 1 ? stored : absent).push_back(fiber);
    SmallVector<unsigned> chosen = cases(stored, absent);
    auto *part = llvm::find_if(
        parts, [&](const Part &known) { return known.cases == chosen; });
    if (part == parts.end()) {
      parts.push_back({CoordinateSet::none(), {all, 0}, chosen});
      regions.emplace_back(1u << fibers.size());
      part = &parts.back();
    }
    part->stored.surely &= region;
    part->stored.maybe |= region;
    regions[part - parts.begin()].set(region);
  });
  if (parts.size() < 2 || parts.size() > mostParts)
    return {};
  for (auto [part, mine] : llvm::zip_equal(parts, regions))
    part.set = CoordinateSet::ofRegions(mine, fibers.size());
  return parts;
}

SmallVector<Value> IterationCode::emitPart(const Round &round, const Part &part,
                                           const State &state,
                                           ArrayRef<Value> ends, Body body) {
  // Bitmaps are asked, but where they surely have nothing.
  SmallVector<unsigned> absent;
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (!isWalked(operand, listed) && !(part.stored.maybe >> operand & 1))
      absent.push_back(operand);
  for (unsigned operand : absent)
    levels.bind(fibers[operand], {});
  SmallVector<Value> after = emitBody(round, part.stored, state, ends, body);
  for (unsigned operand : llvm::reverse(absent))
    levels.unbind(fibers[operand]);
  return after;
}

SmallVector<Value> IterationCode::emitParts(const Round &round,
                                            ArrayRef<Part> parts, bool isRest,
                                            const State &state,
                                            ArrayRef<Value> ends, Body body) {
  if (parts.empty())
    return state.carried;
  if (isRest && parts.size() == 1)
    return emitPart(round, parts.front(), state, ends, body);
  // A body before this one has left the variable behind.
  setVariable(round.coordinate);
  Round mine = round;
  mine.visited = parts.front().set;
  bool hasElse = !state.carried.empty() || parts.size() > 1;
  // A body before this one has left it behind.
  setVariable(round.coordinate);
  auto branch = scf::IfOp::create(builder, TypeRange(ValueRange(state.carried)),
                                  emitCondition(mine), hasElse);
  OpBuilder::InsertionGuard guard(builder);
  auto emitCase = [&](Block *block,
                      llvm::function_ref<SmallVector<Value>()> emit) {
    if (!block->empty())
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> done = emit();
    scf::YieldOp::create(builder, done);
  };
  emitCase(branch.thenBlock(),
           [&] { return emitPart(round, parts.front(), state, ends, body); });
  if (hasElse)
    emitCase(branch.elseBlock(), [&] {
      return emitParts(round, parts.drop_front(), isRest, state, ends, body);
    });
  return llvm::to_vector_of<Value>(branch.getResults());
}

IterationCode::State IterationCode::emitRound(Round round, State state,
                                              Body body) {
  setVariable(round.coordinate);
  // What is neither walked nor exhausted is looked for.
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (isWalked(operand, ~round.walked & ~round.exhausted))
      round.isAt[operand] = follow(operand, round.coordinate, state);
  OperandMask all = (OperandMask(1) << fibers.size()) - 1;
  Stored stored{/*surely=*/all, /*maybe=*/0};
  bool isAlways = true;
  forEachRegion(all, [&](OperandMask region) {
    if (!isPossible(round, region))
      return;
    if (!round.visited.contains(region)) {
      isAlways = false;
      return;
    }
    stored.surely &= region;
    stored.maybe |= region;
  });
  // Positions behind those of a coordinate that is there several times.
  SmallVector<Value> ends(fibers.size());
  for (unsigned operand = 0; operand < fibers.size(); ++operand)
    if (isWalked(operand, ~round.exhausted) &&
        !fibers[operand].getLevel().isUnique)
      ends[operand] =
          skipEqual(operand, state.positions[operand], round.coordinate);
  State next{{}, state.positions, {}};
  // A scan begins anew.
  for (auto [position, row, segment] :
       llvm::zip(next.positions, scanned, segments))
    if (row)
      position = segment.begin;
  SmallVector<Part> parts = findParts(round);
  if (!parts.empty())
    next.carried = emitParts(round, parts, isAlways, state, ends, body);
  else if (isAlways)
    next.carried = emitBody(round, stored, state, ends, body);
  else if (tentative && isWhereLoopIs(round))
    next.carried = emitTentative(round, stored, state, ends, body);
  else
    next.carried = emitGuarded(round, stored, state, ends, body);
  // Those that have the coordinate go on.
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    if (!isWalked(operand, round.walked))
      continue;
    Value &position = next.positions[operand];
    Value behind = ends[operand] ? ends[operand] : levels.add(position, 1);
    Value isAt = round.isAt[operand];
    position = isAt ? arith::SelectOp::create(builder, isAt, behind, position)
                          .getResult()
                    : behind;
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

IterationCode::State IterationCode::emitPoints(State state, Body body) {
  IterationLattice lattice(set);
  for (const LatticePoint &point : lattice.points()) {
    std::optional<OperandMask> exhausted = getExhausted(point);
    if (!exhausted)
      continue;
    OperandMask walked = point.walked & listed;
    unsigned first = llvm::countr_zero(walked);
    bool isOne =
        llvm::popcount(walked) == 1 && fibers[first].getLevel().isUnique;
    state = isOne ? emitFor(point, *exhausted, first, state, body)
                  : emitWhile(point, *exhausted, state, body);
  }
  return state;
}

SmallVector<unsigned> IterationCode::findLeaders() {
  OperandMask all = (OperandMask(1) << fibers.size()) - 1, needed = listed;
  forEachRegion(all, [&](OperandMask region) {
    if (set.contains(region))
      needed &= region;
  });
  SmallVector<unsigned> leaders;
  bool areOrdered = true;
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    if (!isWalked(operand, listed))
      continue;
    const Level &level = fibers[operand].getLevel();
    areOrdered &= level.isOrdered && level.isUnique;
    if (needed >> operand & 1)
      leaders.push_back(operand);
  }
  bool isChoice = searchesLonger && areOrdered && llvm::popcount(listed) > 1 &&
                  llvm::popcount(set.support() & listed) > 1;
  return isChoice ? leaders : SmallVector<unsigned>();
}

Value IterationCode::isShort(unsigned operand) {
  // A step of a search costs several of a merge, and there are some ten of
  // them.
  constexpr int64_t searchCost = 16;
  auto length = [&](unsigned number) -> Value {
    return arith::SubIOp::create(builder, segments[number].end,
                                 segments[number].begin);
  };
  Value mine = arith::MulIOp::create(builder, length(operand),
                                     levels.constant(searchCost));
  Value isShortest;
  for (unsigned other = 0; other < fibers.size(); ++other) {
    if (other == operand || !isWalked(other, listed))
      continue;
    Value isLess =
        arith::CmpIOp::create(builder, Predicate::slt, mine, length(other));
    isShortest = isShortest ? arith::AndIOp::create(builder, isShortest, isLess)
                            : isLess;
  }
  return isShortest;
}

IterationCode::State
IterationCode::emitEither(Value condition, State state,
                          llvm::function_ref<State()> emitFirst,
                          llvm::function_ref<State()> emitSecond) {
  auto branch = scf::IfOp::create(builder, TypeRange(ValueRange(state.carried)),
                                  condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto emitCase = [&](Block *block, llvm::function_ref<State()> emitLoops) {
    if (!block->empty())
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    State after = emitLoops();
    scf::YieldOp::create(builder, after.carried);
  };
  emitCase(branch.thenBlock(), emitFirst);
  emitCase(branch.elseBlock(), emitSecond);
  return {llvm::to_vector_of<Value>(branch.getResults()), {}, {}};
}

IterationCode::State IterationCode::emitLeader(unsigned leader, State state,
                                               Body body) {
  LatticePoint point;
  point.walked = OperandMask(1) << leader;
  point.set = set;
  return emitFor(point, /*exhausted=*/0, leader, state, body);
}

Value IterationCode::areScanned(unsigned leader) {
  Value areShort;
  for (unsigned other = 0; other < fibers.size(); ++other) {
    if (other == leader || !isWalked(other, listed))
      continue;
    Value length = arith::SubIOp::create(builder, segments[other].end,
                                         segments[other].begin);
    Value isShort = arith::CmpIOp::create(builder, Predicate::ule, length,
                                          levels.constant(mostScanned));
    areShort =
        areShort ? arith::AndIOp::create(builder, areShort, isShort) : isShort;
  }
  return areShort;
}

IterationCode::State IterationCode::emitScanned(unsigned leader, State state,
                                                Body body) {
  auto emitLoop = [&] {
    scanned.resize(fibers.size());
    for (unsigned other = 0; other < fibers.size(); ++other)
      if (other != leader && isWalked(other, listed))
        scanned[other].emplace(builder, levels, fibers[other], segments[other],
                               mostScanned);
    State after = emitLeader(leader, state, body);
    scanned.clear();
    return after;
  };
  return emitEither(areScanned(leader), state, emitLoop,
                    [&] { return emitPoints(state, body); });
}

IterationCode::State IterationCode::emitLed(ArrayRef<unsigned> leaders,
                                            State state, Body body) {
  if (leaders.empty())
    return emitPoints(state, body);
  unsigned leader = leaders.front();
  ArrayRef<unsigned> others = leaders.drop_front();
  return emitEither(
      isShort(leader), state, [&] { return emitLeader(leader, state, body); },
      [&] {
        return others.empty() && mostScanned ? emitScanned(leader, state, body)
                                             : emitLed(others, state, body);
      });
}

SmallVector<Value> IterationCode::emit(Value size, ArrayRef<Value> carried,
                                       Body body) {
  carriedCount = carried.size();
  State state{llvm::to_vector(carried), {}, {}};
  for (unsigned operand = 0; operand < fibers.size(); ++operand) {
    Segment &segment = segments.emplace_back();
    if (isWalked(operand, listed))
      segment = levels.getSegment(fibers[operand]);
    // Coordinates past those that the variable takes come last.
    if (isWalked(operand, listed) && isShifted(fibers[operand]))
      segment.end = levels.search(fibers[operand], segment, size);
    state.positions.push_back(segment.begin);
  }
  if (set.isEmpty())
    return state.carried;
  bool walksAll = false;
  OperandMask all = (OperandMask(1) << fibers.size()) - 1;
  forEachRegion(all & ~listed,
                [&](OperandMask region) { walksAll |= set.contains(region); });
  if (walksAll)
    return emitAll(size, state, body).carried;
  return emitLed(findLeaders(), state, body).carried;
}
