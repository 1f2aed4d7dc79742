//===- HashWorkspace.cpp - Workspaces that are as large as a row ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HashWorkspace.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Predicate = arith::CmpIPredicate;

/// 2^64 over the golden ratio: neighbours are far apart (Knuth, 6.4).
static constexpr int64_t multiplier = -7046029254386353131;

/// `while (holds(state)) state = step(state)`
static Value emitWhile(ImplicitLocOpBuilder &builder, Value first,
                       llvm::function_ref<Value(Value)> holds,
                       llvm::function_ref<Value(Value)> step) {
  Type type = first.getType();
  auto loop = scf::WhileOp::create(builder, type, first);
  OpBuilder::InsertionGuard guard(builder);
  Location loc = builder.getLoc();
  Block *before = builder.createBlock(&loop.getBefore(), {}, type, loc);
  Value state = before->getArgument(0);
  scf::ConditionOp::create(builder, holds(state), state);
  Block *after = builder.createBlock(&loop.getAfter(), {}, type, loc);
  scf::YieldOp::create(builder, step(after->getArgument(0)));
  return loop.getResult(0);
}

bool HashWorkspace::takes(ArrayType type) {
  ArrayRef<Level> all = type.getFormat().getLevels();
  return all.size() == 1 && all.front().kind == LevelKind::compressed;
}

HashWorkspace::HashWorkspace(ImplicitLocOpBuilder &builder, LevelCode &levels,
                             ArrayType type, ArrayRef<Value> sizes, Value most,
                             Allocate allocate)
    : WorkspaceCode(builder, levels, type, sizes) {
  Type index = builder.getIndexType(), wide = builder.getI64Type();
  auto make = [&](Type element, Value elements) {
    return allocate(MemRefType::get(ShapedType::kDynamic, element), elements);
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  };
  // At most half of the slots are taken, and there are two or more.
  most = arith::MaxSIOp::create(builder, most, levels.constant(1));
  Value twice = arith::AddIOp::create(builder, most, most);
  Value last = arith::IndexCastOp::create(builder, wide, levels.add(twice, -1));
  shift = math::CountLeadingZerosOp::create(builder, last);
  Value bits = arith::SubIOp::create(builder, number(64), shift);
  Value slots = arith::IndexCastOp::create(
      builder, index, arith::ShLIOp::create(builder, number(1), bits));
  mask = levels.add(slots, -1);
  keys = make(index, slots);
  values = make(type.getElementType(), slots);
  // A slot is written behind the last one, and counts if it is new.
  list = make(index, levels.add(most, 1));
  storage.levels.back() = {make(index, levels.constant(2)), make(index, most)};
  storage.values = make(type.getElementType(), most);
  auto loop = scf::ForOp::create(builder, levels.constant(0), slots,
                                 levels.constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    memref::StoreOp::create(builder, levels.constant(-1), keys,
                            loop.getInductionVar());
  }
  auto cell = memref::AllocaOp::create(builder, MemRefType::get({}, index));
  cell->setAttr(scratchAttr, builder.getUnitAttr());
  count = cell;
  memref::StoreOp::create(builder, levels.constant(0), count, ValueRange());
}

//===----------------------------------------------------------------------===//
// Adding elements
//===----------------------------------------------------------------------===//

Value HashWorkspace::getKey(Value slot) {
  return memref::LoadOp::create(builder, keys, slot);
}

Value HashWorkspace::find(Value coordinate) {
  Type wide = builder.getI64Type();
  Value factor =
      arith::ConstantOp::create(builder, builder.getI64IntegerAttr(multiplier));
  Value product = arith::MulIOp::create(
      builder, arith::IndexCastOp::create(builder, wide, coordinate), factor);
  Value first = arith::IndexCastOp::create(
      builder, builder.getIndexType(),
      arith::ShRUIOp::create(builder, product, shift));
  auto isOther = [&](Value slot) -> Value {
    Value key = getKey(slot);
    Value isTaken =
        arith::CmpIOp::create(builder, Predicate::ne, key, levels.constant(-1));
    Value differs =
        arith::CmpIOp::create(builder, Predicate::ne, key, coordinate);
    return arith::AndIOp::create(builder, isTaken, differs);
  };
  auto goOn = [&](Value slot) -> Value {
    return arith::AndIOp::create(builder, levels.add(slot, 1), mask);
  };
  return emitWhile(builder, first, isOther, goOn);
}

