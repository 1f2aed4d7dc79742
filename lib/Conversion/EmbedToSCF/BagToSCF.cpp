//===- BagToSCF.cpp - Bags as loops ---------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToSCF/Lowerings.h"
#include "ember/Conversion/EmbedToSCF/RowAccumulator.h"
#include "ember/Conversion/EmbedToSCF/RowCopy.h"
#include "ember/Conversion/EmbedToSCF/StoredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;
using ember::embed::BagOp;
using ember::embed::Reduction;
using ember::embed::SegmentKind;

namespace {
/// Where the lookups of bags are: the lengths, or the offsets with the last
/// one.
struct Segments {
  Value memref;
  bool areLengths;
};

/// The bags of one table.
class TableBags {
public:
  TableBags(NestBuilder &builder, BagOp op, unsigned number, Value table,
            Segments segments, Value column, Value length, Value bags)
      : builder(builder), op(op), segments(segments),
        type(embed::getComputeType(op->getOperandTypes())),
        rows(builder, table, op.getFormatAttr(), type),
        accumulator(builder, op.getReduction(), op.getInit(), length, column,
                    type, {hasShifts(), hasShifts() && rows.hasPairs()}),
        bags(bags) {
    rows.requireLength(length, "embed.bag");
    if (!op.getPaddings().empty())
      requirePadding(op.getPaddings()[number], op.getTables()[number]);
    firstSegment = arith::MulIOp::create(builder, bags, builder.index(number));
  }

  /// Emits the loops; lookups begin at `begin` if segments are lengths.
  void emit(Value begin);
  /// The sum of the lengths.
  Value emitTotal(Value begin);

private:
  void requirePadding(Value row, Value table);
  void emitBag(Value bag, Value begin, Value end);
  void addRow(Value isFirst, Value isKept, Value weight);
  /// Whether biases of rows are summed up apart from their elements.
  bool hasShifts() {
    return rows.isScaled() && op.getReduction() != Reduction::max;
  }

  NestBuilder &builder;
  BagOp op;
  Segments segments;
  FloatType type;
  StoredRows rows;
  RowAccumulator accumulator;
  Value bags, padding, hasNoPadding, firstSegment;
};
} // namespace

/// What is skipped must be a row: then it makes no difference whether its index
/// is checked.
void TableBags::requirePadding(Value row, Value table) {
  padding = row;
  Value above = arith::AddIOp::create(builder, row, builder.index(1));
  Value isRow = arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, above,
                                      builder.size(table, 0));
  cf::AssertOp::create(
      builder, isRow,
      "embed.bag: the padding is neither -1 nor a row of the table");
  hasNoPadding = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, above,
                                       builder.index(0));
}

/// Reduces the row that was entered. Of a scaled row, what is the same for all
/// elements is computed once: sum(w * (s * x + b)) = sum((w * s) * x) +
/// sum(w * b).
void TableBags::addRow(Value isFirst, Value isKept, Value weight) {
  auto weighted = [&](Value value) -> Value {
    return weight ? arith::MulFOp::create(builder, value, weight) : value;
  };
  if (!hasShifts()) {
    accumulator.add(isFirst, isKept, &rows, [&](Value d) -> RowTerm {
      return {rows.element(d), weight};
    });
    return;
  }
  accumulator.shift(isKept, weighted(rows.getBias()));
  Value scale = weighted(rows.getScale());
  if (rows.hasPairs()) {
    accumulator.addPairs(isKept, [&](Value j) -> std::pair<RowTerm, RowTerm> {
      auto [even, odd] = rows.integers(j);
      return {{even, scale}, {odd, scale}};
    });
    return;
  }
  accumulator.add(isFirst, isKept, &rows,
                  [&](Value d) -> RowTerm { return {rows.integer(d), scale}; });
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
      isKept = arith::OrIOp::create(builder, isKept, hasNoPadding);
      Value more =
          arith::AddIOp::create(builder, carried.front(), builder.index(1));
      next = {arith::SelectOp::create(builder, isKept, more, carried.front())};
    }
    if (op.getReduction() == Reduction::max)
      isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                      counts ? carried.front() : position,
                                      counts ? start.front() : begin);
    rows.enter(row);
    addRow(isFirst, isKept, weight);
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
    Value length = builder.loadIndex(segments.memref, segment);
    return {arith::AddIOp::create(builder, total.front(), length)};
  };
  return builder.loop(builder.index(0), bags, begin, add).front();
}

void TableBags::emit(Value begin) {
  SmallVector<Value> carried;
  if (segments.areLengths)
    carried.push_back(begin);
  auto bag = [&](Value number, ValueRange position) {
    Value segment = arith::AddIOp::create(builder, firstSegment, number);
    SmallVector<Value> next;
    if (segments.areLengths) {
      Value length = builder.loadIndex(segments.memref, segment);
      next = {arith::AddIOp::create(builder, position.front(), length)};
      emitBag(number, position.front(), next.front());
    } else {
      Value behind = arith::AddIOp::create(builder, segment, builder.index(1));
      Value first = builder.loadIndex(segments.memref, segment);
      emitBag(number, first, builder.loadIndex(segments.memref, behind));
    }
    return next;
  };
  builder.loop(builder.index(0), bags, carried, bag);
  accumulator.release();
}

