//===- BagStatements.cpp - Bags of rows as statements ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCopy.h"

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"
#include "ember/Conversion/EmbedToCIN/Statements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace ember;
using ember::embed::BagOp;
using ember::embed::Reduction;
using ember::embed::SegmentKind;

namespace {
/// The bags of one table: its number, what is read for it, and where they go.
struct TableBags {
  unsigned number;
  Value table;
  /// The columns of the result that are this table's.
  Value result;
  /// How many bags; null for all.
  Value count;
};

/// Writes the statements of one operation.
class BagWriter {
public:
  BagWriter(StatementBuilder &builder, BagOp op)
      : builder(builder), op(op),
        type(embed::getComputeType(op->getOperandTypes())),
        reduction(op.getReduction()) {}

  void write(ArrayRef<TableBags> tables);

private:
  void requireSizes(ArrayRef<TableBags> tables);
  void requirePadding();
  Value getOffsets();
  Value closeOffsets();
  void forEachBag(ArrayRef<StatementBuilder::Variable> inner,
                  const TableBags &bags,
                  llvm::function_ref<void(ValueRange)> body);
  /// What is the same for all elements of a row: which row, whether it counts
  /// (null if every row does), and its weight (null without any).
  struct Lookup {
    Value row, isKept, weight;
  };
  Lookup getLookup(const TableBags &bags, Value position);
  Value getElement(const TableBags &bags, const Lookup &lookup, Value e);
  void findSegment(const TableBags &bags, Value bag);
  void reduceRows(const TableBags &bags);
  void reduceAndCount(const TableBags &bags);
  void addAndCount(const TableBags &bags, Value bag, Value sums, Value numbers);
  void storeRow(const TableBags &bags, Value bag, Value sums, Value numbers);

