//===- RaiseGraphToCol.cpp - Find columns in the nodes of a graph ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   SparseSegmentMean(... Where(NotEqual(x, -1)) ...)
//     ->  lookup mean (keep_if ne (from_dense x), -1) in table
//
// A column is written where its zeros for empty rows were selected, or where
// rows were combined if a model has an id of its own for those. Its nodes are
// left alone: those that nothing reads any more are erased in the end.
//
//===----------------------------------------------------------------------===//

#include "GraphColumn.h"

#include "ember/Dialect/Col/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::col {
#define GEN_PASS_DEF_RAISEGRAPHTOCOL
#include "ember/Dialect/Col/Transforms/Passes.h.inc"
} // namespace ember::col

using namespace mlir;
using namespace ember;
using namespace ember::col;

namespace {
class Raising {
public:
  Raising(func::FuncOp function, bool mayAddArguments)
      : function(function), mayAddArguments(mayAddArguments) {}

  void run();

private:
  bool raise(NodeOp reduction, GraphPattern &pattern, bool &mayBeColumn);
  Value getTable(const GraphColumn &column, GraphPattern &pattern);
  Value writeColumn(const GraphColumn &column, Value table, Operation *place,
                    RankedTensorType type, bool isFilled);
  /// Has what reads nodes that make the same rows of a column's read these.
  void dropBehind(Value rows);
  bool concatenate(NodeOp node);

  func::FuncOp function;
  bool mayAddArguments;
  bool hasChanges = false;
  /// What stands for constants that are tables.
  DenseMap<Operation *, Value> tables;
};
} // namespace

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// A constant, an argument for one that is not in the module and for a
/// variable, or any other value; null and a reason if there can be no argument.
Value Raising::getTable(const GraphColumn &column, GraphPattern &pattern) {
  NodeOp node = findNode(column.table, "Const", 0);
  NodeOp variable = findNode(column.table, "VarHandleOp", 0);
  if (variable)
    node = variable;
  if (!node)
    return column.table;
  Value &found = tables[node];
  if (found)
    return found;
  if (auto elements = node.getSettings().getAs<DenseElementsAttr>("value");
      elements && elements.getType() == column.tableType) {
    OpBuilder builder(node);
    found = arith::ConstantOp::create(builder, node.getLoc(), elements);
    return found;
  }
  if (variable && hasChanges) {
    pattern.fail(column.table, "is a variable, and the function changes "
                               "something, which may be that");
    return {};
  }
  if (!mayAddArguments) {
    pattern.fail(column.table,
                 "is a table that is not in the module, and the function is "
                 "called with the arguments that it has");
    return {};
  }
  Builder builder(node.getContext());
  unsigned place = function.getNumArguments();
  NamedAttribute name = builder.getNamedAttr("ember.name", node.getLabelAttr());
  if (failed(function.insertArgument(place, column.tableType,
                                     builder.getDictionaryAttr(name),
                                     node.getLoc()))) {
    pattern.fail(column.table, "is a table that the function cannot be given");
    return {};
  }
  found = function.getArgument(place);
  return found;
}

static Value keepIf(ImplicitLocOpBuilder &builder, StringRef condition,
                    Value values, TypedAttr number) {
  auto callee =
      cin::BuiltinAttr::get(builder.getContext(), cin::findBuiltin(condition));
  return builder.createOrFold<KeepIfOp>(values.getType(), callee, values,
                                        builder.getArrayAttr(number));
}

static Value replaceIf(ImplicitLocOpBuilder &builder, StringRef condition,
                       Value values, TypedAttr number, TypedAttr replacement) {
  auto callee =
      cin::BuiltinAttr::get(builder.getContext(), cin::findBuiltin(condition));
  return ReplaceIfOp::create(builder, values.getType(), callee, values,
                             builder.getArrayAttr(number), replacement);
}

