//===- AppendCode.cpp - Arrays that are appended to -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendCode.h"

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
// Memory
//===----------------------------------------------------------------------===//

void AppendCode::storeIndex(Value index, Value array, Value position) {
  if (!array)
    return;
  Type type = cast<MemRefType>(array.getType()).getElementType();
  if (!type.isIndex())
    index = arith::IndexCastOp::create(builder, type, index);
  memref::StoreOp::create(builder, index, array, position);
}

/// The first number that an element of `array` cannot hold; null if there is
/// none that counts.
Value AppendCode::getLimit(Value array) {
  auto type = array ? dyn_cast<IntegerType>(
                          cast<MemRefType>(array.getType()).getElementType())
                    : IntegerType();
  if (!type || type.getWidth() >= 64)
    return nullptr;
  return levels.constant(int64_t(1) << (type.getWidth() - 1));
}

void AppendCode::storePosition(Value count, unsigned level, Value at) {
  Value positions = storage.positions(level);
  if (Value limit = getLimit(positions)) {
    Value fits = arith::CmpIOp::create(builder, Predicate::ult, count, limit);
    cf::AssertOp::create(builder, fits,
                         "more elements of " + storage.name +
                             " are stored than its positions can count: give "
                             "its format wider ones");
  }
  storeIndex(count, positions, at);
}