  StatementBuilder &builder;
  BagOp op;
  FloatType type;
  Reduction reduction;
  Value offsets;
  /// The row that is skipped of each table, and whether there is none (i1).
  SmallVector<std::pair<Value, Value>> paddings;
  /// Of the bag that is written.
  Value begin, end;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes and segments
//===----------------------------------------------------------------------===//

/// Compares sizes with what the bags ask for.
void BagWriter::requireSizes(ArrayRef<TableBags> tables) {
  bool isAlone = op.getTables().size() == 1;
  for (const TableBags &bags : tables) {
    bool isFixed = isAlone && !op.getFormat() &&
                   !cast<ShapedType>(bags.table.getType()).isDynamicDim(1);
    builder.readRows(bags.table, op.getFormatAttr(), type, bags.result, 1,
                     isFixed ? "embed.bag: the rows of the result are not as "
                               "long as those of the table"
                             : "embed.bag: the rows of the table are not as "
                               "long as the result needs");
  }
  ImplicitLocOpBuilder &before = builder.before();
  Value needed = builder.size(op.getInit(), 0);
  if (!isAlone)
    needed = arith::MulIOp::create(before, needed,
                                   builder.constant(op.getTables().size()));
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

/// What is skipped must be a row: then it makes no difference whether its index
/// is checked.
void BagWriter::requirePadding() {
  ImplicitLocOpBuilder &before = builder.before();
  for (auto [number, padding] : llvm::enumerate(op.getPaddings())) {
    Value above = builder.plusOne(padding);
    Value isRow =
        arith::CmpIOp::create(before, arith::CmpIPredicate::ule, above,
                              builder.size(op.getTables()[number], 0));
    cf::AssertOp::create(
        before, isRow,
        "embed.bag: the padding is neither -1 nor a row of the table");
    Value isNone = arith::CmpIOp::create(before, arith::CmpIPredicate::eq,
                                         above, builder.constant(0));
    paddings.push_back({builder.scalar("padding", padding),
                        builder.scalar("has_no_padding", isNone)});
  }
}

/// The offsets with the last one. Both ends of a segment are then loads; a
/// choice of the last end would be the execute unit's to make.
Value BagWriter::closeOffsets() {
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

Value BagWriter::getOffsets() {
  switch (op.getSegmentKind()) {
  case SegmentKind::offsets:
    return op.getSegments();
  case SegmentKind::open_offsets:
    return closeOffsets();
  case SegmentKind::lengths:
    break;
  }
  return builder.scan(op.getSegments(), op.getIndices());
}

void BagWriter::findSegment(const TableBags &bags, Value bag) {
  // Segments of a table begin where those of the table before end.
  AffineExpr number = builder.getAffineDimExpr(0);
  SmallVector<Value> operands = {bag};
  if (bags.number != 0) {
    number = number + builder.getAffineDimExpr(1) * bags.number;
    operands.push_back(builder.extent(bags.result, 0));
  }
  // Of one table, there is a segment for each bag.
  bool isAlone = op.getTables().size() == 1;
  Value segment = isAlone ? bag : builder.apply(number, operands);
  begin = builder.access(offsets, segment);
  end = builder.access(offsets, builder.apply(number + 1, operands));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void BagWriter::forEachBag(ArrayRef<StatementBuilder::Variable> inner,
                           const TableBags &bags,
                           llvm::function_ref<void(ValueRange)> body) {
  StatementBuilder::Variable bag{"b"};
  if (bags.count)
    bag = {"b", builder.literal(0), builder.getName(bags.count)};
  SmallVector<StatementBuilder::Variable> variables = {bag};
  llvm::append_range(variables, inner);
  builder.forall(variables, body);
}

BagWriter::Lookup BagWriter::getLookup(const TableBags &bags, Value position) {
  Lookup lookup;
  lookup.row = builder.access(op.getIndices(), position);
  if (!paddings.empty()) {
    auto [padding, isNone] = paddings[bags.number];
    Value row = builder.convert(lookup.row, builder.getIndexType());
    Value isOther = builder.call("ne", {row, padding}, builder.getI1Type());
    lookup.isKept = builder.call("or", {isOther, isNone});
  }
  if (op.getWeights())
    lookup.weight = builder.accessAs(type, op.getWeights(), position);
  return lookup;
}

/// What an element of a row adds to a bag. Of a row that is skipped, that is
/// what changes nothing: no branch for each row.
Value BagWriter::getElement(const TableBags &bags, const Lookup &lookup,
                            Value e) {
  Value value = builder.accessAs(type, bags.table, {lookup.row, e});
  value = builder.times(value, lookup.weight);
  if (!lookup.isKept)
    return value;
  double nothing = reduction == Reduction::max
                       ? std::numeric_limits<double>::quiet_NaN()
                       : -0.0;
  return builder.call("select",
                      {lookup.isKept, value, builder.literal(type, nothing)});
}

void BagWriter::reduceRows(const TableBags &bags) {
  forEachBag({{"e"}}, bags, [&](ValueRange at) {
    findSegment(bags, at[0]);
    Value reduced = builder.reduceOrZero(
        getFunction(reduction), {{"p", begin, end}}, type, [&](ValueRange p) {
          return getElement(bags, getLookup(bags, p[0]), at[1]);
        });
    if (reduction == Reduction::mean) {
      Value divisor = builder.divisor(builder.length(begin, end), type);
      reduced = builder.call("div", {reduced, divisor});
    }
    builder.assign(reduced, bags.result, at);
  });
}

/// The sums of one bag, and how many rows it has that are not skipped.
void BagWriter::addAndCount(const TableBags &bags, Value bag, Value sums,
                            Value numbers) {
  bool isResult = sums == bags.result;
  auto place = [&](Value e) {
    return isResult ? SmallVector<Value>{bag, e} : SmallVector<Value>{e};
  };
  builder.forall({{"e"}}, [&](ValueRange e) {
    builder.assign(builder.literal(type, 0), sums, place(e[0]));
  });
  Value first = builder.literal(0);
  builder.forall({{"p", begin, end}}, [&](ValueRange p) {
    Lookup lookup = getLookup(bags, p[0]);
    Value isFirst;
    if (reduction == Reduction::max)
      isFirst =
          builder.call("and", {lookup.isKept,
                               builder.isZero(builder.access(numbers, first))});
    builder.forall({{"e"}}, [&](ValueRange e) {
      Value value = getElement(bags, lookup, e[0]);
      if (isFirst)
        builder.assignInOrder(value, sums, place(e[0]), "larger", isFirst);
      else
        builder.assign(value, sums, place(e[0]), "add");
    });
    // Behind what asks whether it is the first. Rows that are skipped send
    // nothing.
    builder.assign(builder.literal(1), numbers, first, "add", lookup.isKept);
  });
}

void BagWriter::storeRow(const TableBags &bags, Value bag, Value sums,
                         Value numbers) {
  bool isResult = sums == bags.result;
  Value divisor;
  if (reduction == Reduction::mean)
    divisor =
        builder.divisor(builder.access(numbers, builder.literal(0)), type);
  builder.forall({{"e"}}, [&](ValueRange e) {
    SmallVector<Value> place = {bag, e[0]};
    Value value =
        isResult ? builder.access(sums, place) : builder.access(sums, e[0]);
    if (divisor)
      value = builder.call("div", {value, divisor});
    builder.assign(value, bags.result, place);
  });
}

/// Several things happen at each row: statements with their loops.
void BagWriter::reduceAndCount(const TableBags &bags) {
  bool isWide = getElementTypeOrSelf(bags.result.getType()) == type;
  forEachBag({}, bags, [&](ValueRange b) {
    findSegment(bags, b[0]);
    auto reduce = [&](Value numbers) {
      if (!isWide) {
        builder.where(
            type, {{bags.result, 1}},
            [&](Value sums) { addAndCount(bags, b[0], sums, numbers); },
            [&](Value sums) { storeRow(bags, b[0], sums, numbers); });
        return;
      }
      addAndCount(bags, b[0], bags.result, numbers);
      if (reduction == Reduction::mean)
        storeRow(bags, b[0], bags.result, numbers);
    };
    auto zero = [&](Value numbers) {
      builder.assign(builder.literal(0), numbers, builder.literal(0));
    };
    builder.where(builder.getIndexType(), {{nullptr, 1}}, zero, reduce);
  });
}

void BagWriter::write(ArrayRef<TableBags> tables) {
  requireSizes(tables);
  requirePadding();
  offsets = getOffsets();
  bool counts = !paddings.empty() && reduction != Reduction::sum;
  for (const TableBags &bags : tables) {
    if (counts)
      reduceAndCount(bags);
    else
      reduceRows(bags);
  }
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The operands that statements name, but for tables.
static SmallVector<StatementBuilder::Named> getInputs(BagOp op) {
  return {{"indices", op.getIndices()},
          {stringifySegmentKind(op.getSegmentKind()), op.getSegments()},
          {"weights", op.getWeights()}};
}

/// Of a table whose rows do not lie in one piece, those of its copy, or its
/// own: two statements of which one has no bags.
static void writeCopied(BagOp op, const RowCopy &copy) {
  ImplicitLocOpBuilder before(op.getLoc(), op);
  Value zero = arith::ConstantIndexOp::create(before, 0);
  Value bags = StatementBuilder::size(before, op.getInit(), 0);
  Value ofCopy =
      arith::SelectOp::create(before, copy.isUsed, bags, zero).getResult();
  Value ofTable =
      arith::SelectOp::create(before, copy.isUsed, zero, bags).getResult();
  Value table = op.getTables().front();
  SmallVector<StatementBuilder::Named> inputs = {{"table", table},
                                                 {"copy", copy.table}};
  llvm::append_range(inputs, getInputs(op));
  inputs.push_back({"bags_of_copy", ofCopy});
  inputs.push_back({"bags_of_table", ofTable});
  StatementBuilder builder(op, inputs, op.getInit());
  BagWriter(builder, op)
      .write({{0, copy.table, op.getInit(), ofCopy},
              {0, table, op.getInit(), ofTable}});
  builder.replace(op);
}

/// How many elements the rows of `table` hold, which its type says.
static int64_t getFixedLength(Value table, cin::RowFormatAttr format) {
  int64_t size = cast<ShapedType>(table.getType()).getDimSize(1);
  return format ? format.getLayout().longestRow(size) : size;
}

/// Some columns of an array.
static Value takeColumns(ImplicitLocOpBuilder &builder, Value array,
                         int64_t first, int64_t count) {
  auto type = cast<ShapedType>(array.getType());
  if (type.getDimSize(1) == 0)
    return array;
  // Of no rows there are no columns to take.
  if (type.getDimSize(0) == 0) {
    int64_t shape[] = {0, count};
    if (isa<MemRefType>(type))
      return memref::AllocaOp::create(
          builder, MemRefType::get(shape, type.getElementType()));
    return tensor::EmptyOp::create(builder, shape, type.getElementType());
  }
  // No place is behind the last column.
  SmallVector<OpFoldResult> offsets = {
      builder.getIndexAttr(0), builder.getIndexAttr(count == 0 ? 0 : first)};
  SmallVector<OpFoldResult> sizes = {
      getAsOpFoldResult(StatementBuilder::size(builder, array, 0)),
      builder.getIndexAttr(count)};
  SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
  if (isa<MemRefType>(array.getType()))
    return memref::SubViewOp::create(builder, array, offsets, sizes, strides);
  return tensor::ExtractSliceOp::create(builder, array, offsets, sizes,
                                        strides);
}

/// A statement for each table, on columns of the result.
static void writeTables(BagOp op) {
  ImplicitLocOpBuilder before(op.getLoc(), op);
  int64_t width = 0;
  for (Value table : op.getTables())
    width += getFixedLength(table, op.getFormatAttr());
  StatementBuilder::requireEqual(
      before, StatementBuilder::size(before, op.getInit(), 1),
      arith::ConstantIndexOp::create(before, width),
      "embed.bag: the rows of the result are not as long as those of all "
      "tables together");
  SmallVector<TableBags> tables;
  SmallVector<Value> results;
  SmallVector<std::string> names;
  int64_t column = 0;
  for (auto [number, table] : llvm::enumerate(op.getTables())) {
    int64_t length = getFixedLength(table, op.getFormatAttr());
    results.push_back(takeColumns(before, op.getInit(), column, length));
    tables.push_back(
        {static_cast<unsigned>(number), table, results.back(), Value()});
    names.push_back("table" + std::to_string(number));
    column += length;
  }
  SmallVector<StatementBuilder::Named> inputs;
  for (auto [name, table] : llvm::zip_equal(names, op.getTables()))
    inputs.push_back({name, table});
  llvm::append_range(inputs, getInputs(op));
  StatementBuilder builder(op, inputs, results);
  BagWriter(builder, op).write(tables);
  ResultRange computed = builder.finish();
  Value whole = op.getInit();
  for (auto [columns, result] : llvm::zip(results, computed)) {
    if (columns == op.getInit()) {
      whole = result;
      continue;
    }
    auto taken = columns.getDefiningOp<tensor::ExtractSliceOp>();
    if (!taken)
      continue;
    whole = tensor::InsertSliceOp::create(
        before, result, whole, taken.getMixedOffsets(), taken.getMixedSizes(),
        taken.getMixedStrides());
  }
  if (op.getResult())
    op.getResult().replaceAllUsesWith(whole);
  op.erase();
}

void ember::writeStatements(BagOp op, int64_t mostCopiedBytes) {
  if (op.getTables().size() != 1) {
    writeTables(op);
    return;
  }
  Value table = op.getTables().front();
  if (std::optional<RowCopy> copy =
          copyRows(op, table, op.getIndices(), mostCopiedBytes)) {
    Location location = op.getLoc();
    OpBuilder behind(op->getContext());
    behind.setInsertionPointAfter(op);
    memref::DeallocOp::create(behind, location, copy->table);
    writeCopied(op, *copy);
    return;
  }
  SmallVector<StatementBuilder::Named> inputs = {{"table", table}};
  llvm::append_range(inputs, getInputs(op));
  StatementBuilder builder(op, inputs, op.getInit());
  BagWriter(builder, op).write({{0, table, op.getInit(), Value()}});
  builder.replace(op);
}