Value Raising::writeColumn(const GraphColumn &column, Value table,
                           Operation *place, RankedTensorType type,
                           bool isFilled) {
  ImplicitLocOpBuilder builder(place->getLoc(), place);
  Type element = column.getValueType();
  auto idType = JaggedType::get(column.idType);
  auto number = [](Type type, int64_t value) -> TypedAttr {
    return IntegerAttr::get(type, value);
  };

  Type batch = JaggedType::get(element);
  Value ids;
  if (column.places)
    ids = FromCoordinatesOp::create(builder, batch, column.values,
                                    column.places, column.shape);
  else
    ids = FromDenseOp::create(builder, batch, column.values);
  if (column.weights)
    ids = WeighOp::create(builder, batch, ids, column.weights);
  if (column.absent)
    ids = keepIf(builder, "ne", ids, number(element, *column.absent));
  if (column.dropsEmpty)
    ids = keepIf(builder, "ne", ids, builder.getStringAttr(""));
  if (column.separator)
    ids = SplitOp::create(builder, batch, ids, *column.separator);
  if (!column.boundaries.empty()) {
    auto list = RankedTensorType::get(int64_t(column.boundaries.size()),
                                      builder.getF32Type());
    Value boundaries = arith::ConstantOp::create(
        builder, DenseElementsAttr::get(list, ArrayRef(column.boundaries)));
    ids = BucketizeOp::create(builder, idType, ids, boundaries);
  }
  if (column.buckets)
    ids = HashOp::create(builder, idType, ids, uint64_t(*column.buckets),
                         column.key.empty()
                             ? DenseI64ArrayAttr()
                             : builder.getDenseI64ArrayAttr(column.key));
  if (column.replacement) {
    TypedAttr other = number(column.idType, column.replacement->id);
    // An id that took the place of one below 0 is replaced by itself, at most.
    ids = replaceIf(builder, "lt", ids, number(column.idType, 0), other);
    ids = replaceIf(builder, "ge", ids,
                    number(column.idType, column.replacement->count), other);
  }
  if (column.dropsNegative)
    ids = keepIf(builder, "ge", ids, number(column.idType, 0));
  if (column.keepsPositive)
    ids = KeepWeightOp::create(builder, idType, ids);
  if (isFilled)
    ids = FillEmptyOp::create(builder, idType, ids,
                              number(column.idType, column.fillId));
  return LookupOp::create(builder, type, column.combiner, ids, table);
}

/// The type of rows of a table, if that is what a value is known to be.
static RankedTensorType getTypeOfRows(Value value, RankedTensorType rows,
                                      GraphPattern &pattern) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getRank() == 2 && type.getDimSize(1) == rows.getDimSize(1) &&
      type.getElementType() == rows.getElementType())
    return type;
  pattern.fail(value,
               "is not known to have rows as long as those of the table");
  return {};
}

