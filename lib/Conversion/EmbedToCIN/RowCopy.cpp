//===- RowCopy.cpp - Rows that do not lie in one piece --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a table that is stored column by column, every element of a row lies in
// another cache line, and a bag reads as many lines as elements. A copy takes
// each line once, for all the rows that it holds elements of.
//
//===----------------------------------------------------------------------===//

#include "RowCopy.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"
#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;

/// Rows that are copied together: as many as a cache line has elements of the
/// narrower types, so that it is not needed again.
static constexpr int64_t rowsAtOnce = 32;

/// Whether the elements of a row are known to lie side by side.
static bool hasContiguousRows(Value table) {
  auto type = dyn_cast<MemRefType>(table.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return !type || failed(type.getStridesAndOffset(strides, offset)) ||
         strides.back() == 1;
}

/// copy[r, c] = table[r, c], some rows at a time, column by column.
static void writeCopy(Operation *op, Value table, Value copy) {
  StatementBuilder builder(op, {{"table", table}}, copy);
  cin::ForallOp statement = builder.forall({{"r"}, {"c"}}, [&](ValueRange rc) {
    // The copy says how many rows there are.
    Value row = builder.apply(builder.getAffineDimExpr(0), rc[0]);
    builder.assign(builder.access(table, {row, rc[1]}), copy, rc);
  });
  MLIRContext *context = builder.getContext();
  auto relation = [&](cin::RelationKind kind, ArrayRef<StringRef> names,
                      int64_t factor) {
    SmallVector<StringAttr> variables;
    for (StringRef name : names)
      variables.push_back(builder.getStringAttr(name));
    return cin::RelationAttr::get(context, kind, variables, factor,
                                  StringAttr());
  };
  statement.setScheduleAttr(cin::ScheduleAttr::get(
      context,
      {relation(cin::RelationKind::split, {"r", "r0", "r1"}, rowsAtOnce),
       relation(cin::RelationKind::reorder, {"r0", "c", "r1"}, 0)}));
  builder.finish();
}

std::optional<RowCopy> ember::copyRows(Operation *op, Value table,
                                       Value indices, int64_t mostBytes) {
  if (mostBytes <= 0 || hasContiguousRows(table))
    return std::nullopt;
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto type = cast<MemRefType>(table.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  Value rows = StatementBuilder::size(builder, table, 0);
  Value columns = StatementBuilder::size(builder, table, 1);
  int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), 8);
  Value atLeastOne = arith::MaxUIOp::create(builder, columns, constant(1));
  Value mostRows = arith::DivUIOp::create(
      builder, constant(mostBytes * 8 / bits), atLeastOne);
  Value lookups = StatementBuilder::size(builder, indices, 0);
  Value bound = arith::MinUIOp::create(builder, lookups, mostRows);
  RowCopy copy;
  copy.isUsed =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, rows, bound);
  SmallVector<Value> sizes = {
      arith::SelectOp::create(builder, copy.isUsed, rows, constant(0))};
  if (type.isDynamicDim(1))
    sizes.push_back(columns);
  auto copied = MemRefType::get({ShapedType::kDynamic, type.getDimSize(1)},
                                type.getElementType());
  auto memory = memref::AllocOp::create(builder, copied, sizes);
  // It is called what the table is called.
  StringAttr name = givenName(table);
  memory->setAttr(nameAttr, name ? name : builder.getStringAttr("table"));
  copy.table = memory;
  writeCopy(op, table, copy.table);
  return copy;
}
