//===- RowCount.cpp - How many elements rows have -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCount.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

RowCount::RowCount(ImplicitLocOpBuilder &builder, LevelCode &levels,
                   ArrayType type, ArrayRef<Value> sizes, Allocate allocate)
    : WorkspaceCode(builder, levels, type, sizes) {
  Value count = levels.constant(1);
  for (Value size : sizes)
    count = arith::MulIOp::create(builder, count, size);
  Value more = levels.add(count, (int64_t(1) << wordShift) - 1);
  Value words =
      arith::ShRUIOp::create(builder, more, levels.constant(wordShift));
  auto make = [&](Type element, Value elements) {
    return allocate(MemRefType::get(ShapedType::kDynamic, element), elements);
  };
  bits = make(builder.getI64Type(), words);
  // A word is written behind the last one, and counts if it is new.
  list = make(builder.getIndexType(), levels.add(words, 1));
  zero(bits);
  auto cell = memref::AllocaOp::create(
      builder, MemRefType::get({}, builder.getIndexType()));
  cell->setAttr(scratchAttr, builder.getUnitAttr());
  listed = cell;
  memref::StoreOp::create(builder, levels.constant(0), listed, ValueRange());
}

void RowCount::store(ArrayRef<Value> coordinates, Value, Function) {
  Value position = linearize(coordinates);
  Value place =
      arith::ShRUIOp::create(builder, position, levels.constant(wordShift));
  Value inside = arith::AndIOp::create(
      builder, position, levels.constant((int64_t(1) << wordShift) - 1));
  Type word = builder.getI64Type();
  Value shift = arith::IndexCastOp::create(builder, word, inside);
  Value one = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(1));
  Value none = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(0));
  Value bit = arith::ShLIOp::create(builder, one, shift);
  Value before = memref::LoadOp::create(builder, bits, place);
  memref::StoreOp::create(builder, arith::OrIOp::create(builder, before, bit),
                          bits, place);
  Value last = memref::LoadOp::create(builder, listed, ValueRange());
  memref::StoreOp::create(builder, place, list, last);
  Value wasEmpty =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, before, none);
  Value next =
      arith::SelectOp::create(builder, wasEmpty, levels.add(last, 1), last);
  memref::StoreOp::create(builder, next, listed, ValueRange());
}

Value RowCount::take() {
  Value none = levels.constant(0);
  Value words = memref::LoadOp::create(builder, listed, ValueRange());
  auto loop =
      scf::ForOp::create(builder, none, words, levels.constant(1), none);
  memref::StoreOp::create(builder, none, listed, ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  builder.setInsertionPointToEnd(loop.getBody());
  Value place = memref::LoadOp::create(builder, list, loop.getInductionVar());
  Value word = memref::LoadOp::create(builder, bits, place);
  Value empty =
      arith::ConstantOp::create(builder, builder.getI64IntegerAttr(0));
  memref::StoreOp::create(builder, empty, bits, place);
  Value elements = arith::IndexCastOp::create(
      builder, builder.getIndexType(), math::CtPopOp::create(builder, word));
  scf::YieldOp::create(builder, arith::AddIOp::create(
                                    builder, loop.getRegionIterArg(0), elements)
                                    .getResult());
  return loop.getResult(0);
}
