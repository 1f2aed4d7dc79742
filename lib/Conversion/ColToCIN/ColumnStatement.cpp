//===- ColumnStatement.cpp - A column as a statement ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A batch is a function of a row b and a position p in it: a value, and whether
// it is there. Each operation makes another function of that, so that a column
// is one expression. What fills empty rows stands beside it: a value of its
// own, and whether a row has it.
//
//===----------------------------------------------------------------------===//

#include "ColumnStatement.h"

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;

namespace {
/// A value of a row, and whether it is there; no condition for one that is.
/// What the row that it stands for is multiplied by, if there is something.
struct Element {
  Value value, condition, weight;
};

/// Writes the statement of one lookup.
class ColumnWriter {
public:
  ColumnWriter(StatementBuilder &builder, col::LookupOp lookup,
               ArrayRef<Operation *> column, Value init, FlatSymbolRefAttr hash)
      : builder(builder), lookup(lookup), column(column), init(init),
        hash(hash),
        type(embed::getComputeType(
            {lookup.getTable().getType(), lookup.getResult().getType()})) {}

  void write();

private:
  StatementBuilder::Variable getPositions(Value b);
  Value getElementOf(Value tensor, Value b, Value p);
  Element apply(unsigned number, Element element);
  /// What the first `count` operations of the column make.
  Element getElement(unsigned count, Value b, Value p);
  Value countElements(unsigned count, Value b);
  std::optional<Element> getFill(Value b);
  Value call(Attribute callee, Value value, ArrayAttr behind, Type result);
  Value countBoundaries(col::BucketizeOp op, Value value);
  Value getBucket(col::HashOp op, Value value);
  Value getRow(Value id, Value e);
  Value combineRows(Value b, Value e);
  Value divideByWeights(Value sum, Value b);

