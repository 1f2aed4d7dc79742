//===- LevelCode.cpp - Positions of arrays in a format --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LevelCode.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LevelCode::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value LevelCode::add(Value value, int64_t more) {
  return arith::AddIOp::create(builder, value, constant(more));
}

Value LevelCode::loadIndex(Value array, Value position) {
  Value loaded = memref::LoadOp::create(builder, array, position);
  if (loaded.getType().isIndex())
    return loaded;
  return arith::IndexCastOp::create(builder, builder.getIndexType(), loaded);
}

std::string Storage::describe() const {
  // What is no array of the user's is described, and has no quotes.
  bool isDescribed = StringRef(name).contains(' ');
  return isDescribed ? name : "'" + name + "'";
}

std::string Storage::describe(unsigned dimension) const {
  if (!dimensions.empty() && !dimensions[dimension].empty())
    return dimensions[dimension];
  return "dimension " + std::to_string(dimension) + " of " + describe();
}

void LevelCode::emitBoundsAssertion(Value isInside, const std::string &of) {
  auto assertion = cf::AssertOp::create(
      builder, isInside, "an index of " + of + " is out of bounds");
  assertion->setAttr(boundsAttr, builder.getStringAttr(of));
}

Value LevelCode::getCoordinate(const Fiber &fiber, Value position) {
  return loadIndex(getStorage(fiber.array).coordinates(fiber.depth() - 1),
                   position);
}

Value LevelCode::getNextCoordinate(const Fiber &fiber, Value position) {
  Value array = getStorage(fiber.array).coordinates(fiber.depth() - 1);
  Value last = add(memref::DimOp::create(builder, array, 0), -1);
  return getCoordinate(fiber,
                       arith::MinSIOp::create(builder, add(position, 1), last));
}

//===----------------------------------------------------------------------===//
// Where fibers are
//===----------------------------------------------------------------------===//

void LevelCode::bind(const Fiber &fiber, Cursor cursor) {
  bound.emplace_back(fiber, cursor);
}

void LevelCode::unbind(const Fiber &fiber) {
  assert(bound.back().first == fiber && "fibers are unbound in reverse order");
  bound.pop_back();
}

SmallVector<Fiber> LevelCode::getStored() const {
  SmallVector<Fiber> stored;
  for (const auto &[fiber, cursor] : bound)
    if (cursor.position && !cursor.isStored)
      stored.push_back(fiber);
  return stored;
}

SmallVector<Fiber> LevelCode::getAbsent() const {
  SmallVector<Fiber> absent;
  for (const auto &[fiber, cursor] : bound)
    if (!cursor.position)
      absent.push_back(fiber);
  return absent;
}

Cursor LevelCode::find(const Fiber &fiber) {
  if (fiber.coordinates.empty())
    return {constant(0)};
  for (auto &[known, cursor] : llvm::reverse(bound)) {
    if (!(known == fiber))
      continue;
    if (isShifted(fiber))
      assertInside(fiber, index(fiber.coordinates.back()));
    return cursor;
  }
  return locate(fiber);
}

Cursor LevelCode::findAbove(const Fiber &fiber) {
  return find(
      {fiber.array, llvm::to_vector(llvm::drop_end(fiber.coordinates))});
}

/// Whether a coordinate is surely in bounds: a variable that takes all values,
/// of which the dimension's size is compared before any loop.
static bool isCompared(Value coordinate, Value array, unsigned dimension) {
  auto variable = dyn_cast<BlockArgument>(coordinate);
  if (!variable)
    return false;
  Operation *binding = variable.getOwner()->getParentOp();
  // It may be a number that the caller gives.
  if (!isa<ForallOp, ReduceOp>(binding) || !getLevelOperands(binding).empty())
    return false;
  ArrayRef<bool> ranged = isa<ForallOp>(binding)
                              ? cast<ForallOp>(binding).getRanged()
                              : cast<ReduceOp>(binding).getRanged();
  return !ranged[variable.getArgNumber()] &&
         llvm::is_contained(getIndexedDimensions(variable),
                            ArrayDimension{array, dimension});
}

/// Whether a coordinate is a variable that walks another array in a format, of
/// the same size: what that stores beyond it is nothing here.
static bool isWalked(const Fiber &fiber) {
  auto variable = dyn_cast<BlockArgument>(fiber.coordinates.back());
  return variable &&
         !getLevelOperands(variable.getOwner()->getParentOp()).empty() &&
         !isShifted(fiber);
}

void LevelCode::assertInside(const Fiber &fiber, Value coordinate) {
  const Storage &storage = getStorage(fiber.array);
  unsigned level = fiber.depth() - 1;
  unsigned dimension = storage.format().getDimensionOf(level);
  if (isCompared(fiber.coordinates.back(), fiber.array, dimension))
    return;
  Value isInside = arith::CmpIOp::create(builder, Predicate::ult, coordinate,
                                         storage.sizeOfLevel(level));
  emitBoundsAssertion(isInside, storage.describe(dimension));
}

