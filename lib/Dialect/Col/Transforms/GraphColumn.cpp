//===- GraphColumn.cpp - A column of an input layer -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the node that combines rows backwards: the rows of a table at unique
// ids; ids and their places, filled where a row has none; those that are not
// negative; places in a matrix, whose shape is made anew; and then what ids are
// made of (GraphSource.cpp). Each value that two of these read has to be the
// same one. What stands in front of the fill may be anything that makes ids and
// places: then a column begins there.
//
//===----------------------------------------------------------------------===//

#include "GraphColumn.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

namespace {
class ColumnReader {
public:
  ColumnReader(GraphColumn &column, GraphPattern &pattern)
      : column(column), pattern(pattern) {}

  bool readReduction(NodeOp reduction);
  bool readWeighted(NodeOp last);

private:
  bool readTable(Value rows, Value &ids);
  Value readUnique(Value rows, Value numbers);
  NodeOp readFill(Value ids, Value rows);
  bool readIds(SparseValues ids);
  bool readKept(SparseValues &ids);
  Value readMask(Value &values, Value &places);
  bool isKeptId(Value condition, Value values);
  Value readProduct(NodeOp sum, Value &weights);
  NodeOp readDivisor(NodeOp last, Value &divisor);
  bool readWeightedIds(NodeOp fill, NodeOp weightFill);
  bool begin(SparseValues ids);
  bool readReshape(SparseValues &ids);
  bool hasResults(NodeOp node, unsigned count);

  GraphColumn &column;
  GraphPattern &pattern;
};
} // namespace

static std::optional<Combiner> getCombiner(StringRef kind) {
  return llvm::StringSwitch<std::optional<Combiner>>(kind)
      .Case("SparseSegmentSum", Combiner::sum)
      .Case("SparseSegmentMean", Combiner::mean)
      .Case("SparseSegmentSqrtN", Combiner::sqrtn)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

/// The type of a variable's value, if its handle says it.
static RankedTensorType getVariableType(NodeOp handle) {
  auto element = handle.getSettings().getAs<TypeAttr>("dtype");
  auto shape = handle.getSettings().getAs<DenseI64ArrayAttr>("shape");
  if (!element || !shape ||
      llvm::any_of(shape.asArrayRef(),
                   [](int64_t size) { return size < -1; }) ||
      !TensorType::isValidElementType(element.getValue()))
    return {};
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(shape.asArrayRef(), [](int64_t size) {
        return size < 0 ? ShapedType::kDynamic : size;
      });
  return RankedTensorType::get(sizes, element.getValue());
}

/// Rows of a tensor, or of a variable.
bool ColumnReader::readTable(Value rows, Value &ids) {
  rows = skipIdentities(rows);
  auto reading = rows.getDefiningOp<NodeOp>();
  if (reading && reading.getKind() == "ResourceGather" &&
      reading.getEffects() == Effects::reads &&
      reading.getInputs().size() == 2 && reading->getNumResults() == 1) {
    column.table = skipIdentities(reading.getInputs()[0]);
    NodeOp handle = pattern.expect(column.table, "VarHandleOp", 0);
    if (!handle || !pattern.expectZero(reading, {"batch_dims"}))
      return false;
    column.tableType = getVariableType(handle);
    ids = reading.getInputs()[1];
  } else {
    if (!pattern.expectGather(rows, column.table, ids))
      return false;
    column.table = skipIdentities(column.table);
    column.tableType = getShape(column.table, 2);
  }
  RankedTensorType type = column.tableType;
  if (!type || type.getRank() != 2 || type.isDynamicDim(1) ||
      type.getDimSize(1) == 0)
    return pattern.fail(column.table,
                        "is a table of rows of a length that is not known");
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64())
    return pattern.fail(column.table, "is a table of no numbers");
  return true;
}

bool ColumnReader::readReduction(NodeOp reduction) {
  column.combiner = *getCombiner(reduction.getKind());
  if (!pattern.expect(reduction->getResult(0), reduction.getKind(), 3))
    return false;
  Value ids = readUnique(reduction.getInputs()[0], reduction.getInputs()[1]);
  NodeOp fill = ids ? readFill(ids, reduction.getInputs()[2]) : NodeOp();
  return fill && readIds({fill.getInputs()[0], fill.getInputs()[1],
                          fill.getInputs()[2]});
}

