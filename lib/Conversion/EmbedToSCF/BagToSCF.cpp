//===- BagToSCF.cpp - Bags as loops ---------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/Lowerings.h"
#include "ember/Conversion/EmbedToSCF/RowAccumulator.h"
#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::BagOp;
using ember::embed::Reduction;
using ember::embed::SegmentKind;

namespace {
/// The bags of one table.
class TableBags {
public:
  TableBags(NestBuilder &builder, BagOp op, unsigned number, Value column,
            Value length)
      : builder(builder), op(op),
        type(embed::getComputeType(op->getOperandTypes())),
        rows(builder, op.getTables()[number], op.getFormatAttr(), type),
        accumulator(builder, op.getReduction(), op.getInit(), length, column,
                    type),
        bags(builder.size(op.getInit(), 0)) {
    rows.requireLength(length, "embed.bag");
    if (!op.getPaddings().empty())
      padding = op.getPaddings()[number];
    firstSegment = arith::MulIOp::create(builder, bags, builder.index(number));
  }

  /// Emits the loops; lookups begin at `begin` if segments are lengths.
  void emit(Value begin);
  /// The sum of the lengths.
  Value emitTotal(Value begin);

private:
  void emitBag(Value bag, Value begin, Value end);
  Value loadEnd(Value segment);

  NestBuilder &builder;
  BagOp op;
  FloatType type;
  StoredRows rows;
  RowAccumulator accumulator;
  Value bags, padding, firstSegment;
};
} // namespace

/// Where a segment ends. Without a last offset, the last segment ends at the
/// last index.
Value TableBags::loadEnd(Value segment) {
  Value next = arith::AddIOp::create(builder, segment, builder.index(1));
  if (op.getSegmentKind() == SegmentKind::offsets)
    return builder.loadIndex(op.getSegments(), next);
  Value count = builder.size(op.getSegments(), 0);
  Value isLast =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, next, count);
  Value inside = arith::SelectOp::create(builder, isLast, segment, next);
  Value offset = builder.loadIndex(op.getSegments(), inside);
  Value end = builder.size(op.getIndices(), 0);
  return arith::SelectOp::create(builder, isLast, end, offset);
}

void TableBags::emitBag(Value bag, Value begin, Value end) {
  accumulator.begin(bag);
  bool counts = padding != nullptr;
  SmallVector<Value> start;
  if (counts)
    start.push_back(builder.index(0));
  auto lookup = [&](Value position, ValueRange carried) {
    Value row = builder.loadIndex(op.getIndices(), position);
    Value weight;
    if (op.getWeights())
      weight = builder.loadAs(type, op.getWeights(), position);
    Value isKept, isFirst;
    SmallVector<Value> next;
    if (counts) {
      isKept = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, row,
                                     padding);
      Value more =
          arith::AddIOp::create(builder, carried.front(), builder.index(1));
      next = {arith::SelectOp::create(builder, isKept, more, carried.front())};
    }
    if (op.getReduction() == Reduction::max)
      isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                      counts ? carried.front() : position,
                                      counts ? start.front() : begin);
    rows.enter(row);
    accumulator.add(isFirst, isKept, [&](Value d) -> Value {
      Value value = rows.element(d);
      return weight ? arith::MulFOp::create(builder, value, weight) : value;
    });
    return next;
  };
  SmallVector<Value> count = builder.loop(begin, end, start, lookup);
  if (!counts)
    count = {arith::SubIOp::create(builder, end, begin)};
  accumulator.end(count.front());
}

/// In a loop of its own: the loop over the bags can be run ahead of only if
/// nobody waits for where it ends.
Value TableBags::emitTotal(Value begin) {
  auto add = [&](Value number, ValueRange total) -> SmallVector<Value> {
    Value segment = arith::AddIOp::create(builder, firstSegment, number);
    Value length = builder.loadIndex(op.getSegments(), segment);
    return {arith::AddIOp::create(builder, total.front(), length)};
  };
  return builder.loop(builder.index(0), bags, begin, add).front();
}

void TableBags::emit(Value begin) {
  bool hasLengths = op.getSegmentKind() == SegmentKind::lengths;
  SmallVector<Value> carried;
  if (hasLengths)
    carried.push_back(begin);
  auto bag = [&](Value number, ValueRange position) {
    Value segment = arith::AddIOp::create(builder, firstSegment, number);
    SmallVector<Value> next;
    if (hasLengths) {
      Value length = builder.loadIndex(op.getSegments(), segment);
      next = {arith::AddIOp::create(builder, position.front(), length)};
      emitBag(number, position.front(), next.front());
    } else {
      Value first = builder.loadIndex(op.getSegments(), segment);
      emitBag(number, first, loadEnd(segment));
    }
    return next;
  };
  builder.loop(builder.index(0), bags, carried, bag);
  accumulator.release();
}

/// How many elements the rows of `table` hold, which its type says.
static int64_t getFixedLength(Value table, embed::RowFormatAttr format) {
  int64_t size = cast<ShapedType>(table.getType()).getDimSize(1);
  if (!format)
    return size;
  int64_t bytes = size - format.getParameterBytes();
  return format.getEncoding() == embed::RowEncoding::int4 ? 2 * bytes : bytes;
}

/// Compares the numbers of segments and weights with what the bags ask for.
static void requireCounts(NestBuilder &builder, BagOp op) {
  Value needed = arith::MulIOp::create(builder, builder.size(op.getInit(), 0),
                                       builder.index(op.getTables().size()));
  if (op.getSegmentKind() == SegmentKind::offsets)
    needed = arith::AddIOp::create(builder, needed, builder.index(1));
  builder.requireEqual(builder.size(op.getSegments(), 0), needed,
                       "embed.bag: there are not as many " +
                           stringifySegmentKind(op.getSegmentKind()) +
                           " as the bags of all tables need");
  if (op.getWeights())
    builder.requireEqual(builder.size(op.getWeights(), 0),
                         builder.size(op.getIndices(), 0),
                         "embed.bag: there are not as many weights as indices");
}

void ember::emitLoops(NestBuilder &builder, BagOp op) {
  requireCounts(builder, op);
  Value begin = builder.index(0);
  Value width = builder.size(op.getInit(), 1);
  if (op.getTables().size() == 1) {
    // Where only the table's type says how long rows are, code takes it.
    int64_t fixed = getFixedLength(op.getTables().front(), nullptr);
    if (!op.getFormatAttr() && ShapedType::isStatic(fixed)) {
      builder.requireEqual(width, builder.index(fixed),
                           "embed.bag: the rows of the result are not as long "
                           "as those of the table");
      width = builder.index(fixed);
    }
    TableBags(builder, op, 0, builder.index(0), width).emit(begin);
    return;
  }
  int64_t column = 0;
  for (auto [number, table] : llvm::enumerate(op.getTables()))
    column += getFixedLength(table, op.getFormatAttr());
  builder.requireEqual(width, builder.index(column),
                       "embed.bag: the rows of the result are not as long as "
                       "those of all tables together");
  column = 0;
  for (auto [number, table] : llvm::enumerate(op.getTables())) {
    int64_t length = getFixedLength(table, op.getFormatAttr());
    TableBags bags(builder, op, number, builder.index(column),
                   builder.index(length));
    bags.emit(begin);
    bool isLast = number + 1 == op.getTables().size();
    if (op.getSegmentKind() == SegmentKind::lengths && !isLast)
      begin = bags.emitTotal(begin);
    column += length;
  }
}