Cursor LevelCode::locate(const Fiber &fiber) {
  unsigned level = fiber.depth() - 1;
  const Storage &storage = getStorage(fiber.array);
  if (storage.level(level).isListed())
    return locateListed(fiber);
  Cursor above = findAbove(fiber);
  if (!above.position)
    return above;
  Value coordinate = index(fiber.coordinates.back());
  Value size = storage.sizeOfLevel(level);
  // A row that loops come to is looked for in positions, of which there is one
  // more than rows, and what a workspace of one dimension is looked up by is
  // checked there, too. Others are checked here, where the array has its name.
  bool isRow = level == 0 && level + 1 < storage.levels.size() &&
               storage.level(level + 1).kind == LevelKind::compressed &&
               isWalked(fiber);
  bool isWhole = level == 0 && !fiber.array.getDefiningOp<AssembleOp>();
  if (!isRow && !isWhole)
    assertInside(fiber, coordinate);
  Value row = arith::MulIOp::create(builder, above.position, size);
  Cursor here = above;
  here.position = arith::AddIOp::create(builder, row, coordinate);
  if (storage.level(level).kind == LevelKind::dense)
    return here;
  Value mask = storage.coordinates(level);
  auto load = [&](OpBuilder &, Location) -> Value {
    return memref::LoadOp::create(builder, mask, here.position);
  };
  if (!above.isStored || above.isInBounds) {
    here.isStored = load(builder, builder.getLoc());
    here.isInBounds = true;
    if (above.isStored)
      here.isStored =
          arith::AndIOp::create(builder, above.isStored, here.isStored);
    return here;
  }
  auto branch = scf::IfOp::create(builder, builder.getI1Type(), above.isStored,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, load(builder, builder.getLoc()));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, above.isStored);
  here.isStored = branch.getResult(0);
  return here;
}

void LevelCode::assertIncreasing(const Fiber &fiber, Segment segment) {
  const Storage &storage = getStorage(fiber.array);
  // What is made here increases.
  if (!fiber.array.getDefiningOp<AssembleOp>())
    return;
  Value increases = arith::CmpIOp::create(builder, Predicate::sle,
                                          segment.begin, segment.end);
  auto assertion =
      cf::AssertOp::create(builder, increases, "positions decrease");
  assertion->setAttr(segmentAttr,
                     builder.getStringAttr("positions of level " +
                                           std::to_string(fiber.depth() - 1) +
                                           " of " + storage.describe()));
}

Segment LevelCode::getSegment(const Fiber &fiber) {
  unsigned level = fiber.depth() - 1;
  const Storage &storage = getStorage(fiber.array);
  Cursor above = findAbove(fiber);
  if (!above.position)
    return {constant(0), constant(0)};
  auto select = [&](Value end, Value begin) -> Value {
    if (!above.isStored)
      return end;
    return arith::SelectOp::create(builder, above.isStored, end, begin);
  };
  if (storage.level(level).kind == LevelKind::singleton) {
    Value end = above.end ? above.end : add(above.position, 1);
    return {above.position, select(end, above.position)};
  }
  Value positions = storage.positions(level);
  Value next = add(above.position, 1);
  if (!above.isStored || above.isInBounds) {
    Segment all{loadIndex(positions, above.position),
                loadIndex(positions, next)};
    assertIncreasing(fiber, all);
    return {all.begin, select(all.end, all.begin)};
  }
  Type types[] = {builder.getIndexType(), builder.getIndexType()};
  auto branch = scf::IfOp::create(builder, types, above.isStored,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Segment stored{loadIndex(positions, above.position),
                 loadIndex(positions, next)};
  assertIncreasing(fiber, stored);
  scf::YieldOp::create(builder, ValueRange{stored.begin, stored.end});
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = constant(0);
  scf::YieldOp::create(builder, ValueRange{zero, zero});
  return {branch.getResult(0), branch.getResult(1)};
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// `while (low < high) { body(low, high) }`, of which the last `low` comes out.
static Value
emitSearch(ImplicitLocOpBuilder &builder, Segment segment,
           llvm::function_ref<std::pair<Value, Value>(Value, Value)> body) {
  Type type = builder.getIndexType();
  auto loop = scf::WhileOp::create(builder, TypeRange{type, type},
                                   ValueRange{segment.begin, segment.end});
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(2, builder.getLoc());
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, {type, type}, locations);
  Value isOpen = arith::CmpIOp::create(
      builder, Predicate::slt, before->getArgument(0), before->getArgument(1));
  scf::ConditionOp::create(builder, isOpen, before->getArguments());
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, {type, type}, locations);
  auto [low, high] = body(after->getArgument(0), after->getArgument(1));
  scf::YieldOp::create(builder, ValueRange{low, high});
  return loop.getResult(0);
}