void HashWorkspace::store(ArrayRef<Value> coordinates, Value value,
                          Function function) {
  Value coordinate = coordinates.front();
  Value isInside = arith::CmpIOp::create(builder, Predicate::ult, coordinate,
                                         storage.sizes.front());
  levels.emitBoundsAssertion(isInside, storage.describe(0));
  Value slot = find(coordinate);
  Value isThere =
      arith::CmpIOp::create(builder, Predicate::eq, getKey(slot), coordinate);
  if (function) {
    Value there = memref::LoadOp::create(builder, values, slot);
    Value sum = emitCall(builder, function, {there, value}, value.getType());
    value = arith::SelectOp::create(builder, isThere, sum, value);
  }
  memref::StoreOp::create(builder, value, values, slot);
  memref::StoreOp::create(builder, coordinate, keys, slot);
  Value last = memref::LoadOp::create(builder, count, ValueRange());
  memref::StoreOp::create(builder, slot, list, last);
  Value next =
      arith::SelectOp::create(builder, isThere, last, levels.add(last, 1));
  memref::StoreOp::create(builder, next, count, ValueRange());
}

//===----------------------------------------------------------------------===//
// Gathering them
//===----------------------------------------------------------------------===//

void HashWorkspace::insert(Value place, Value gap) {
  Value slot = memref::LoadOp::create(builder, list, place);
  Value key = getKey(slot);
  auto getBefore = [&](Value here) -> Value {
    Value before = arith::SubIOp::create(builder, here, gap);
    return memref::LoadOp::create(builder, list, before);
  };
  auto isLess = [&](Value here) -> Value {
    Value isInside = arith::CmpIOp::create(builder, Predicate::sge, here, gap);
    auto branch = scf::IfOp::create(builder, builder.getI1Type(), isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value isLarger = arith::CmpIOp::create(builder, Predicate::sgt,
                                           getKey(getBefore(here)), key);
    scf::YieldOp::create(builder, isLarger);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, isInside);
    return branch.getResult(0);
  };
  auto moveBack = [&](Value here) -> Value {
    memref::StoreOp::create(builder, getBefore(here), list, here);
    return arith::SubIOp::create(builder, here, gap);
  };
  Value free = emitWhile(builder, place, isLess, moveBack);
  memref::StoreOp::create(builder, slot, list, free);
}

// By Shell: nothing but the list is needed, and short ones take little more
// than one pass.
void HashWorkspace::sort(Value count) {
  // Gaps by Gonnet and Baeza-Yates, down to 1; the first is above all places.
  auto shrink = [&](Value gap) -> Value {
    Value part = arith::MulIOp::create(builder, gap, levels.constant(5));
    Value next = arith::DivUIOp::create(builder, levels.add(part, -1),
                                        levels.constant(11));
    Value isLast =
        arith::CmpIOp::create(builder, Predicate::sgt, gap, levels.constant(1));
    Value least = arith::MaxSIOp::create(builder, next, levels.constant(1));
    return arith::SelectOp::create(builder, isLast, least, levels.constant(0));
  };
  auto isOpen = [&](Value gap) -> Value {
    return arith::CmpIOp::create(builder, Predicate::sgt, gap,
                                 levels.constant(0));
  };
  auto pass = [&](Value gap) -> Value {
    auto loop = scf::ForOp::create(builder, gap, count, levels.constant(1));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      insert(loop.getInductionVar(), gap);
    }
    return shrink(gap);
  };
  emitWhile(builder, shrink(count), isOpen, pass);
}

void HashWorkspace::gather() {
  Value none = levels.constant(0), one = levels.constant(1);
  Value stored = memref::LoadOp::create(builder, count, ValueRange());
  if (storage.level(0).isOrdered)
    sort(stored);
  auto loop = scf::ForOp::create(builder, none, stored, one);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value place = loop.getInductionVar();
    Value slot = memref::LoadOp::create(builder, list, place);
    memref::StoreOp::create(builder, getKey(slot), storage.coordinates(0),
                            place);
    memref::StoreOp::create(builder, levels.constant(-1), keys, slot);
    Value value = memref::LoadOp::create(builder, values, slot);
    memref::StoreOp::create(builder, value, storage.values, place);
  }
  memref::StoreOp::create(builder, none, storage.positions(0), none);
  memref::StoreOp::create(builder, stored, storage.positions(0), one);
  memref::StoreOp::create(builder, none, count, ValueRange());
}
