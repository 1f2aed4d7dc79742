//===- GraphStatements.cpp - Operations on edges as statements ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/EmbedToCIN/StatementBuilder.h"
#include "ember/Conversion/EmbedToCIN/Statements.h"

using namespace mlir;
using namespace ember;
using ember::embed::GraphFormat;
using ember::embed::MessageOp;
using ember::embed::SDDMMOp;
using ember::embed::SpMMOp;

namespace {
/// An edge: the row that it adds to, the row that it comes from, and where it
/// is stored.
struct Edge {
  Value row, column, position;
};

/// How what the edges of a row add to it becomes one row.
struct EdgeReduction {
  Callee function;
  /// Divides it by the number of edges.
  bool isMean = false;
};

/// The edges of a graph, as every graph operation is given them.
template <typename OpTy> class Edges {
public:
  /// The element `e` of what an edge adds to its row.
  using Element = std::function<Value(Value e)>;
  /// Writes what is the same for all elements of an edge.
  using Term = llvm::function_ref<Element(Edge edge)>;

  Edges(StatementBuilder &builder, OpTy op, FloatType type)
      : builder(builder), op(op), type(type) {}

  /// Compares the numbers of edges and rows that operands stand for; `rows` has
  /// one for each row.
  void requireSizes(Value rows);
  /// The statements that reduce the terms of all edges into the rows of the
  /// result.
  void reduce(EdgeReduction reduction, Term term);
  /// Writes `write` for each edge in a statement.
  void forEach(llvm::function_ref<void(Edge)> write);
  /// The edge's weight, or null.
  Value weight(Edge edge) {
    if (!op.getValues())
      return nullptr;
    return builder.accessAs(type, op.getValues(), edge.position);
  }

private:
  struct Segment {
    Value begin, end;
  };
  Segment getSegment(Value row);
  Edge getEdge(Value row, Value position) {
    return {row, builder.access(op.getColumns(), position), position};
  }
  Value reduceRow(EdgeReduction reduction, Value row, Value e, Term term);
  void addCoordinates(Callee function, Term term);
  void reduceInWorkspace(EdgeReduction reduction, Term term);

  StatementBuilder &builder;
  OpTy op;
  FloatType type;
};
} // namespace

template <typename OpTy> void Edges<OpTy>::requireSizes(Value rows) {
  StringRef name = op->getName().getStringRef();
  if (op.getValues())
    builder.requireSameSize(op.getColumns(), 0, op.getValues(), 0,
                            name + ": there are not as many values as edges");
  if (op.getGraph() == GraphFormat::coo) {
    builder.requireSameSize(op.getColumns(), 0, op.getRows(), 0,
                            name + ": edges have not as many rows as columns");
    return;
  }
  builder.requireEqual(
      builder.size(op.getRows(), 0), builder.plusOne(builder.size(rows, 0)),
      name + ": there is not one position more than there are rows");
}

/// The first edge of a row and the one behind its last.
template <typename OpTy>
typename Edges<OpTy>::Segment Edges<OpTy>::getSegment(Value row) {
  Value next = builder.apply(builder.getAffineDimExpr(0) + 1, row);
  Value begin = builder.access(op.getRows(), row);
  return {begin, builder.access(op.getRows(), next)};
}

template <typename OpTy>
void Edges<OpTy>::forEach(llvm::function_ref<void(Edge)> write) {
  if (op.getGraph() == GraphFormat::coo) {
    builder.forall({{"p"}}, [&](ValueRange p) {
      write(getEdge(builder.access(op.getRows(), p[0]), p[0]));
    });
    return;
  }
  builder.forall({{"i"}}, [&](ValueRange i) {
    auto [begin, end] = getSegment(i[0]);
    builder.forall({{"p", begin, end}},
                   [&](ValueRange p) { write(getEdge(i[0], p[0])); });
  });
}

template <typename OpTy>
Value Edges<OpTy>::reduceRow(EdgeReduction reduction, Value row, Value e,
                             Term term) {
  auto [begin, end] = getSegment(row);
  Value reduced = builder.reduceOrZero(
      reduction.function, {{"p", begin, end}}, type,
      [&](ValueRange p) { return term(getEdge(row, p[0]))(e); });
  if (!reduction.isMean)
    return reduced;
  Value divisor = builder.divisor(builder.length(begin, end), type);
  return builder.call("div", {reduced, divisor});
}