void AppendCode::forAll(Value from, Value to,
                        llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, from, to, levels.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

unsigned AppendCode::getTop(unsigned level) const {
  while (storage.level(level).kind == LevelKind::singleton)
    --level;
  return level;
}

Value AppendCode::getCount(unsigned level) {
  return memref::LoadOp::create(builder, counts[getTop(level)], ValueRange());
}

void AppendCode::setCount(unsigned level, Value count) {
  memref::StoreOp::create(builder, count, counts[getTop(level)], ValueRange());
}

AppendCode::AppendCode(ImplicitLocOpBuilder &builder, LevelCode &levels,
                       AssembleOp array)
    : builder(builder), levels(levels), storage(levels.getStorage(array)),
      depth(storage.levels.size()), counts(depth), before(depth) {
  Value zero = levels.constant(0);
  bool isListed = false;
  auto fill = [&](Value memory, Value value) {
    if (!memory)
      return;
    Value size = memref::DimOp::create(builder, memory, 0);
    forAll(zero, size, [&](Value position) {
      memref::StoreOp::create(builder, value, memory, position);
    });
  };
  auto fillWith = [&](Value memory, TypedAttr value) {
    fill(memory, arith::ConstantOp::create(builder, value));
  };
  for (unsigned level = 0; level < depth; ++level) {
    const Level &mine = storage.level(level);
    isListed |= mine.isListed();
    if (mine.kind == LevelKind::compressed) {
      auto type = MemRefType::get({}, builder.getIndexType());
      counts[level] = memref::AllocaOp::create(builder, type);
      setCount(level, zero);
      Value positions = storage.positions(level);
      if (positions)
        fillWith(positions,
                 builder.getZeroAttr(
                     cast<MemRefType>(positions.getType()).getElementType()));
    } else if (mine.kind == LevelKind::bitmap) {
      fillWith(storage.coordinates(level), builder.getBoolAttr(false));
    }
  }
  if (!isListed)
    fillWith(storage.values, ArrayType(storage.type).getUnstored());
}

//===----------------------------------------------------------------------===//
// Rows by themselves
//===----------------------------------------------------------------------===//

void AppendCode::setMode(Mode newMode) {
  mode = newMode;
  auto type = MemRefType::get({}, builder.getIndexType());
  auto count = memref::AllocaOp::create(builder, type);
  count->setAttr(scratchAttr, builder.getUnitAttr());
  counts[1] = count;
  if (mode == Mode::append)
    setCount(1, levels.constant(0));
}

void AppendCode::sumRows(Value end) {
  Value positions = storage.positions(1);
  auto loop = scf::ForOp::create(builder, levels.constant(1), end,
                                 levels.constant(1), levels.constant(0));
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  builder.setInsertionPointToEnd(loop.getBody());
  Value position = loop.getInductionVar();
  Value sum = arith::AddIOp::create(builder, loop.getRegionIterArg(0),
                                    levels.loadIndex(positions, position));
  storePosition(sum, 1, position);
  scf::YieldOp::create(builder, sum);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value AppendCode::getPosition(unsigned level, ArrayRef<Value> coordinates) {
  if (storage.level(level).isListed())
    return getCount(level);
  Value coordinate = coordinates[level];
  if (level == 0)
    return coordinate;
  Value above = getPosition(level - 1, coordinates);
  Value row = arith::MulIOp::create(builder, above, storage.sizeOfLevel(level));
  return arith::AddIOp::create(builder, row, coordinate);
}

void AppendCode::assertBelow(Value coordinate, Value end,
                             const std::string &of) {
  Value isInside =
      arith::CmpIOp::create(builder, Predicate::ult, coordinate, end);
  if (tentative) {
    Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
    Value isLeftOut = arith::XOrIOp::create(builder, tentative, yes);
    isInside = arith::OrIOp::create(builder, isInside, isLeftOut);
  }
  levels.emitBoundsAssertion(isInside, of);
}

void AppendCode::append(unsigned level, ArrayRef<Value> coordinates) {
  Value count = getCount(level);
  for (unsigned mine = getTop(level); mine <= level; ++mine) {
    std::string name = storage.describe(storage.format().getDimensionOf(mine));
    assertBelow(coordinates[mine], storage.sizeOfLevel(mine), name);
    Value stored = storage.coordinates(mine);
    if (Value limit = getLimit(stored)) {
      unsigned width =
          getElementTypeOrSelf(stored.getType()).getIntOrFloatBitWidth();
      assertBelow(coordinates[mine], limit,
                  "the coordinates of i" + std::to_string(width) + " of " +
                      name);
    }
    storeIndex(coordinates[mine], storage.coordinates(mine), count);
  }
  Value next = levels.add(count, 1);
  if (tentative)
    next = arith::SelectOp::create(builder, tentative, next, count);
  if (isAboveSegments(level))
    storePosition(getCount(level + 1), level + 1, next);
  setCount(level, next);
}

void AppendCode::mark(unsigned level, Value position) {
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  memref::StoreOp::create(builder, yes, storage.coordinates(level), position);
}

void AppendCode::enter(unsigned level, ArrayRef<Value> coordinates) {
  if (level == 0 && mode == Mode::countRows)
    setCount(1, levels.constant(0));
  if (level == 0 && mode == Mode::fillRows) {
    Value row = coordinates.front();
    Value positions = storage.positions(1);
    setCount(1, levels.loadIndex(positions, row));
    rowEnd = levels.loadIndex(positions, levels.add(row, 1));
  }
  if (level + 1 == depth || !storage.level(level).isListed())
    return;
  if (storage.level(level + 1).isListed()) {
    before[level] = getCount(level + 1);
    return;
  }
  if (isCounting())
    return;
  // A block, of which not each element needs to be assigned to.
  Value size = levels.constant(1);
  for (unsigned below = level + 1; below < depth; ++below) {
    if (storage.level(below).kind == LevelKind::compressed)
      return;
    size = arith::MulIOp::create(builder, size, storage.sizeOfLevel(below));
  }
  Value begin = arith::MulIOp::create(builder, getCount(level), size);
  Value end = arith::AddIOp::create(builder, begin, size);
  Value fill =
      arith::ConstantOp::create(builder, ArrayType(storage.type).getUnstored());
  forAll(begin, end, [&](Value position) {
    memref::StoreOp::create(builder, fill, storage.values, position);
  });
}

void AppendCode::leave(unsigned level, ArrayRef<Value> coordinates) {
  if (level + 1 == depth)
    return;
  if (storage.level(level).kind == LevelKind::bitmap && !isCounting())
    mark(level, getPosition(level, coordinates));
  if (!storage.level(level).isListed()) {
    // Where a row ends is what has been counted.
    if (isAboveSegments(level) && mode != Mode::fillRows)
      storePosition(getCount(level + 1), level + 1,
                    levels.add(getPosition(level, coordinates), 1));
    return;
  }
  if (!storage.level(level + 1).isListed()) {
    append(level, coordinates);
    return;
  }
  // Elements of levels that share their positions are appended as a whole.
  if (storage.level(level + 1).kind == LevelKind::singleton)
    return;
  Value isMore = arith::CmpIOp::create(builder, Predicate::sgt,
                                       getCount(level + 1), before[level]);
  auto branch = scf::IfOp::create(builder, isMore, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  append(level, coordinates);
}

void AppendCode::store(ArrayRef<Value> coordinates, Value value,
                       bool isComputed) {
  unsigned last = depth - 1;
  Value position;
  if (!isCounting()) {
    position = getPosition(last, coordinates);
    memref::StoreOp::create(builder, value, storage.values, position);
  }
  if (storage.level(last).isListed()) {
    append(last, coordinates);
    return;
  }
  if (isCounting())
    return;
  for (unsigned level = isComputed ? 0 : last; level < last; ++level)
    if (storage.level(level).kind == LevelKind::bitmap)
      mark(level, getPosition(level, coordinates));
  if (storage.level(last).kind == LevelKind::bitmap)
    mark(last, position);
}

Value AppendCode::hasRoom() {
  unsigned last = depth - 1;
  if (isCounting())
    return nullptr;
  Value size = memref::DimOp::create(builder, storage.values, 0);
  for (unsigned level = getTop(last); level <= last; ++level)
    size = arith::MinUIOp::create(
        builder, size,
        memref::DimOp::create(builder, storage.coordinates(level), 0));
  // What is behind a row is another thread's.
  if (mode == Mode::fillRows)
    size = arith::MinUIOp::create(builder, size, rowEnd);
  return arith::CmpIOp::create(builder, Predicate::ult, getCount(last), size);
}

void AppendCode::skip(Value positions) {
  unsigned last = depth - 1;
  setCount(last, arith::AddIOp::create(builder, getCount(last), positions));
}

void AppendCode::reset() {
  for (unsigned level = 0; level < depth; ++level)
    if (counts[level])
      setCount(level, levels.constant(0));
}

void AppendCode::storeCounts() {
  for (unsigned level = 0; level < depth; ++level) {
    Value count =
        storage.level(level).isListed() ? getCount(level) : levels.constant(0);
    storeIndex(count, storage.counts, levels.constant(level));
  }
}

void AppendCode::finish(Value end) {
  if (isCounting()) {
    storeCounts();
    return;
  }
  for (unsigned level = 0; level < depth; ++level) {
    if (storage.level(level).kind != LevelKind::compressed)
      continue;
    Value positions = storage.positions(level);
    if (level == 0) {
      storePosition(getCount(level), level, levels.constant(1));
      continue;
    }
    // What no loop came to has no elements.
    Value one = levels.constant(1);
    Value last = end ? end : memref::DimOp::create(builder, positions, 0);
    forAll(one, last, [&](Value position) {
      Value above = arith::SubIOp::create(builder, position, one);
      Value mine = levels.loadIndex(positions, position);
      Value most = arith::MaxSIOp::create(builder, mine,
                                          levels.loadIndex(positions, above));
      storeIndex(most, positions, position);
    });
  }
}