Value LevelCode::search(const Fiber &fiber, Segment segment, Value coordinate) {
  auto step = [&](Value low, Value high) -> std::pair<Value, Value> {
    Value length = arith::SubIOp::create(builder, high, low);
    Value half = arith::ShRSIOp::create(builder, length, constant(1));
    Value middle = arith::AddIOp::create(builder, low, half);
    Value isBefore = arith::CmpIOp::create(
        builder, Predicate::slt, getCoordinate(fiber, middle), coordinate);
    return {arith::SelectOp::create(builder, isBefore, add(middle, 1), low),
            arith::SelectOp::create(builder, isBefore, high, middle)};
  };
  auto scan = [&](Value low, Value high) -> std::pair<Value, Value> {
    Value isHere = arith::CmpIOp::create(builder, Predicate::eq,
                                         getCoordinate(fiber, low), coordinate);
    return {arith::SelectOp::create(builder, isHere, low, add(low, 1)),
            arith::SelectOp::create(builder, isHere, low, high)};
  };
  if (fiber.getLevel().isOrdered)
    return emitSearch(builder, segment, step);
  return emitSearch(builder, segment, scan);
}

Value LevelCode::gallop(const Fiber &fiber, Segment segment, Value coordinate) {
  Type index = builder.getIndexType();
  Type types[] = {index, index};
  Location locations[] = {builder.getLoc(), builder.getLoc()};
  // All positions before `low` are before the coordinate.
  auto getProbe = [&](Value low, Value step) {
    return add(arith::AddIOp::create(builder, low, step), -1);
  };
  auto loop = scf::WhileOp::create(builder, types,
                                   ValueRange{segment.begin, constant(1)});
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before =
        builder.createBlock(&loop.getBefore(), {}, types, locations);
    Value probe = getProbe(before->getArgument(0), before->getArgument(1));
    Value isInside =
        arith::CmpIOp::create(builder, Predicate::slt, probe, segment.end);
    auto branch = scf::IfOp::create(builder, builder.getI1Type(), isInside,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value isBefore = arith::CmpIOp::create(
          builder, Predicate::slt, getCoordinate(fiber, probe), coordinate);
      scf::YieldOp::create(builder, isBefore);
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, isInside);
    }
    scf::ConditionOp::create(builder, branch.getResult(0),
                             before->getArguments());
    Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
    Value low = after->getArgument(0), step = after->getArgument(1);
    Value further[] = {arith::AddIOp::create(builder, low, step),
                       arith::AddIOp::create(builder, step, step)};
    scf::YieldOp::create(builder, further);
  }
  Value low = loop.getResult(0);
  Value high = arith::MinSIOp::create(builder, getProbe(low, loop.getResult(1)),
                                      segment.end);
  return search(fiber, {low, high}, coordinate);
}

Cursor LevelCode::locateListed(const Fiber &fiber) {
  Segment segment = getSegment(fiber);
  Value coordinate = index(fiber.coordinates.back());
  if (!isWalked(fiber))
    assertInside(fiber, coordinate);
  Value position = search(fiber, segment, coordinate);
  if (!fiber.getLevel().isUnique) {
    Value end = search(fiber, {position, segment.end}, add(coordinate, 1));
    Value isStored =
        arith::CmpIOp::create(builder, Predicate::slt, position, end);
    return {position, end, isStored};
  }
  Value isInside =
      arith::CmpIOp::create(builder, Predicate::slt, position, segment.end);
  auto branch = scf::IfOp::create(builder, builder.getI1Type(), isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value isHere = arith::CmpIOp::create(
      builder, Predicate::eq, getCoordinate(fiber, position), coordinate);
  scf::YieldOp::create(builder, isHere);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, isInside);
  return {position, {}, branch.getResult(0)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value LevelCode::isStored(const Fiber &fiber) {
  Cursor cursor = find(fiber);
  if (cursor.position && cursor.isStored)
    return cursor.isStored;
  return arith::ConstantOp::create(builder,
                                   builder.getBoolAttr(!!cursor.position));
}

Value LevelCode::isStored(AccessOp access) {
  auto type = dyn_cast<ArrayType>(access.getArray().getType());
  if (!type)
    return arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  return isStored(
      Fiber{access.getArray(), getCoordinates(type, access.getIndices())});
}

Value LevelCode::load(AccessOp access) {
  Value array = access.getArray();
  const Storage &storage = getStorage(array);
  Fiber element{array, getCoordinates(storage.type, access.getIndices())};
  if (access.getStored())
    return isStored(element);
  auto fill = [&]() -> Value {
    return arith::ConstantOp::create(builder,
                                     ArrayType(storage.type).getUnstored());
  };
  // A boolean that is stored and not the fill is the other one.
  FormatAttr format = storage.format();
  if (access.getType().isInteger(1) && !format.getStoresFill() &&
      !format.isMissing() && !storage.isLocating)
    return arith::XOrIOp::create(builder, isStored(element), fill());
  Cursor cursor = find(element);
  if (!cursor.position)
    return fill();
  if (storage.isLocating)
    return cursor.isStored ? arith::SelectOp::create(builder, cursor.isStored,
                                                     cursor.position, fill())
                           : cursor.position;
  auto load = [&]() -> Value {
    return memref::LoadOp::create(builder, storage.values, cursor.position);
  };
  if (!cursor.isStored)
    return load();
  if (cursor.isInBounds)
    return arith::SelectOp::create(builder, cursor.isStored, load(), fill());
  auto branch = scf::IfOp::create(builder, access.getType(), cursor.isStored,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, fill());
  return branch.getResult(0);
}
