//===- OrderedWorkspace.cpp - Workspaces that are gathered in order -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderedWorkspace.h"

#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Predicate = arith::CmpIPredicate;

Value OrderedWorkspace::word(int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}

OrderedWorkspace::OrderedWorkspace(ImplicitLocOpBuilder &builder,
                                   LevelCode &levels, ArrayType type,
                                   ArrayRef<Value> sizes, Allocate allocate)
    : WorkspaceCode(builder, levels, type, sizes) {
  Value rows = levels.constant(1);
  for (Value size : sizes.drop_back())
    rows = arith::MulIOp::create(builder, rows, size);
  Value count = arith::MulIOp::create(builder, rows, sizes.back());
  auto make = [&](Type element, Value elements) {
    return allocate(MemRefType::get(ShapedType::kDynamic, element), elements);
  };
  Type index = builder.getIndexType();
  values = make(type.getElementType(), count);
  located = {values};
  storage.values = make(type.getElementType(), count);
  storage.levels.back() = {make(index, levels.add(rows, 1)),
                           make(index, count)};
  for (unsigned summary = 0; summary < summaries; ++summary) {
    Value more = levels.add(count, (int64_t(1) << wordShift) - 1);
    count = arith::ShRUIOp::create(builder, more, levels.constant(wordShift));
    bits.push_back(make(builder.getI64Type(), count));
    zero(bits.back());
  }
}

//===----------------------------------------------------------------------===//
// Adding elements
//===----------------------------------------------------------------------===//

void OrderedWorkspace::storeBit(unsigned summary, Value index) {
  Value shift = levels.constant(wordShift);
  Value place = arith::ShRUIOp::create(builder, index, shift);
  Value inside = arith::IndexCastOp::create(
      builder, builder.getI64Type(),
      arith::AndIOp::create(builder, index,
                            levels.constant((int64_t(1) << wordShift) - 1)));
  Value bit = arith::ShLIOp::create(builder, word(1), inside);
  Value before = memref::LoadOp::create(builder, bits[summary], place);
  memref::StoreOp::create(builder, arith::OrIOp::create(builder, before, bit),
                          bits[summary], place);
  if (summary + 1 == summaries)
    return;
  Value wasEmpty =
      arith::CmpIOp::create(builder, Predicate::eq, before, word(0));
  auto branch = scf::IfOp::create(builder, wasEmpty, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeBit(summary + 1, place);
}

void OrderedWorkspace::store(ArrayRef<Value> coordinates, Value value,
                             Function function) {
  Value position = linearize(coordinates);
  if (function) {
    // First, since the check of a position is one of the coordinate here.
    Value there = memref::LoadOp::create(builder, values, position);
    Value place =
        arith::ShRUIOp::create(builder, position, levels.constant(wordShift));
    Value inside = arith::IndexCastOp::create(
        builder, builder.getI64Type(),
        arith::AndIOp::create(builder, position,
                              levels.constant((int64_t(1) << wordShift) - 1)));
    Value bits0 = memref::LoadOp::create(builder, bits.front(), place);
    Value bit =
        arith::TruncIOp::create(builder, builder.getI1Type(),
                                arith::ShRUIOp::create(builder, bits0, inside));
    Value sum = emitCall(builder, function, {there, value}, value.getType());
    value = arith::SelectOp::create(builder, bit, sum, value);
  }
  memref::StoreOp::create(builder, value, values, position);
  storeBit(0, position);
}

//===----------------------------------------------------------------------===//
// Gathering them
//===----------------------------------------------------------------------===//

Value OrderedWorkspace::forBits(unsigned summary, Value wordIndex, Value count,
                                llvm::function_ref<Value(Value, Value)> body) {
  Type types[] = {builder.getI64Type(), builder.getIndexType()};
  Location locations[] = {builder.getLoc(), builder.getLoc()};
  Value left = memref::LoadOp::create(builder, bits[summary], wordIndex);
  memref::StoreOp::create(builder, word(0), bits[summary], wordIndex);
  auto loop = scf::WhileOp::create(builder, types, ValueRange{left, count});
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Value isOpen = arith::CmpIOp::create(builder, Predicate::ne,
                                       before->getArgument(0), word(0));
  scf::ConditionOp::create(builder, isOpen, before->getArguments());
  Block *inside = builder.createBlock(&loop.getAfter(), {}, types, locations);
  Value mine = inside->getArgument(0);
  Value first = arith::IndexCastOp::create(
      builder, builder.getIndexType(),
      math::CountTrailingZerosOp::create(builder, mine));
  Value begin =
      arith::ShLIOp::create(builder, wordIndex, levels.constant(wordShift));
  Value after = body(arith::AddIOp::create(builder, begin, first),
                     inside->getArgument(1));
  Value less = arith::SubIOp::create(builder, mine, word(1));
  Value rest = arith::AndIOp::create(builder, mine, less);
  scf::YieldOp::create(builder, ValueRange{rest, after});
  return loop.getResult(1);
}

Value OrderedWorkspace::gatherElement(Value position, Value count) {
  Value coordinate = position, next = levels.add(count, 1);
  if (storage.sizes.size() > 1) {
    Value size = storage.sizes.back();
    Value row = arith::DivUIOp::create(builder, position, size);
    coordinate = arith::RemUIOp::create(builder, position, size);
    memref::StoreOp::create(builder, next, storage.levels.back()[0],
                            levels.add(row, 1));
  }
  memref::StoreOp::create(builder, coordinate, storage.levels.back()[1], count);
  Value value = memref::LoadOp::create(builder, values, position);
  memref::StoreOp::create(builder, value, storage.values, count);
  return next;
}

void OrderedWorkspace::gather() {
  Value positions = storage.levels.back()[0];
  zero(positions);
  Value nothing = levels.constant(0), one = levels.constant(1);
  auto loop = scf::ForOp::create(builder, nothing,
                                 memref::DimOp::create(builder, bits.back(), 0),
                                 one, nothing);
  {
    OpBuilder::InsertionGuard guard(builder);
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    builder.setInsertionPointToEnd(loop.getBody());
    auto forWords = [&](auto &self, unsigned summary, Value index,
                        Value count) -> Value {
      return forBits(summary, index, count, [&](Value bit, Value counted) {
        return summary == 0 ? gatherElement(bit, counted)
                            : self(self, summary - 1, bit, counted);
      });
    };
    Value after = forWords(forWords, summaries - 1, loop.getInductionVar(),
                           loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, after);
  }
  if (storage.sizes.size() == 1) {
    memref::StoreOp::create(builder, loop.getResult(0), positions, one);
    return;
  }
  // Rows without elements end where the row before does.
  Value rows = memref::DimOp::create(builder, positions, 0);
  auto rowLoop = scf::ForOp::create(builder, one, rows, one, nothing);
  OpBuilder::InsertionGuard guard(builder);
  if (!rowLoop.getBody()->empty())
    rowLoop.getBody()->back().erase();
  builder.setInsertionPointToEnd(rowLoop.getBody());
  Value mine =
      memref::LoadOp::create(builder, positions, rowLoop.getInductionVar());
  Value most =
      arith::MaxSIOp::create(builder, mine, rowLoop.getRegionIterArg(0));
  memref::StoreOp::create(builder, most, positions, rowLoop.getInductionVar());
  scf::YieldOp::create(builder, most);
}