bool Raising::raise(NodeOp reduction, GraphPattern &pattern,
                    bool &mayBeColumn) {
  GraphColumn found = findColumn(reduction, pattern);
  // Sums of segments are made for all kinds of reasons.
  mayBeColumn = found.isFound;
  if (!found.isRead)
    return false;
  const GraphColumn *column = &found;
  SmallVector<Value> zeroed;
  for (Operation *user : reduction->getUsers())
    if (auto node = dyn_cast<NodeOp>(user);
        node && node->getNumResults() == 1 &&
        node->getBlock() == reduction->getBlock() &&
        isZeroed(node->getResult(0), reduction, column->fill) &&
        !llvm::is_contained(zeroed, node->getResult(0)))
      zeroed.push_back(node->getResult(0));
  bool isFilled = zeroed.empty();
  if (isFilled)
    zeroed.push_back(reduction->getResult(0));

  SmallVector<RankedTensorType> types;
  for (Value value : zeroed) {
    types.push_back(getTypeOfRows(value, column->tableType, pattern));
    if (!types.back())
      return false;
  }
  Value table = getTable(*column, pattern);
  if (!table)
    return false;
  if (!column->cut.empty())
    reduction.emitRemark() << "'" << reduction.getLabel()
                           << "' is a column from where nodes made ids: "
                           << column->cut;
  for (auto [value, type] : llvm::zip_equal(zeroed, types)) {
    Value rows =
        writeColumn(*column, table, value.getDefiningOp(), type, isFilled);
    value.replaceAllUsesWith(rows);
    dropBehind(rows);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Behind columns
//===----------------------------------------------------------------------===//

/// Whether the last of two sizes is known to be the length of rows: it is a
/// constant, or theirs.
static bool endsWithLength(Value sizes, Value rows, int64_t length) {
  GraphPattern pattern;
  sizes = skipIdentities(sizes);
  if (NodeOp pack = findNode(sizes, "Pack", 2))
    return pattern.expectZero(pack, {"axis"}) &&
           pattern.expectIntegers(pack.getInputs()[1], {length});
  NodeOp all = pattern.expect(sizes, "ConcatV2", 3);
  NodeOp last = all ? pattern.expect(all.getInputs()[1], "Slice", 3) : NodeOp();
  NodeOp shape =
      last ? pattern.expect(last.getInputs()[0], "Shape", 1) : NodeOp();
  auto first =
      all ? dyn_cast<RankedTensorType>(all.getInputs()[0].getType()) : nullptr;
  return shape && first && first.getRank() == 1 && first.getDimSize(0) == 1 &&
         pattern.expectIntegers(all.getInputs()[2], {0}) &&
         pattern.expectIntegers(last.getInputs()[1], {1}) &&
         pattern.expectIntegers(last.getInputs()[2], {-1}) &&
         pattern.expectSame(shape.getInputs()[0], rows);
}

/// Whether a node makes of rows what these are: rows of the same length, which
/// are as many.
static bool keepsRows(NodeOp node, Value rows) {
  if (node->getNumResults() != 1 || node.getInputs().empty() ||
      node.getInputs().front() != rows)
    return false;
  Value result = node->getResult(0);
  if (!tensor::CastOp::areCastCompatible(rows.getType(), result.getType()))
    return false;
  if (findNode(result, "Identity", 1))
    return true;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  int64_t length = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  return findNode(result, "Reshape", 2) && length > 0 &&
         ((type && type.getDimSize(1) == length) ||
          endsWithLength(node.getInputs()[1], rows, length));
}

void Raising::dropBehind(Value rows) {
  SmallVector<NodeOp> nodes;
  auto addNodes = [&](Value value) {
    for (Operation *user : value.getUsers())
      if (auto node = dyn_cast<NodeOp>(user);
          node && node->getBlock() == rows.getParentBlock())
        nodes.push_back(node);
  };
  addNodes(rows);
  while (!nodes.empty()) {
    NodeOp node = nodes.pop_back_val();
    if (!keepsRows(node, rows))
      continue;
    Value result = node->getResult(0);
    addNodes(result);
    // Nodes take what is known better; others want the type that they had.
    result.replaceUsesWithIf(
        rows, [](OpOperand &use) { return isa<NodeOp>(use.getOwner()); });
    if (result.use_empty())
      continue;
    Value same = rows;
    if (rows.getType() != result.getType()) {
      OpBuilder builder(node);
      same = tensor::CastOp::create(builder, node.getLoc(), result.getType(),
                                    rows);
    }
    result.replaceAllUsesWith(same);
  }
}

/// Columns beside each other.
bool Raising::concatenate(NodeOp node) {
  if (node.getKind() != "ConcatV2" || node.getEffects() != Effects::pure ||
      node->getNumResults() != 1 || node.getInputs().size() < 2)
    return false;
  OperandRange parts = node.getInputs().drop_back();
  std::optional<SmallVector<int64_t>> axis =
      getIntegers(node.getInputs().back());
  if (!axis || axis->size() != 1 || (axis->front() != 1 && axis->front() != -1))
    return false;
  auto first = dyn_cast<RankedTensorType>(parts[0].getType());
  for (Value part : parts) {
    if (!isa_and_present<LookupOp, tensor::ConcatOp>(part.getDefiningOp()))
      return false;
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getElementType() != first.getElementType() ||
        type.getDimSize(0) != first.getDimSize(0))
      return false;
  }
  auto type = dyn_cast<RankedTensorType>(node->getResult(0).getType());
  auto all =
      tensor::ConcatOp::inferResultType(1, llvm::to_vector(parts.getTypes()));
  if (!type || !tensor::CastOp::areCastCompatible(all, type))
    return false;
  ImplicitLocOpBuilder builder(node.getLoc(), node);
  Value rows = tensor::ConcatOp::create(builder, all, 1, parts);
  if (all != type)
    rows = tensor::CastOp::create(builder, type, rows);
  node->getResult(0).replaceAllUsesWith(rows);
  dropBehind(rows);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether rows of its places are those that a reduction goes by, which then
/// has been looked at.
static bool isOfReduction(NodeOp fill) {
  return llvm::any_of(fill->getUsers(), [](Operation *rows) {
    return llvm::any_of(rows->getUsers(), [](Operation *user) {
      auto node = dyn_cast<NodeOp>(user);
      return node && mayCombine(node);
    });
  });
}

void Raising::run() {
  SmallVector<NodeOp> reductions, concatenations, fills;
  function.walk([&](NodeOp node) {
    hasChanges |= node.getEffects() == Effects::changes;
  });
  // What a node in the first block reads stands in front of it.
  auto all = function.front().getOps<NodeOp>();
  for (NodeOp node : all) {
    if (mayCombine(node))
      reductions.push_back(node);
    else if (node.getKind() == "ConcatV2")
      concatenations.push_back(node);
    else if (node.getKind() == "SparseFillEmptyRows")
      fills.push_back(node);
  }
  for (NodeOp reduction : reductions) {
    GraphPattern pattern;
    bool isSparse = reduction.getKind().starts_with("Sparse");
    bool mayBeColumn = false;
    if (!raise(reduction, pattern, mayBeColumn) && (mayBeColumn || isSparse))
      reduction.emitRemark()
          << "'" << reduction.getLabel()
          << "' stays as it is, and is no column: " << pattern.getReason();
  }
  for (NodeOp node : concatenations)
    concatenate(node);

  SmallVector<NodeOp> nodes(all.begin(), all.end());
  for (NodeOp node : llvm::reverse(nodes))
    if (isOpTriviallyDead(node)) {
      llvm::erase(fills, node);
      node.erase();
    }
  for (NodeOp fill : fills)
    if (!isOfReduction(fill))
      fill.emitRemark() << "'" << fill.getLabel()
                        << "' stays as it is, and is of no column: rows are "
                           "combined by none of SparseSegmentSum, "
                           "SparseSegmentMean and SparseSegmentSqrtN";
}

namespace {
struct RaiseGraphToCol : col::impl::RaiseGraphToColBase<RaiseGraphToCol> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Raising(function,
              SymbolTable::symbolKnownUseEmpty(function, getOperation()))
          .run();
    }
  }
};
} // namespace