/// The ids whose rows in a table are those that numbers say, each once.
Value ColumnReader::readUnique(Value rows, Value numbers) {
  Value ids;
  if (!readTable(rows, ids))
    return {};
  NodeOp unique = pattern.expect(ids, "Unique", 1);
  if (!unique || !hasResults(unique, 2) ||
      !pattern.expectSame(numbers, unique->getResult(1)))
    return {};
  column.isFound = true;
  return unique.getInputs()[0];
}

bool ColumnReader::hasResults(NodeOp node, unsigned count) {
  if (node->getNumResults() == count)
    return true;
  return pattern.fail(node->getResult(0),
                      "has another number of results than " + Twine(count));
}

/// The rows of places are column 0 of them.
NodeOp ColumnReader::readFill(Value ids, Value rows) {
  NodeOp fill = pattern.expect(ids, "SparseFillEmptyRows", 4, 1);
  if (!fill || !hasResults(fill, 4))
    return {};
  Value places = pattern.expectFirstColumn(rows);
  if (!places || !pattern.expectSame(places, fill->getResult(0)))
    return {};
  std::optional<SmallVector<int64_t>> id = getIntegers(fill.getInputs()[3]);
  if (!id || id->size() != 1) {
    pattern.fail(fill.getInputs()[3],
                 "stands where columns have a constant id");
    return {};
  }
  column.fillId = id->front();
  column.fill = fill;
  return fill;
}

bool ColumnReader::readIds(SparseValues ids) {
  SparseValues kept = ids;
  if (!readKept(kept))
    return begin(ids);
  column.dropsNegative = true;
  return begin(kept);
}

/// From where on what is found is no column, ids are a list that nodes make.
bool ColumnReader::begin(SparseValues ids) {
  RankedTensorType type = getShape(ids.values, 1);
  if (!type || !(type.getElementType().isSignlessInteger(32) ||
                 type.getElementType().isSignlessInteger(64)))
    return pattern.fail(ids.values, "is no list of integers");
  column.idType = type.getElementType();
  SparseValues before = ids;
  if (column.dropsNegative && readReshape(before)) {
    ids = before;
    if (readSource(ids, column, pattern))
      return true;
  }
  RankedTensorType places = getShape(ids.places, 2);
  RankedTensorType shape = getShape(ids.shape, 1);
  if (!places || !places.getElementType().isSignlessInteger(64) || !shape ||
      !shape.getElementType().isSignlessInteger(64))
    return pattern.fail(ids.places, "is not known to be places in a matrix");
  column.values = skipIdentities(ids.values);
  column.places = skipIdentities(ids.places);
  column.shape = skipIdentities(ids.shape);
  column.cut = pattern.getReason().str();
  return true;
}

/// The condition that values and places fulfil, which become those that it was
/// asked of.
Value ColumnReader::readMask(Value &values, Value &places) {
  Value kept, keptPlaces;
  if (!pattern.expectGather(values, values, kept) ||
      !pattern.expectGather(places, places, keptPlaces) ||
      !pattern.expectSame(keptPlaces, kept))
    return {};
  NodeOp list = pattern.expect(kept, "Reshape", 2);
  if (!list || !pattern.expectIntegers(list.getInputs()[1], {-1}))
    return {};
  NodeOp where = pattern.expect(list.getInputs()[0], "Where", 1);
  if (!where)
    return {};
  values = skipIdentities(values);
  if (!getShape(values, 1)) {
    pattern.fail(values, "is not known to be a list");
    return {};
  }
  return where.getInputs()[0];
}

/// Whether ids are at least 0.
bool ColumnReader::isKeptId(Value condition, Value values) {
  NodeOp compare = pattern.expect(condition, "GreaterEqual", 2);
  return compare && pattern.expectSame(compare.getInputs()[0], values) &&
         pattern.expectIntegers(compare.getInputs()[1], {0});
}

bool ColumnReader::readKept(SparseValues &ids) {
  Value condition = readMask(ids.values, ids.places);
  return condition && isKeptId(condition, ids.values);
}