/// Edges in any order add to the result.
template <typename OpTy>
void Edges<OpTy>::addCoordinates(Callee function, Term term) {
  builder.forall({{"i"}, {"e"}}, [&](ValueRange at) {
    builder.assign(builder.literal(type, 0), op.getInit(), at);
  });
  builder.forall({{"p"}, {"e"}}, [&](ValueRange at) {
    Edge edge = getEdge(builder.access(op.getRows(), at[0]), at[0]);
    builder.assign(term(edge)(at[1]), op.getInit(), {edge.row, at[1]},
                   function);
  });
}

template <typename OpTy>
void Edges<OpTy>::reduce(EdgeReduction reduction, Term term) {
  if (op.getGraph() == GraphFormat::csr) {
    builder.forall({{"i"}, {"e"}}, [&](ValueRange at) {
      builder.assign(reduceRow(reduction, at[0], at[1], term), op.getInit(),
                     at);
    });
    return;
  }
  bool isWide = getElementTypeOrSelf(op.getInit().getType()) == type;
  if (isWide && !reduction.isMean &&
      builder.addsToZero(reduction.function, type))
    addCoordinates(reduction.function, term);
  else
    reduceInWorkspace(reduction, term);
}

/// Rows are come back to: their sums stand in memory, in full precision,
/// together with the numbers of their edges where these are needed.
template <typename OpTy>
void Edges<OpTy>::reduceInWorkspace(EdgeReduction reduction, Term term) {
  Value init = op.getInit();
  // Otherwise terms are in order, and the first one takes the place of the 0.
  bool addsToZero = builder.addsToZero(reduction.function, type);
  bool isWide = getElementTypeOrSelf(init.getType()) == type;
  auto add = [&](Value sums, Value numbers) {
    builder.forall({{"i"}}, [&](ValueRange i) {
      builder.forall({{"e"}}, [&](ValueRange e) {
        builder.assign(builder.literal(type, 0), sums, {i[0], e[0]});
      });
    });
    builder.forall({{"p"}}, [&](ValueRange p) {
      Edge edge = getEdge(builder.access(op.getRows(), p[0]), p[0]);
      Value isFirst;
      if (!addsToZero)
        isFirst = builder.isZero(builder.access(numbers, edge.row));
      Element element = term(edge);
      builder.forall({{"e"}}, [&](ValueRange e) {
        Value value = element(e[0]);
        if (addsToZero)
          builder.assign(value, sums, {edge.row, e[0]}, reduction.function);
        else
          builder.assignInOrder(value, sums, {edge.row, e[0]},
                                reduction.function, isFirst);
      });
      // Behind what asks whether it is the first.
      if (numbers)
        builder.assign(builder.literal(1), numbers, edge.row, "add");
    });
  };
  auto store = [&](Value sums, Value numbers) {
    builder.forall({{"i"}}, [&](ValueRange i) {
      Value divisor;
      if (reduction.isMean)
        divisor = builder.divisor(builder.access(numbers, i[0]), type);
      builder.forall({{"e"}}, [&](ValueRange e) {
        Value value = builder.access(sums, {i[0], e[0]});
        if (divisor)
          value = builder.call("div", {value, divisor});
        builder.assign(value, init, {i[0], e[0]});
      });
    });
  };
  auto addInRows = [&](Value numbers) {
    if (!isWide) {
      builder.where(
          type, {{init, 0}, {init, 1}}, [&](Value sums) { add(sums, numbers); },
          [&](Value sums) { store(sums, numbers); });
      return;
    }
    add(init, numbers);
    if (reduction.isMean)
      store(init, numbers);
  };
  builder.forall({}, [&](ValueRange) {
    if (addsToZero && !reduction.isMean) {
      addInRows(nullptr);
      return;
    }
    auto zero = [&](Value numbers) {
      builder.forall({{"i"}}, [&](ValueRange i) {
        builder.assign(builder.literal(0), numbers, i);
      });
    };
    builder.where(builder.getIndexType(), {{init, 0}}, zero, addInRows);
  });
}

void ember::writeStatements(SpMMOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  StatementBuilder builder(op, {{"rows", op.getRows()},
                                {"columns", op.getColumns()},
                                {"values", op.getValues()},
                                {"dense", op.getDense()}});
  Edges<SpMMOp> edges(builder, op, type);
  builder.readRows(op.getDense(), op.getFormatAttr(), type, op.getInit(), 1,
                   "embed.spmm: the rows of the table are not as long as the "
                   "result needs");
  edges.requireSizes(op.getInit());
  using Element = Edges<SpMMOp>::Element;
  EdgeReduction reduction{getFunction(op.getReduction()),
                          op.getReduction() == embed::Reduction::mean};
  edges.reduce(reduction, [&](Edge edge) -> Element {
    Value weight = edges.weight(edge);
    return [=, &builder](Value e) mutable {
      Value value = builder.accessAs(type, op.getDense(), {edge.column, e});
      return builder.times(value, weight);
    };
  });
  builder.replace(op);
}