/// How many elements the rows of `table` hold, which its type says.
static int64_t getFixedLength(Value table, embed::RowFormatAttr format) {
  int64_t size = cast<ShapedType>(table.getType()).getDimSize(1);
  return format ? format.getLayout().longestRow(size) : size;
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

/// A length that is negative would pass for an empty bag. In a loop ahead of
/// the nest, which could not be decoupled with a check in it; it notes in
/// `offsets`, if there are any, where each bag begins and the last one ends.
static void requireLengths(NestBuilder &builder, BagOp op, Value offsets) {
  Value zero = builder.index(0);
  Value lookups = builder.size(op.getIndices(), 0);
  auto note = [&](Value segment, Value total) {
    if (offsets)
      memref::StoreOp::create(builder, total, offsets, segment);
  };
  auto add = [&](Value segment, ValueRange total) -> SmallVector<Value> {
    note(segment, total.front());
    Value length = builder.loadIndex(op.getSegments(), segment);
    Value isLength =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, length, zero);
    cf::AssertOp::create(builder, isLength, "embed.bag: a length is negative");
    // Against what is left, which no sum of lengths can wrap around.
    Value left = arith::SubIOp::create(builder, lookups, total.front());
    Value fits =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ule, length, left);
    cf::AssertOp::create(
        builder, fits,
        "embed.bag: the lengths add up to more than there are indices");
    return {arith::AddIOp::create(builder, total.front(), length)};
  };
  Value segments = builder.size(op.getSegments(), 0);
  Value total = builder.loop(zero, segments, zero, add).front();
  note(segments, total);
}

/// Memory for the offsets of all bags, with the last one.
static Value allocateOffsets(NestBuilder &builder, BagOp op) {
  Value count = builder.size(op.getSegments(), 0);
  Value ends = arith::AddIOp::create(builder, count, builder.index(1));
  return builder.allocate(ends, builder.getIndexType(), "offsets");
}

/// The offsets with the last one, in scratch memory. Both ends of a segment are
/// then loads; a choice of the last end would be the execute unit's to make.
static Value copyOpenOffsets(NestBuilder &builder, BagOp op) {
  Value count = builder.size(op.getSegments(), 0);
  Value offsets = allocateOffsets(builder, op);
  builder.loop(count, [&](Value segment) {
    Value begin = builder.loadIndex(op.getSegments(), segment);
    memref::StoreOp::create(builder, begin, offsets, segment);
  });
  Value last = builder.size(op.getIndices(), 0);
  memref::StoreOp::create(builder, last, offsets, count);
  return offsets;
}

/// Emits the bags of the only table, or those of its copy if there is one.
static void emitTable(NestBuilder &builder, BagOp op, Segments segments,
                      int64_t mostCopiedBytes) {
  Value width = builder.size(op.getInit(), 1);
  // Where only the table's type says how long rows are, code takes it.
  int64_t fixed = getFixedLength(op.getTables().front(), nullptr);
  if (!op.getFormatAttr() && ShapedType::isStatic(fixed)) {
    builder.requireEqual(width, builder.index(fixed),
                         "embed.bag: the rows of the result are not as long "
                         "as those of the table");
    width = builder.index(fixed);
  }
  Value zero = builder.index(0);
  auto emitBags = [&](Value table, Value bags) {
    TableBags(builder, op, 0, table, segments, zero, width, bags).emit(zero);
  };
  Value table = op.getTables().front();
  Value bags = builder.size(op.getInit(), 0);
  std::optional<RowCopy> copy = copyRows(
      builder, table, builder.size(op.getIndices(), 0), mostCopiedBytes);
  if (!copy) {
    emitBags(table, bags);
    return;
  }
  // Two nests of which one has nothing to do: under a condition, neither could
  // be decoupled.
  emitBags(copy->table,
           arith::SelectOp::create(builder, copy->isUsed, bags, zero));
  memref::DeallocOp::create(builder, copy->table);
  emitBags(table, arith::SelectOp::create(builder, copy->isUsed, zero, bags));
}

/// Emits the bags of table after table, in columns of the result.
static void emitTables(NestBuilder &builder, BagOp op, Segments segments) {
  int64_t width = 0;
  for (Value table : op.getTables())
    width += getFixedLength(table, op.getFormatAttr());
  builder.requireEqual(builder.size(op.getInit(), 1), builder.index(width),
                       "embed.bag: the rows of the result are not as long as "
                       "those of all tables together");
  Value begin = builder.index(0);
  int64_t column = 0;
  for (auto [number, table] : llvm::enumerate(op.getTables())) {
    int64_t length = getFixedLength(table, op.getFormatAttr());
    TableBags bags(builder, op, number, table, segments, builder.index(column),
                   builder.index(length), builder.size(op.getInit(), 0));
    bags.emit(begin);
    bool isLast = number + 1 == op.getTables().size();
    if (segments.areLengths && !isLast)
      begin = bags.emitTotal(begin);
    column += length;
  }
}

/// The segments as the nest reads them, once they are checked.
static Segments prepareSegments(NestBuilder &builder, BagOp op,
                                bool sumLengths) {
  switch (op.getSegmentKind()) {
  case SegmentKind::open_offsets:
    return {copyOpenOffsets(builder, op), /*areLengths=*/false};
  case SegmentKind::offsets:
    return {op.getSegments(), /*areLengths=*/false};
  case SegmentKind::lengths:
    break;
  }
  Value offsets = sumLengths ? allocateOffsets(builder, op) : Value();
  requireLengths(builder, op, offsets);
  return {sumLengths ? offsets : op.getSegments(), !sumLengths};
}

void ember::emitLoops(NestBuilder &builder, BagOp op, int64_t mostCopiedBytes,
                      bool sumLengths) {
  requireCounts(builder, op);
  Segments segments = prepareSegments(builder, op, sumLengths);
  if (op.getTables().size() == 1)
    emitTable(builder, op, segments, mostCopiedBytes);
  else
    emitTables(builder, op, segments);
  if (segments.memref != op.getSegments())
    memref::DeallocOp::create(builder, segments.memref);
}
