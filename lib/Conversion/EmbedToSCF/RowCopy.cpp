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

#include "ember/Conversion/EmbedToSCF/RowCopy.h"
#include "ember/Analysis/MemRefNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ember;

/// Rows that are copied together: as many as a cache line has elements of the
/// narrower types, so that it is not needed again.
static constexpr int64_t rowsAtOnce = 32;

/// Whether the elements of a row are known to lie side by side.
static bool hasContiguousRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.getRank() == 0 ||
         failed(type.getStridesAndOffset(strides, offset)) ||
         strides.back() == 1;
}

/// What `table` is called in errors; so is its copy.
static std::string nameOf(Value table) {
  StringAttr name = givenName(table);
  return name ? name.str() : "table";
}

/// dst[r, c] = src[r, c], some rows at a time, column by column.
static void emitCopy(NestBuilder &builder, Value from, Value to, Value rows) {
  Value atOnce = builder.index(rowsAtOnce);
  Value blocks = arith::CeilDivUIOp::create(builder, rows, atOnce);
  Value columns = builder.size(from, 1);
  builder.loop(blocks, [&](Value block) {
    Value begin = arith::MulIOp::create(builder, block, atOnce);
    Value behind = arith::AddIOp::create(builder, begin, atOnce);
    Value end = arith::MinUIOp::create(builder, behind, rows);
    builder.loop(columns, [&](Value column) {
      builder.loop(begin, end, [&](Value row) {
        SmallVector<Value> at = {row, column};
        Value element = memref::LoadOp::create(builder, from, at);
        memref::StoreOp::create(builder, element, to, at);
      });
    });
  });
}

std::optional<RowCopy> ember::copyRows(NestBuilder &builder, Value table,
                                       Value lookups, int64_t mostBytes) {
  auto type = cast<MemRefType>(table.getType());
  if (mostBytes <= 0 || hasContiguousRows(type))
    return std::nullopt;
  Value rows = builder.size(table, 0), columns = builder.size(table, 1);
  int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), 8);
  Value atLeastOne = arith::MaxUIOp::create(builder, columns, builder.index(1));
  Value mostRows = arith::DivUIOp::create(
      builder, builder.index(mostBytes * 8 / bits), atLeastOne);
  Value bound = arith::MinUIOp::create(builder, lookups, mostRows);
  RowCopy copy;
  copy.isUsed =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, rows, bound);
  Value copied =
      arith::SelectOp::create(builder, copy.isUsed, rows, builder.index(0));
  copy.table =
      builder.allocate({copied, columns}, type.getElementType(), nameOf(table));
  emitCopy(builder, table, copy.table, copied);
  return copy;
}
