//===- GraphColumn.cpp - A column of an input layer -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the node that combines rows backwards: the rows of a table at unique
// ids; ids and their places, filled where a row has none; those that are not
// negative; places in a matrix, whose shape is made anew; and then either the
// values of a tensor that are not what stands for nothing, or buckets of all of
// them. Each value that two of these read has to be the same one.
//
//===----------------------------------------------------------------------===//

#include "GraphColumn.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

namespace {
/// Ids as they are before empty rows are filled, with where they are.
struct SparseIds {
  Value places, values, shape;
};

class ColumnReader {
public:
  ColumnReader(GraphColumn &column, GraphPattern &pattern)
      : column(column), pattern(pattern) {}

  bool readReduction(NodeOp reduction);

private:
  bool readTable(Value rows, Value &ids);
  bool readFill(Value ids, Value rows);
  bool readKept(SparseIds &ids);
  bool readReshape(SparseIds &ids);
  bool readSource(const SparseIds &ids);
  bool readDropped(const SparseIds &ids, Value values);
  bool readBuckets(const SparseIds &ids);
  bool readPositions(const SparseIds &ids, Value batch, Value repeated);
  Value readReplacement(Value ids);
  bool setValues(Value values);
  bool hasResults(NodeOp node, unsigned count);

  GraphColumn &column;
  GraphPattern &pattern;
};
} // namespace

std::optional<Combiner> col::getCombiner(StringRef kind) {
  return llvm::StringSwitch<std::optional<Combiner>>(kind)
      .Case("SparseSegmentSum", Combiner::sum)
      .Case("SparseSegmentMean", Combiner::mean)
      .Case("SparseSegmentSqrtN", Combiner::sqrtn)
      .Default(std::nullopt);
}

static RankedTensorType getShape(Value value, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == rank ? type : RankedTensorType();
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
  Value ids;
  if (!readTable(reduction.getInputs()[0], ids))
    return false;
  NodeOp unique = pattern.expect(ids, "Unique", 1);
  if (!unique || !hasResults(unique, 2) ||
      !pattern.expectSame(reduction.getInputs()[1], unique->getResult(1)))
    return false;
  return readFill(unique.getInputs()[0], reduction.getInputs()[2]);
}

bool ColumnReader::hasResults(NodeOp node, unsigned count) {
  if (node->getNumResults() == count)
    return true;
  return pattern.fail(node->getResult(0),
                      "has another number of results than " + Twine(count));
}

/// The rows of places are column 0 of them.
bool ColumnReader::readFill(Value ids, Value rows) {
  NodeOp fill = pattern.expect(ids, "SparseFillEmptyRows", 4, 1);
  if (!fill || !hasResults(fill, 4))
    return false;
  NodeOp slice = pattern.expect(rows, "StridedSlice", 4);
  if (!slice || !pattern.expectSame(slice.getInputs()[0], fill->getResult(0)) ||
      !pattern.expectIntegers(slice.getInputs()[1], {0, 0}) ||
      !pattern.expectIntegers(slice.getInputs()[2], {0, 1}) ||
      !pattern.expectIntegers(slice.getInputs()[3], {1, 1}) ||
      !pattern.expectZero(slice, {"ellipsis_mask", "new_axis_mask"}))
    return false;
  for (auto [mask, value] :
       {std::pair("begin_mask", 1), std::pair("end_mask", 1),
        std::pair("shrink_axis_mask", 2)})
    if (!slice.getSettings().get(mask) || !hasSetting(slice, mask, value))
      return pattern.fail(rows, "is not the rows of places");
  std::optional<SmallVector<int64_t>> id = getIntegers(fill.getInputs()[3]);
  if (!id || id->size() != 1)
    return pattern.fail(fill.getInputs()[3],
                        "stands where columns have a constant id");
  column.fillId = id->front();
  column.fill = fill;
  SparseIds found = {fill.getInputs()[0], fill.getInputs()[1],
                     fill.getInputs()[2]};
  return readKept(found) && readReshape(found) && readSource(found);
}