/// A matrix of rows becomes one of the same shape, by the product of all but
/// its last dimension, and that.
bool ColumnReader::readReshape(SparseValues &ids) {
  NodeOp reshape = pattern.expect(ids.places, "SparseReshape", 3);
  if (!reshape || !hasResults(reshape, 2) ||
      !pattern.expectSame(ids.places, reshape->getResult(0)) ||
      !pattern.expectSame(ids.shape, reshape->getResult(1)))
    return false;
  ids.places = reshape.getInputs()[0];
  ids.shape = reshape.getInputs()[1];
  RankedTensorType shape = getShape(ids.shape, 1);
  if (!shape || shape.getDimSize(0) != 2)
    return pattern.fail(ids.shape, "is the shape of values that are no matrix, "
                                   "or of which that is not known");
  NodeOp pack = pattern.expect(reshape.getInputs()[2], "Pack", 2);
  NodeOp product =
      pack ? pattern.expect(pack.getInputs()[0], "Prod", 2) : NodeOp();
  if (!product || !pattern.expectZero(pack, {"axis"}) ||
      !pattern.expectZero(product, {"keep_dims"}) ||
      !pattern.expectIntegers(product.getInputs()[1], {0}))
    return false;
  NodeOp slice = pattern.expect(product.getInputs()[0], "Slice", 3);
  Value last, index;
  return slice && pattern.expectSame(slice.getInputs()[0], ids.shape) &&
         pattern.expectIntegers(slice.getInputs()[1], {0}) &&
         pattern.expectIntegers(slice.getInputs()[2], {1}) &&
         pattern.expectGather(pack.getInputs()[1], last, index) &&
         pattern.expectSame(last, ids.shape) &&
         pattern.expectIntegers(index, {1});
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Rows of unique ids times weights, which stand beside them as a column.
Value ColumnReader::readProduct(NodeOp sum, Value &weights) {
  NodeOp product = pattern.expect(sum.getInputs()[0], "Mul", 2);
  Value rows, numbers;
  if (!product || !pattern.expectGather(product.getInputs()[0], rows, numbers))
    return {};
  weights = skipIdentities(product.getInputs()[1]);
  return readUnique(rows, numbers);
}

/// The sum that is divided by the sum of the weights, or by the root of that of
/// their squares; then, of what.
NodeOp ColumnReader::readDivisor(NodeOp last, Value &divisor) {
  column.combiner = Combiner::sum;
  if (last.getKind() == "SegmentSum")
    return pattern.expect(last->getResult(0), "SegmentSum", 2);
  NodeOp quotient = pattern.expect(last->getResult(0), "DivNoNan", 2);
  NodeOp sum = quotient
                   ? pattern.expect(quotient.getInputs()[0], "SegmentSum", 2)
                   : NodeOp();
  if (!sum)
    return {};
  column.combiner = Combiner::mean;
  Value by = skipIdentities(quotient.getInputs()[1]);
  NodeOp root = findNode(by, "Sqrt", 1);
  if (root) {
    column.combiner = Combiner::sqrtn;
    by = root.getInputs()[0];
  }
  NodeOp total = pattern.expect(by, "SegmentSum", 2);
  if (!total || !pattern.expectSame(total.getInputs()[1], sum.getInputs()[1]))
    return {};
  divisor = skipIdentities(total.getInputs()[0]);
  if (!root)
    return sum;
  NodeOp square = findNode(divisor, "Square", 1);
  NodeOp power = findNode(divisor, "Pow", 2);
  if (power && pattern.expectNumber(power.getInputs()[1], 2))
    square = power;
  if (!square) {
    pattern.fail(divisor, "stands where columns have squares of weights");
    return {};
  }
  divisor = skipIdentities(square.getInputs()[0]);
  return sum;
}

bool ColumnReader::readWeighted(NodeOp last) {
  Value divisor, weights;
  NodeOp sum = readDivisor(last, divisor);
  Value ids = sum ? readProduct(sum, weights) : Value();
  if (!ids || (divisor && !pattern.expectSame(divisor, weights)))
    return false;
  // A list of weights as a matrix of one column, each beside a row.
  RankedTensorType type = getShape(weights, 2);
  if (!type || type.getDimSize(1) != 1 ||
      type.getElementType() != column.tableType.getElementType() ||
      !type.getElementType().isF32())
    return pattern.fail(weights, "is not known to be a column of weights of "
                                 "the type of the table, f32");
  NodeOp matrix = pattern.expect(weights, "Reshape", 2);
  NodeOp fill = matrix ? readFill(ids, skipCast(sum.getInputs()[1])) : NodeOp();
  NodeOp weightFill =
      fill ? pattern.expect(matrix.getInputs()[0], "SparseFillEmptyRows", 4, 1)
           : NodeOp();
  return weightFill && hasResults(weightFill, 4) &&
         pattern.expectNumber(weightFill.getInputs()[3], 1) &&
         readWeightedIds(fill, weightFill);
}

/// Ids and weights are dropped together: those of ids below 0, and those of
/// weights that are not positive, or of none.
bool ColumnReader::readWeightedIds(NodeOp fill, NodeOp weightFill) {
  SparseValues ids = {fill.getInputs()[0], fill.getInputs()[1],
                      fill.getInputs()[2]};
  Value places = weightFill.getInputs()[0];
  Value weights = weightFill.getInputs()[1];
  auto readBoth = [&]() -> Value {
    Value condition = readMask(ids.values, ids.places);
    Value other = condition ? readMask(weights, places) : Value();
    return other && pattern.expectSame(condition, other)
               ? skipIdentities(condition)
               : Value();
  };
  Value condition = readBoth();
  if (!condition)
    return false;
  if (NodeOp positive = findNode(condition, "Greater", 2)) {
    if (!pattern.expectSame(positive.getInputs()[0], weights) ||
        !pattern.expectNumber(positive.getInputs()[1], 0))
      return false;
    column.keepsPositive = true;
    condition = readBoth();
  }
  NodeOp both =
      condition ? pattern.expect(condition, "LogicalAnd", 2) : NodeOp();
  if (!both || !isKeptId(both.getInputs()[0], ids.values))
    return false;
  // As many as there are weights, and all true.
  NodeOp all = pattern.expect(both.getInputs()[1], "Fill", 2);
  NodeOp shape =
      all ? pattern.expect(all.getInputs()[0], "Shape", 1) : NodeOp();
  if (!shape || !pattern.expectSame(shape.getInputs()[0], weights) ||
      !pattern.expectTrue(all.getInputs()[1]) ||
      !pattern.expectSame(ids.places, places) ||
      !pattern.expectSame(ids.shape, weightFill.getInputs()[2]))
    return false;
  column.dropsNegative = true;
  column.weights = skipIdentities(weights);
  return begin(ids);
}

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

/// Whether numbers are of the type that they stand beside.
static bool hasNumbersOfTypes(const GraphColumn &column) {
  auto fits = [](Type type, int64_t number) {
    return type.isSignlessInteger(64) || llvm::isInt<32>(number);
  };
  Type element = column.getValueType();
  return (!column.absent || fits(element, *column.absent)) &&
         fits(column.idType, column.fillId) &&
         (!column.replacement ||
          (fits(column.idType, column.replacement->id) &&
           fits(column.idType, column.replacement->count)));
}

GraphColumn col::findColumn(NodeOp reduction, GraphPattern &pattern) {
  GraphColumn column = {};
  ColumnReader reader(column, pattern);
  column.isRead = getCombiner(reduction.getKind())
                      ? reader.readReduction(reduction)
                      : reader.readWeighted(reduction);
  if (column.isRead && !hasNumbersOfTypes(column))
    column.isRead = pattern.fail("a constant is none of the type that it is "
                                 "compared in");
  return column;
}

bool col::mayCombine(NodeOp node) {
  if (node->getNumResults() != 1)
    return false;
  // The sum of a mean is no column of its own.
  auto divides = [](Operation *user) {
    auto reader = dyn_cast<NodeOp>(user);
    return reader && reader.getKind() == "DivNoNan";
  };
  return getCombiner(node.getKind()) || node.getKind() == "DivNoNan" ||
         (node.getKind() == "SegmentSum" &&
          llvm::none_of(node->getUsers(), divides));
}

bool col::isZeroed(Value value, NodeOp reduction, NodeOp fill) {
  NodeOp select = findNode(value, "Select", 3);
  if (!select)
    select = findNode(value, "SelectV2", 3);
  GraphPattern pattern;
  if (!select ||
      !pattern.expectSame(select.getInputs()[2], reduction->getResult(0)))
    return false;
  NodeOp zeros = pattern.expect(select.getInputs()[1], "ZerosLike", 1);
  if (!zeros ||
      !pattern.expectSame(zeros.getInputs()[0], reduction->getResult(0)))
    return false;
  // As many columns as rows have, or the selection is an error; the sizes that
  // types say hold.
  NodeOp tile = pattern.expect(select.getInputs()[0], "Tile", 2);
  NodeOp empty =
      tile ? pattern.expect(tile.getInputs()[0], "Reshape", 2) : NodeOp();
  if (!empty || !pattern.expectIntegers(empty.getInputs()[1], {-1, 1}) ||
      !pattern.expectSame(empty.getInputs()[0], fill->getResult(2)))
    return false;
  if (NodeOp times = findNode(skipIdentities(tile.getInputs()[1]), "Pack", 2))
    return pattern.expectZero(times, {"axis"}) &&
           pattern.expectIntegers(times.getInputs()[0], {1});
  std::optional<SmallVector<int64_t>> times = getIntegers(tile.getInputs()[1]);
  return times && times->size() == 2 && times->front() == 1;
}
