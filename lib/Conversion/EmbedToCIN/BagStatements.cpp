//===- BagStatements.cpp - Bags of rows as statements ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"
#include "ember/Conversion/EmbedToCIN/Statements.h"

using namespace mlir;
using namespace ember;
using ember::embed::BagOp;
using ember::embed::Reduction;
using ember::embed::SegmentKind;

/// Whether the elements of a row are known to lie side by side.
static bool hasContiguousRows(Value table) {
  auto type = dyn_cast<MemRefType>(table.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return !type || failed(type.getStridesAndOffset(strides, offset)) ||
         strides.back() == 1;
}

bool ember::isStatement(BagOp op) {
  // A mean of rows with biases would go through its sums once more: for what is
  // added to all of their elements, and to divide.
  std::optional<embed::RowFormatAttr> format = op.getFormat();
  bool goesTwice =
      format && format->isScaled() && op.getReduction() == Reduction::mean;
  return op.getTables().size() == 1 && op.getPaddings().empty() && !goesTwice &&
         op.getSegmentKind() != SegmentKind::lengths &&
         hasContiguousRows(op.getTables().front());
}

/// Compares sizes with what the bags ask for.
static void requireSizes(StatementBuilder &builder, BagOp op, FloatType type) {
  Value table = op.getTables().front();
  bool isFixed =
      !op.getFormat() && !cast<ShapedType>(table.getType()).isDynamicDim(1);
  builder.readRows(table, op.getFormatAttr(), type, op.getInit(), 1,
                   isFixed ? "embed.bag: the rows of the result are not as "
                             "long as those of the table"
                           : "embed.bag: the rows of the table are not as long "
                             "as the result needs");
  Value needed = builder.size(op.getInit(), 0);
  if (op.getSegmentKind() == SegmentKind::offsets)
    needed = builder.plusOne(needed);
  builder.requireEqual(builder.size(op.getSegments(), 0), needed,
                       "embed.bag: there are not as many " +
                           stringifySegmentKind(op.getSegmentKind()) +
                           " as the bags of all tables need");
  if (op.getWeights())
    builder.requireSameSize(
        op.getWeights(), 0, op.getIndices(), 0,
        "embed.bag: there are not as many weights as indices");
}

/// The offsets with the last one. Both ends of a segment are then loads; a
/// choice of the last end would be the execute unit's to make.
static Value closeOffsets(StatementBuilder &builder, BagOp op) {
  Value given = op.getSegments();
  Value all = builder.temporaryBeyond("offsets", builder.getIndexType(), given);
  Value count = builder.extent(given, 0);
  builder.forall({{"s", builder.literal(0), count}}, [&](ValueRange s) {
    builder.assign(builder.accessAs(builder.getIndexType(), given, s), all, s);
  });
  builder.forall({}, [&](ValueRange) {
    builder.assign(builder.extent(op.getIndices(), 0), all, count);
  });
  return all;
}

void ember::writeStatements(BagOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  Value table = op.getTables().front();
  StatementBuilder builder(op, {{"table", table},
                                {"indices", op.getIndices()},
                                {"offsets", op.getSegments()},
                                {"weights", op.getWeights()}});
  requireSizes(builder, op, type);
  Value offsets = op.getSegments();
  if (op.getSegmentKind() == SegmentKind::open_offsets)
    offsets = closeOffsets(builder, op);
  builder.forall({{"b"}, {"e"}}, [&](ValueRange at) {
    Value next = builder.apply(builder.getAffineDimExpr(0) + 1, at[0]);
    Value begin = builder.access(offsets, at[0]);
    Value end = builder.access(offsets, next);
    Value reduced = builder.reduceSegment(
        op.getReduction(), begin, end, type, [&](Value p) {
          Value row = builder.access(op.getIndices(), p), weight;
          if (op.getWeights())
            weight = builder.accessAs(type, op.getWeights(), p);
          Value value = builder.accessAs(type, table, {row, at[1]});
          return builder.times(value, weight);
        });
    if (op.getReduction() == Reduction::mean) {
      Value divisor = builder.divisor(builder.length(begin, end), type);
      reduced = builder.call("div", {reduced, divisor});
    }
    builder.assign(reduced, op.getInit(), at);
  });
  builder.finish();
}