  StatementBuilder &builder;
  col::LookupOp lookup;
  ArrayRef<Operation *> column;
  Value init;
  FlatSymbolRefAttr hash;
  FloatType type;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The variable of the positions of row `b`, before any is dropped.
StatementBuilder::Variable ColumnWriter::getPositions(Value b) {
  if (auto dense = dyn_cast<col::FromDenseOp>(column.front())) {
    if (dense.getValues().getType().getRank() == 1)
      return {"p", builder.literal(0), builder.literal(1)};
    return {"p", builder.literal(0), builder.extent(dense.getValues(), 1)};
  }
  Value offsets = cast<col::FromOffsetsOp>(column.front()).getOffsets();
  Value next = builder.apply(builder.getAffineDimExpr(0) + 1, b);
  return {"p", builder.access(offsets, b), builder.access(offsets, next)};
}

/// The element of a tensor that has one for each value of the source.
Value ColumnWriter::getElementOf(Value tensor, Value b, Value p) {
  if (auto segments = dyn_cast<col::FromOffsetsOp>(column.front())) {
    if (Value order = segments.getOrder())
      p = builder.access(order, p);
    return builder.access(tensor, p);
  }
  if (cast<RankedTensorType>(tensor.getType()).getRank() == 1)
    return builder.access(tensor, b);
  return builder.access(tensor, {b, p});
}

Value ColumnWriter::call(Attribute callee, Value value, ArrayAttr behind,
                         Type result) {
  SmallVector<Value> operands = {value};
  for (Attribute number : behind)
    operands.push_back(
        cin::LiteralOp::create(builder, cast<TypedAttr>(number)));
  return builder.call(callee, operands, result);
}

Value ColumnWriter::countBoundaries(col::BucketizeOp op, Value value) {
  Type id = cast<col::JaggedType>(op.getResult().getType()).getElementType();
  FloatType compared = op.getComparedType();
  Value number = builder.convert(value, compared);
  auto count = [&](int64_t ids) {
    return cin::LiteralOp::create(builder, builder.getIntegerAttr(id, ids));
  };
  // Not "is at least", which no NaN is.
  return builder.reduce("add", {{"k"}}, id, [&](ValueRange k) -> Value {
    Value boundary = builder.accessAs(compared, op.getBoundaries(), k);
    Value isLess = builder.call("lt", {number, boundary}, builder.getI1Type());
    return builder.call("select", {isLess, count(0), count(1)});
  });
}

Value ColumnWriter::getBucket(col::HashOp op, Value value) {
  Type word = builder.getI64Type();
  Value buckets = cin::LiteralOp::create(builder, op.getBucketsAttr());
  Value bucket = builder.call(Attribute(hash),
                              {builder.convert(value, word), buckets}, word);
  return builder.convert(
      bucket, cast<col::JaggedType>(op.getResult().getType()).getElementType());
}

Element ColumnWriter::apply(unsigned number, Element element) {
  Type isTrue = builder.getI1Type();
  return llvm::TypeSwitch<Operation *, Element>(column[number])
      .Case([&](col::BucketizeOp op) -> Element {
        return {countBoundaries(op, element.value), element.condition,
                element.weight};
      })
      .Case([&](col::HashOp op) -> Element {
        return {getBucket(op, element.value), element.condition,
                element.weight};
      })
      .Case([&](col::MapOp op) -> Element {
        auto result = cast<col::JaggedType>(op.getResult().getType());
        return {call(op.getCallee(), element.value, op.getOperandsBehind(),
                     result.getElementType()),
                element.condition, element.weight};
      })
      .Case([&](col::KeepIfOp op) -> Element {
        Value isKept =
            call(op.getCallee(), element.value, op.getOperandsBehind(), isTrue);
        // What was dropped before is not asked.
        if (element.condition)
          isKept = builder.call("and", {element.condition, isKept});
        return {element.value, isKept, element.weight};
      })
      .Case([&](col::KeepWeightOp op) -> Element {
        // What fills a row weighs something.
        if (!element.weight)
          return element;
        Value isKept = builder.call(
            "gt", {element.weight, builder.literal(type, 0)}, isTrue);
        if (element.condition)
          isKept = builder.call("and", {element.condition, isKept});
        return {element.value, isKept, element.weight};
      })
      .Case([&](col::ReplaceIfOp op) -> Element {
        Value isReplaced =
            call(op.getCallee(), element.value, op.getOperandsBehind(), isTrue);
        Value replacement =
            cin::LiteralOp::create(builder, op.getReplacement());
        return {
            builder.call("select", {isReplaced, replacement, element.value}),
            element.condition, element.weight};
      })
      // Values that are there stay.
      .Default(element);
}

Element ColumnWriter::getElement(unsigned count, Value b, Value p) {
  Element element = {getElementOf(column.front()->getOperand(0), b, p), {}, {}};
  for (unsigned number = 1; number < count; ++number)
    if (auto weigh = dyn_cast<col::WeighOp>(column[number]))
      element.weight =
          builder.convert(getElementOf(weigh.getWeights(), b, p), type);
    else
      element = apply(number, element);
  return element;
}

/// How many values row `b` has behind the first `count` operations, without
/// what fills it.
Value ColumnWriter::countElements(unsigned count, Value b) {
  StatementBuilder::Variable positions = getPositions(b);
  bool drops = llvm::any_of(column.take_front(count), [](Operation *op) {
    return isa<col::KeepIfOp, col::KeepWeightOp>(op);
  });
  if (!drops)
    return builder.length(positions.lower, positions.upper);
  return builder.reduce("add", positions, builder.getIndexType(),
                        [&](ValueRange p) -> StatementBuilder::Term {
                          return {builder.literal(1),
                                  getElement(count, b, p[0]).condition};
                        });
}

/// What row `b` has if it has no values of its own: of the first operation that
/// fills it, unless that is dropped again and another one does.
std::optional<Element> ColumnWriter::getFill(Value b) {
  std::optional<Element> fill;
  for (auto [number, operation] : llvm::enumerate(column)) {
    auto filling = dyn_cast<col::FillEmptyOp>(operation);
    if (!filling) {
      if (fill)
        fill = apply(number, *fill);
      continue;
    }
    Value value = cin::LiteralOp::create(builder, filling.getValue());
    if (fill)
      value = builder.call("select", {fill->condition, fill->value, value});
    fill = {value, builder.isZero(countElements(number, b)), {}};
  }
  return fill;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value ColumnWriter::getRow(Value id, Value e) {
  return builder.accessAs(type, lookup.getTable(), {id, e});
}

Value ColumnWriter::combineRows(Value b, Value e) {
  unsigned all = column.size();
  Value sum = builder.reduce(
      "add", getPositions(b), type,
      [&](ValueRange p) -> StatementBuilder::Term {
        Element id = getElement(all, b, p[0]);
        return {builder.times(getRow(id.value, e), id.weight), id.condition};
      });
  if (lookup.getCombiner() == col::Combiner::sum)
    return sum;
  if (llvm::any_of(column, llvm::IsaPred<col::WeighOp>))
    return divideByWeights(sum, b);
  Value divisor = builder.divisor(countElements(all, b), type);
  if (lookup.getCombiner() == col::Combiner::sqrtn)
    divisor = builder.call("sqrt", divisor);
  return builder.call("div", {sum, divisor});
}

/// A sum of rows over that of their weights, or over the root of that of the
/// squares; 0 if that is.
Value ColumnWriter::divideByWeights(Value sum, Value b) {
  bool squares = lookup.getCombiner() == col::Combiner::sqrtn;
  Value divisor = builder.reduce(
      "add", getPositions(b), type,
      [&](ValueRange p) -> StatementBuilder::Term {
        Element id = getElement(column.size(), b, p[0]);
        return {squares ? builder.times(id.weight, id.weight) : id.weight,
                id.condition};
      });
  if (squares)
    divisor = builder.call("sqrt", divisor);
  Value zero = builder.literal(type, 0);
  Value isZero = builder.call("eq", {divisor, zero}, builder.getI1Type());
  return builder.call("select",
                      {isZero, zero, builder.call("div", {sum, divisor})});
}

void ColumnWriter::write() {
  builder.forall({{"b"}, {"e"}}, [&](ValueRange at) {
    builder.assign(combineRows(at[0], at[1]), init, at);
  });
  if (llvm::none_of(column, llvm::IsaPred<col::FillEmptyOp>))
    return;
  // Of one row, each combiner makes that row.
  builder.forall({{"b"}, {"e"}}, [&](ValueRange at) {
    Element fill = *getFill(at[0]);
    builder.assign(getRow(fill.value, at[1]), init, at, /*function=*/{},
                   fill.condition);
  });
}

Value ember::writeColumn(col::LookupOp lookup, ArrayRef<Operation *> column,
                         Value init, FlatSymbolRefAttr hash) {
  SmallVector<StatementBuilder::Named> inputs = {{"table", lookup.getTable()}};
  for (Operation *operation : column)
    llvm::TypeSwitch<Operation *>(operation)
        .Case([&](col::FromDenseOp op) {
          inputs.push_back({"values", op.getValues()});
        })
        .Case([&](col::FromOffsetsOp op) {
          inputs.push_back({"values", op.getValues()});
          inputs.push_back({"offsets", op.getOffsets()});
          if (op.getOrder())
            inputs.push_back({"order", op.getOrder()});
        })
        .Case([&](col::WeighOp op) {
          inputs.push_back({"weights", op.getWeights()});
        })
        .Case([&](col::BucketizeOp op) {
          inputs.push_back({"boundaries", op.getBoundaries()});
        });
  StatementBuilder builder(lookup, inputs, init);
  ColumnWriter(builder, lookup, column, init, hash).write();
  return builder.finish().front();
}