/// Both are gathered at where ids are at least 0.
bool ColumnReader::readKept(SparseIds &ids) {
  Value kept, places, values;
  if (!pattern.expectGather(ids.values, values, kept) ||
      !pattern.expectGather(ids.places, places, ids.places) ||
      !pattern.expectSame(ids.places, kept))
    return false;
  NodeOp list = pattern.expect(kept, "Reshape", 2);
  if (!list || !pattern.expectIntegers(list.getInputs()[1], {-1}))
    return false;
  NodeOp where = pattern.expect(list.getInputs()[0], "Where", 1);
  NodeOp compare = where
                       ? pattern.expect(where.getInputs()[0], "GreaterEqual", 2)
                       : NodeOp();
  if (!compare || !pattern.expectSame(compare.getInputs()[0], values) ||
      !pattern.expectIntegers(compare.getInputs()[1], {0}))
    return false;
  ids.places = places;
  ids.values = skipIdentities(values);
  if (RankedTensorType type = getShape(ids.values, 1);
      !type || !(type.getElementType().isSignlessInteger(32) ||
                 type.getElementType().isSignlessInteger(64)))
    return pattern.fail(ids.values, "is no list of integers");
  column.idType = getShape(ids.values, 1).getElementType();
  return true;
}

/// A matrix of rows becomes one of the same shape, by the product of all but
/// its last dimension, and that.
bool ColumnReader::readReshape(SparseIds &ids) {
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
// Ids
//===----------------------------------------------------------------------===//

bool ColumnReader::readSource(const SparseIds &ids) {
  if (findNode(ids.values, "AddV2", 2))
    return readBuckets(ids);
  Value values = readReplacement(ids.values);
  if (!values)
    return false;
  if (column.replacement && !findNode(values, "GatherNd", 2))
    return pattern.fail(values, "makes ids that others take the place of");
  if (NodeOp hash = findNode(values, "StringToHashBucketFast", 1)) {
    auto buckets = hash.getSettings().getAs<IntegerAttr>("num_buckets");
    if (!buckets || buckets.getInt() <= 0)
      return pattern.fail(values, "has no number of buckets");
    NodeOp text = findNode(skipIdentities(hash.getInputs()[0]), "AsString", 1);
    if (!text)
      return pattern.fail(values,
                          "hashes texts, of which there are no columns");
    auto fill = text.getSettings().get("fill");
    if (fill && fill != StringAttr::get(fill.getContext(), ""))
      return pattern.fail(hash.getInputs()[0], "fills texts up");
    if (!hasSetting(text, "width", -1) || !hasSetting(text, "precision", -1) ||
        !pattern.expectZero(text, {"scientific", "shortest"}))
      return pattern.fail(hash.getInputs()[0], "makes no plain digits");
    column.buckets = buckets.getInt();
    values = skipIdentities(text.getInputs()[0]);
  }
  return readDropped(ids, values);
}

/// Ids that are none of the table become another one.
Value ColumnReader::readReplacement(Value ids) {
  NodeOp select = findNode(ids, "SelectV2", 3);
  if (!select)
    return ids;
  NodeOp either = pattern.expect(select.getInputs()[0], "LogicalOr", 2);
  NodeOp less =
      either ? pattern.expect(either.getInputs()[0], "Less", 2) : NodeOp();
  NodeOp more = less ? pattern.expect(either.getInputs()[1], "GreaterEqual", 2)
                     : NodeOp();
  Value values = select.getInputs()[2];
  if (!more || !pattern.expectIntegers(less.getInputs()[1], {0}) ||
      !pattern.expectSame(less.getInputs()[0], values) ||
      !pattern.expectSame(more.getInputs()[0], values))
    return {};
  std::optional<SmallVector<int64_t>> count = getIntegers(more.getInputs()[1]);
  NodeOp fill = pattern.expect(select.getInputs()[1], "Fill", 2);
  NodeOp shape =
      fill ? pattern.expect(fill.getInputs()[0], "Shape", 1) : NodeOp();
  if (!shape || !pattern.expectSame(shape.getInputs()[0], values))
    return {};
  std::optional<SmallVector<int64_t>> id = getIntegers(fill.getInputs()[1]);
  if (!count || count->size() != 1 || !id || id->size() != 1) {
    pattern.fail(ids, "replaces ids by what is not constant");
    return {};
  }
  column.replacement = Replacement{count->front(), id->front()};
  return skipIdentities(values);
}

/// Values of a tensor that are not what stands for nothing, and where they are.
bool ColumnReader::readDropped(const SparseIds &ids, Value values) {
  NodeOp gather = pattern.expect(values, "GatherNd", 2);
  if (!gather || !pattern.expectSame(gather.getInputs()[1], ids.places))
    return false;
  Value tensor = skipIdentities(gather.getInputs()[0]);
  NodeOp where = pattern.expect(ids.places, "Where", 1);
  NodeOp compare =
      where ? pattern.expect(where.getInputs()[0], "NotEqual", 2) : NodeOp();
  NodeOp shape = compare ? pattern.expect(ids.shape, "Shape", 1) : NodeOp();
  if (!shape || !pattern.expectSame(compare.getInputs()[0], tensor) ||
      !pattern.expectSame(shape.getInputs()[0], tensor))
    return false;
  std::optional<SmallVector<int64_t>> absent =
      getIntegers(compare.getInputs()[1]);
  if (!absent || absent->size() != 1)
    return pattern.fail(compare.getInputs()[1],
                        "stands where columns have what is no value");
  RankedTensorType type = getShape(tensor, 2);
  if (!type)
    return pattern.fail(tensor, "is no matrix, or it is not known that it is");
  Type element = type.getElementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return pattern.fail(tensor, "has elements that are no integers");
  if (column.buckets ? !column.idType.isSignlessInteger(64)
                     : column.idType != element)
    return pattern.fail(ids.values, "has ids of another type");
  column.absent = absent->front();
  return setValues(tensor);
}

/// A vector that was made a matrix of one column is taken as it is.
bool ColumnReader::setValues(Value values) {
  column.values = values;
  NodeOp expand = findNode(values, "ExpandDims", 2);
  if (!expand || !getShape(expand.getInputs()[0], 1))
    return true;
  std::optional<SmallVector<int64_t>> place =
      getIntegers(expand.getInputs()[1]);
  if (place && place->size() == 1 &&
      (place->front() == -1 || place->front() == 1))
    column.values = skipIdentities(expand.getInputs()[0]);
  return true;
}

//===----------------------------------------------------------------------===//
// Buckets of numbers
//===----------------------------------------------------------------------===//

/// The bucket of each value of a matrix of one column: ids of further columns
/// would lie behind those of the first one.
bool ColumnReader::readBuckets(const SparseIds &ids) {
  NodeOp add = pattern.expect(ids.values, "AddV2", 2);
  NodeOp list = pattern.expect(add.getInputs()[0], "Reshape", 2);
  if (!list || !pattern.expectIntegers(list.getInputs()[1], {-1}))
    return false;
  Value buckets = skipIdentities(list.getInputs()[0]);
  NodeOp bucketize = pattern.expect(buckets, "Bucketize", 1);
  // The number of boundaries and one, times the place in a row.
  NodeOp further = pattern.expect(add.getInputs()[1], "Mul", 2);
  if (!bucketize || !further)
    return false;
  std::optional<SmallVector<int64_t>> factor =
      getIntegers(further.getInputs()[0]);
  if (!factor || factor->size() != 1)
    return pattern.fail(further.getInputs()[0],
                        "stands where columns have a number of buckets");

  Value values = skipIdentities(bucketize.getInputs()[0]);
  RankedTensorType type = getShape(values, 2);
  if (!type || type.getDimSize(1) != 1)
    return pattern.fail(values, "is no matrix of one column, or it is not "
                                "known that it is");
  Type element = type.getElementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64) &&
      !element.isF32() && !element.isF64())
    return pattern.fail(values, "has elements that are in no order");
  auto boundaries = bucketize.getSettings().getAs<ArrayAttr>("boundaries");
  if (!boundaries || boundaries.empty())
    return pattern.fail(buckets, "has no boundaries");
  for (Attribute boundary : boundaries) {
    auto number = dyn_cast<FloatAttr>(boundary);
    if (!number || !number.getType().isF32())
      return pattern.fail(buckets, "has boundaries that are no numbers");
    column.boundaries.push_back(number.getValue().convertToFloat());
  }
  for (auto [low, high] :
       llvm::zip(column.boundaries, ArrayRef(column.boundaries).drop_front()))
    if (!(low <= high))
      return pattern.fail(buckets, "has boundaries in no order");
  if (!column.idType.isSignlessInteger(32))
    return pattern.fail(ids.values, "has ids of another type");

  // How many rows there are, as all of it says.
  NodeOp shape = pattern.expect(ids.shape, "Cast", 1);
  NodeOp sizes =
      shape ? pattern.expect(shape.getInputs()[0], "Pack", 2) : NodeOp();
  if (!sizes || !pattern.expectZero(sizes, {"axis"}) ||
      !pattern.expectIntegers(sizes.getInputs()[1], {1}))
    return false;
  Value batch = sizes.getInputs()[0];
  Value of = pattern.expectElement(batch, 0);
  NodeOp measured = of ? pattern.expect(of, "Shape", 1) : NodeOp();
  if (!measured || !pattern.expectSame(measured.getInputs()[0], buckets))
    return false;
  if (!readPositions(ids, batch, further.getInputs()[1]))
    return false;
  // Integers are compared as f32 in any case.
  if (NodeOp cast = findNode(values, "Cast", 1); cast && element.isF32())
    if (RankedTensorType before = getShape(cast.getInputs()[0], 2);
        before && before.getDimSize(1) == 1 &&
        (before.getElementType().isSignlessInteger(32) ||
         before.getElementType().isSignlessInteger(64)))
      values = skipIdentities(cast.getInputs()[0]);
  return setValues(values);
}