//===----------------------------------------------------------------------===//
// Values of edges
//===----------------------------------------------------------------------===//

/// An element of the two rows at an edge's ends, combined.
template <typename OpTy>
static Value combineElement(StatementBuilder &builder, OpTy op, FloatType type,
                            Edge edge, Value d) {
  Value left = builder.accessAs(type, op.getLeft(), {edge.row, d});
  Value right = builder.accessAs(type, op.getRight(), {edge.column, d});
  return builder.call(op.getEdge(), {left, right});
}

/// `value` as the edge passes it on: activated, scaled, weighted.
template <typename OpTy>
static Value passOn(StatementBuilder &builder, OpTy op, FloatType type,
                    Value weight, Value value) {
  if (Attribute activation = op.getActivationAttr())
    value = builder.call(activation, value);
  if (Value scale = op.getScale())
    value = builder.times(value, builder.convert(builder.getName(scale), type));
  return builder.times(value, weight);
}

/// `callee`, or what is called where an operation names nothing.
static Callee getCallee(Attribute callee, const char *usual) {
  return callee ? Callee(callee) : Callee(usual);
}

/// The total of the combined elements, as the edge passes it on.
template <typename OpTy>
static Value totalElements(StatementBuilder &builder, OpTy op, FloatType type,
                           Edge edge, Value weight) {
  Value total = builder.reduceOrZero(
      getCallee(op.getTotalAttr(), "add"), {{"d"}}, type, [&](ValueRange d) {
        return combineElement(builder, op, type, edge, d[0]);
      });
  return passOn(builder, op, type, weight, total);
}

void ember::writeStatements(SDDMMOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  StatementBuilder builder(op, {{"rows", op.getRows()},
                                {"columns", op.getColumns()},
                                {"values", op.getValues()},
                                {"left", op.getLeft()},
                                {"right", op.getRight()},
                                {"scale", op.getScale()}});
  Edges<SDDMMOp> edges(builder, op, type);
  edges.requireSizes(op.getLeft());
  builder.requireSameSize(
      op.getColumns(), 0, op.getInit(), 0,
      "embed.sddmm: the result is not as long as there are edges");
  builder.requireSameSize(op.getLeft(), 1, op.getRight(), 1,
                          "embed.sddmm: left and right rows differ in length");
  edges.forEach([&](Edge edge) {
    Value weight = edges.weight(edge);
    builder.assign(totalElements(builder, op, type, edge, weight), op.getInit(),
                   edge.position);
  });
  builder.replace(op);
}

void ember::writeStatements(MessageOp op) {
  FloatType type = embed::getComputeType(op->getOperandTypes());
  StatementBuilder builder(op, {{"rows", op.getRows()},
                                {"columns", op.getColumns()},
                                {"values", op.getValues()},
                                {"left", op.getLeft()},
                                {"right", op.getRight()},
                                {"messages", op.getMessages()},
                                {"scale", op.getScale()}});
  Edges<MessageOp> edges(builder, op, type);
  builder.requireSameSize(
      op.getLeft(), 1, op.getRight(), 1,
      "embed.message: left and right rows differ in length");
  builder.requireSameSize(op.getInit(), 1, op.getMessages(), 1,
                          "embed.message: the rows of the result are not as "
                          "long as messages");
  builder.requireSameSize(op.getInit(), 0, op.getLeft(), 0,
                          "embed.message: there are not as many left rows as "
                          "rows of the result");
  if (op.getVector())
    builder.requireSameSize(
        op.getLeft(), 1, op.getMessages(), 1,
        "embed.message: left rows are not as long as messages");
  edges.requireSizes(op.getInit());
  using Element = Edges<MessageOp>::Element;
  EdgeReduction reduction{getCallee(op.getReductionAttr(), "add"),
                          /*isMean=*/!op.getReductionAttr()};
  Callee weighting = getCallee(op.getWeightingAttr(), "mul");
  edges.reduce(reduction, [&](Edge edge) -> Element {
    Value weight = edges.weight(edge), shared;
    if (!op.getVector())
      shared = totalElements(builder, op, type, edge, weight);
    return [=, &builder](Value e) mutable {
      Value value = shared;
      if (!value)
        value = passOn(builder, op, type, weight,
                       combineElement(builder, op, type, edge, e));
      Value message =
          builder.accessAs(type, op.getMessages(), {edge.column, e});
      return builder.call(weighting, {message, value});
    };
  });
  builder.replace(op);
}
