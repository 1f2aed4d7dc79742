//===- GraphToSCF.cpp - Products with a graph's edges as loops ------------===//
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
using ember::embed::GraphFormat;
using ember::embed::Reduction;
using ember::embed::SpMMOp;

namespace {
/// What reduces the terms of all edges into the rows of the output.
struct EdgeReduction {
  Reduction reduction;
  Value out;
  FloatType type;
  /// What rows are read from, if their elements have to be visited in its way.
  StoredRows *stored = nullptr;
};

/// The edges of a graph.
class Edges {
public:
  /// The element `d` of what an edge adds to its row.
  using Term = llvm::function_ref<RowTerm(Value d)>;
  /// Emits what is computed once an edge, and calls `add` with its term.
  using EmitEdge = llvm::function_ref<void(Value row, Value column, Value edge,
                                           llvm::function_ref<void(Term)> add)>;

  Edges(NestBuilder &builder, SpMMOp op) : builder(builder), op(op) {}

  void reduce(const EdgeReduction &into, EmitEdge emit);
  /// The edge's weight, or null.
  Value value(FloatType type, Value edge) {
    if (!op.getValues())
      return nullptr;
    return builder.loadAs(type, op.getValues(), edge);
  }
  void checkSizes(Value rows);

private:
  void reduceRows(const EdgeReduction &into, EmitEdge emit);
  void reduceCoordinates(const EdgeReduction &into, EmitEdge emit);
  std::pair<Value, Value> range(Value row);

  NestBuilder &builder;
  SpMMOp op;
};
} // namespace

/// Compares the numbers of edges and rows that the operands stand for.
void Edges::checkSizes(Value rows) {
  StringRef name = op->getName().getStringRef();
  Value edges = builder.size(op.getColumns(), 0);
  if (op.getValues())
    builder.requireEqual(builder.size(op.getValues(), 0), edges,
                         name + ": there are not as many values as edges");
  Value given = builder.size(op.getRows(), 0);
  if (op.getGraph() == GraphFormat::coo)
    builder.requireEqual(given, edges,
                         name + ": edges have not as many rows as columns");
  else
    builder.requireEqual(
        given, arith::AddIOp::create(builder, rows, builder.index(1)),
        name + ": there is not one position more than there are rows");
}

/// The first edge of a row and the one behind its last.
std::pair<Value, Value> Edges::range(Value row) {
  Value next = arith::AddIOp::create(builder, row, builder.index(1));
  Value begin = builder.loadIndex(op.getRows(), row);
  return {begin, builder.loadIndex(op.getRows(), next)};
}

/// Row by row.
void Edges::reduceRows(const EdgeReduction &into, EmitEdge emit) {
  RowAccumulator accumulator(builder, into.reduction, into.out,
                             builder.size(into.out, 1), builder.index(0),
                             into.type);
  builder.loop(builder.size(into.out, 0), [&](Value row) {
    auto [begin, end] = range(row);
    accumulator.begin(row);
    builder.loop(begin, end, [&](Value edge) {
      Value column = builder.loadIndex(op.getColumns(), edge);
      emit(row, column, edge, [&](Term term) {
        Value isFirst;
        if (into.reduction == Reduction::max)
          isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          edge, begin);
        accumulator.add(isFirst, /*isKept=*/nullptr, into.stored, term);
      });
    });
    accumulator.end(arith::SubIOp::create(builder, end, begin));
  });
  accumulator.release();
}

/// Edge by edge: rows are revisited, so their sums stand in memory, in full
/// precision, together with the number of edges where it is needed.
void Edges::reduceCoordinates(const EdgeReduction &into, EmitEdge emit) {
  Value rows = builder.size(into.out, 0), length = builder.size(into.out, 1);
  bool isWide =
      cast<MemRefType>(into.out.getType()).getElementType() == into.type;
  Value sums = into.out;
  if (!isWide)
    sums = builder.allocate({rows, length}, into.type, "result");
  Value counts;
  if (into.reduction != Reduction::sum)
    counts = builder.allocate(rows, builder.getIndexType(), "result");
  Value zero = builder.zero(into.type);
  builder.loop(rows, [&](Value row) {
    if (counts)
      memref::StoreOp::create(builder, builder.index(0), counts, row);
    builder.loop(length, [&](Value d) {
      memref::StoreOp::create(builder, zero, sums, ValueRange{row, d});
    });
  });

  RowAccumulator accumulator(builder, into.reduction, sums, length,
                             builder.index(0), into.type);
  builder.loop(builder.size(op.getColumns(), 0), [&](Value edge) {
    Value row = builder.loadIndex(op.getRows(), edge);
    Value column = builder.loadIndex(op.getColumns(), edge);
    Value isFirst;
    if (counts) {
      Value count = memref::LoadOp::create(builder, counts, row);
      Value more = arith::AddIOp::create(builder, count, builder.index(1));
      memref::StoreOp::create(builder, more, counts, row);
      isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, count,
                                      builder.index(0));
    }
    emit(row, column, edge, [&](Term term) {
      accumulator.resume(row);
      accumulator.add(isFirst, /*isKept=*/nullptr, into.stored, term);
    });
  });
  if (isWide && into.reduction != Reduction::mean) {
    if (counts)
      memref::DeallocOp::create(builder, counts);
    return;
  }
  builder.loop(rows, [&](Value row) {
    Value divisor;
    if (into.reduction == Reduction::mean) {
      Value count = memref::LoadOp::create(builder, counts, row);
      divisor = builder.divisor(count, into.type);
    }
    builder.loop(length, [&](Value d) {
      Value value = memref::LoadOp::create(builder, sums, ValueRange{row, d});
      if (divisor)
        value = arith::DivFOp::create(builder, value, divisor);
      builder.storeAs(value, into.out, {row, d});
    });
  });
  if (counts)
    memref::DeallocOp::create(builder, counts);
  if (!isWide)
    memref::DeallocOp::create(builder, sums);
}

void Edges::reduce(const EdgeReduction &into, EmitEdge emit) {
  checkSizes(builder.size(into.out, 0));
  if (op.getGraph() == GraphFormat::csr)
    reduceRows(into, emit);
  else
    reduceCoordinates(into, emit);
}

void ember::emitLoops(NestBuilder &builder, SpMMOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  Edges edges(builder, op);
  StoredRows dense(builder, op.getDense(), op.getFormatAttr(), type);
  dense.requireLength(builder.size(op.getInit(), 1), "embed.spmm");
  edges.reduce(
      {op.getReduction(), op.getInit(), type, &dense},
      [&](Value, Value column, Value edge, auto add) {
        Value weight = edges.value(type, edge);
        dense.enter(column);
        add([&](Value d) -> RowTerm { return {dense.element(d), weight}; });
      });
}