/// Places are (0, 0), (1, 0), ...: of rows in order, `repeated` zeros beside.
bool ColumnReader::readPositions(const SparseIds &ids, Value batch,
                                 Value repeated) {
  NodeOp wide = pattern.expect(ids.places, "Cast", 1);
  NodeOp turned =
      wide ? pattern.expect(wide.getInputs()[0], "Transpose", 2) : NodeOp();
  NodeOp pack =
      turned ? pattern.expect(turned.getInputs()[0], "Pack", 2) : NodeOp();
  if (!pack || !pattern.expectIntegers(turned.getInputs()[1], {1, 0}) ||
      !pattern.expectZero(pack, {"axis"}) ||
      !pattern.expectSame(pack.getInputs()[1], repeated))
    return false;

  NodeOp list = pattern.expect(pack.getInputs()[0], "Reshape", 2);
  if (!list || !pattern.expectIntegers(list.getInputs()[1], {-1}))
    return false;
  NodeOp once = pattern.expect(list.getInputs()[0], "Tile", 2);
  if (!once || !pattern.expectIntegers(once.getInputs()[1], {1, 1}))
    return false;
  NodeOp expand = pattern.expect(once.getInputs()[0], "ExpandDims", 2);
  if (!expand || !pattern.expectIntegers(expand.getInputs()[1], {1}))
    return false;
  NodeOp rows = pattern.expect(expand.getInputs()[0], "Range", 3);
  if (!rows || !pattern.expectIntegers(rows.getInputs()[0], {0}) ||
      !pattern.expectSame(rows.getInputs()[1], batch) ||
      !pattern.expectIntegers(rows.getInputs()[2], {1}))
    return false;

  NodeOp zeros = pattern.expect(repeated, "Tile", 2);
  NodeOp zero =
      zeros ? pattern.expect(zeros.getInputs()[0], "Range", 3) : NodeOp();
  NodeOp count =
      zero ? pattern.expect(zeros.getInputs()[1], "Pack", 1) : NodeOp();
  return count && pattern.expectIntegers(zero.getInputs()[0], {0}) &&
         pattern.expectIntegers(zero.getInputs()[1], {1}) &&
         pattern.expectIntegers(zero.getInputs()[2], {1}) &&
         pattern.expectSame(count.getInputs()[0], batch);
}

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

/// Whether numbers are of the type that they stand beside.
static bool hasNumbersOfTypes(const GraphColumn &column) {
  auto fits = [](Type type, int64_t number) {
    return type.isSignlessInteger(64) || llvm::isInt<32>(number);
  };
  Type element =
      cast<RankedTensorType>(column.values.getType()).getElementType();
  return (!column.absent || fits(element, *column.absent)) &&
         fits(column.idType, column.fillId) &&
         (!column.replacement ||
          (fits(column.idType, column.replacement->id) &&
           fits(column.idType, column.replacement->count)));
}

std::optional<GraphColumn> col::findColumn(NodeOp reduction,
                                           GraphPattern &pattern) {
  GraphColumn column = {};
  if (!ColumnReader(column, pattern).readReduction(reduction))
    return std::nullopt;
  if (!hasNumbersOfTypes(column)) {
    pattern.fail("a constant is none of the type that it is compared in");
    return std::nullopt;
  }
  return column;
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
