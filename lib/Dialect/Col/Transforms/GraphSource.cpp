//===- GraphSource.cpp - What the ids of a column are made of -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids are hashes of values, others that take their place, or the values; and
// values are those of a tensor that are not what stands for nothing, parts of
// texts, or a list with places. Or ids are buckets of all numbers of a tensor.
//
//===----------------------------------------------------------------------===//

#include "GraphColumn.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

namespace {
class SourceReader {
public:
  SourceReader(GraphColumn &column, GraphPattern &pattern)
      : column(column), pattern(pattern) {}

  bool read(const SparseValues &ids);

private:
  bool readHash(Value &values);
  bool readDropped(const SparseValues &ids, Value values);
  bool readParts(const SparseValues &ids, NodeOp ragged);
  bool readList(const SparseValues &ids, Value values);
  bool readBuckets(const SparseValues &ids);
  bool readPositions(const SparseValues &ids, Value batch, Value repeated);
  bool readSplits(Value splits, NodeOp split);
  Value readReplacement(Value ids);
  bool setValues(Value values);
  bool hasFittingType(Type element, Value ids);

  GraphColumn &column;
  GraphPattern &pattern;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

bool SourceReader::read(const SparseValues &ids) {
  if (!column.weights && findNode(ids.values, "AddV2", 2))
    return readBuckets(ids);
  Value values = readReplacement(ids.values);
  if (!values || !readHash(values))
    return false;
  // Weights are a list, as long as that of the values.
  if (column.weights)
    return readList(ids, values);
  if (findNode(values, "GatherNd", 2))
    return readDropped(ids, values);
  auto maker = values.getDefiningOp<NodeOp>();
  if (maker && (maker.getKind() == "RaggedTensorToSparse" ||
                maker.getKind() == "StringSplitV2"))
    return readParts(ids, maker);
  return readList(ids, values);
}

/// Values are what is hashed, if ids are that.
bool SourceReader::readHash(Value &values) {
  NodeOp hash = findNode(values, "StringToHashBucketFast", 1);
  if (NodeOp strong = findNode(values, "StringToHashBucketStrong", 1)) {
    hash = strong;
    auto key = hash.getSettings().getAs<ArrayAttr>("key");
    if (!key || key.size() != 2 ||
        !llvm::all_of(key, llvm::IsaPred<IntegerAttr>))
      return pattern.fail(values, "has a key of other than two words");
    for (auto word : key.getAsRange<IntegerAttr>())
      column.key.push_back(word.getInt());
  }
  if (!hash)
    return true;
  if (column.replacement)
    return pattern.fail(values, "makes ids that others take the place of");
  auto buckets = hash.getSettings().getAs<IntegerAttr>("num_buckets");
  if (!buckets || buckets.getInt() <= 0)
    return pattern.fail(values, "has no number of buckets");
  column.buckets = buckets.getInt();
  values = skipIdentities(hash.getInputs()[0]);
  NodeOp text = findNode(values, "AsString", 1);
  if (!text)
    return true;
  if (!column.key.empty())
    return pattern.fail(values, "makes texts of numbers for a hash with a key");
  auto fill = text.getSettings().get("fill");
  if (fill && fill != StringAttr::get(fill.getContext(), ""))
    return pattern.fail(values, "fills texts up");
  if (!hasSetting(text, "width", -1) || !hasSetting(text, "precision", -1) ||
      !pattern.expectZero(text, {"scientific", "shortest"}))
    return pattern.fail(values, "makes no plain digits");
  values = skipIdentities(text.getInputs()[0]);
  return true;
}

/// Ids that are none of the table become another one.
Value SourceReader::readReplacement(Value ids) {
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
bool SourceReader::readDropped(const SparseValues &ids, Value values) {
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
  RankedTensorType type = getShape(tensor, 2);
  if (!type)
    return pattern.fail(tensor, "is no matrix, or it is not known that it is");
  if (!hasFittingType(type.getElementType(), ids.values))
    return false;
  Value nothing = compare.getInputs()[1];
  if (isa<TextType>(type.getElementType())) {
    std::optional<StringRef> absent = getText(nothing);
    if (!absent || !absent->empty())
      return pattern.fail(nothing, "stands where columns have the empty text");
    column.dropsEmpty = true;
    return setValues(tensor);
  }
  std::optional<SmallVector<int64_t>> absent = getIntegers(nothing);
  if (!absent || absent->size() != 1)
    return pattern.fail(nothing, "stands where columns have what is no value");
  column.absent = absent->front();
  return setValues(tensor);
}

/// Whether values of a type may become the ids: texts by a hash alone, integers
/// by one, too.
bool SourceReader::hasFittingType(Type element, Value ids) {
  if (isa<TextType>(element))
    return column.buckets || pattern.fail(ids, "makes ids of texts");
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return pattern.fail(ids, "has values that are no integers");
  if (!column.key.empty())
    return pattern.fail(ids, "hashes by a key what is no text");
  if (column.buckets ? !column.idType.isSignlessInteger(64)
                     : column.idType != element)
    return pattern.fail(ids, "has ids of another type");
  return true;
}

/// Values that nodes make, or that are given, with their places.
bool SourceReader::readList(const SparseValues &ids, Value values) {
  RankedTensorType type = getShape(values, 1);
  RankedTensorType places = getShape(ids.places, 2);
  RankedTensorType shape = getShape(ids.shape, 1);
  if (!type || !places || !shape ||
      !places.getElementType().isSignlessInteger(64) ||
      !shape.getElementType().isSignlessInteger(64))
    return pattern.fail(values, "is no list of values whose places are known");
  if (!hasFittingType(type.getElementType(), ids.values))
    return false;
  column.values = values;
  column.places = skipIdentities(ids.places);
  column.shape = skipIdentities(ids.shape);
  if (auto node = values.getDefiningOp<NodeOp>()) {
    pattern.fail(values, "makes values that columns begin with");
    column.cut = pattern.getReason().str();
  }
  return true;
}

/// Parts of the texts of a list, in the order in which they stand there; of a
/// matrix of one column, if the list is that.
bool SourceReader::readParts(const SparseValues &ids, NodeOp maker) {
  if (!pattern.expectSame(ids.places, maker->getResult(0)) ||
      maker->getNumResults() != 3 ||
      !pattern.expectSame(ids.shape, maker->getResult(2)))
    return false;
  NodeOp split = maker;
  if (maker.getKind() == "RaggedTensorToSparse") {
    if (maker.getInputs().size() != 2 || maker.getEffects() != Effects::pure)
      return pattern.fail(ids.values, "has more than one list of rows");
    split = pattern.expect(maker.getInputs()[1], "StringSplitV2", 2, 1);
    if (!split || !readSplits(maker.getInputs()[0], split))
      return false;
  }
  if (!findNode(split->getResult(1), "StringSplitV2", 2, 1) ||
      !hasSetting(split, "maxsplit", -1))
    return pattern.fail(split->getResult(1), "does not split texts everywhere");
  column.separator = getText(split.getInputs()[1]);
  if (!column.separator)
    return pattern.fail(split.getInputs()[1],
                        "stands where columns have a separator");
  Value texts = skipIdentities(split.getInputs()[0]);
  GraphPattern asMatrix;
  if (Value matrix = asMatrix.expectFirstColumn(texts))
    if (RankedTensorType type = getShape(matrix, 2);
        type && type.getDimSize(1) == 1)
      texts = skipIdentities(matrix);
  auto type = dyn_cast<RankedTensorType>(texts.getType());
  if (!type || type.getRank() == 0 || type.getRank() > 2)
    return pattern.fail(texts, "is no list of texts");
  column.values = texts;
  return hasFittingType(type.getElementType(), ids.values);
}

/// Where the parts of each text begin: 0, and the sums of how often its number
/// is among the rows of all parts.
bool SourceReader::readSplits(Value splits, NodeOp split) {
  NodeOp all = pattern.expect(splits, "ConcatV2", 3);
  if (!all || !pattern.expectIntegers(all.getInputs()[0], {0}) ||
      !getShape(all.getInputs()[0], 1) ||
      !pattern.expectIntegers(all.getInputs()[2], {0}))
    return false;
  NodeOp sums = pattern.expect(all.getInputs()[1], "Cumsum", 2);
  if (!sums || !pattern.expectIntegers(sums.getInputs()[1], {0}) ||
      !pattern.expectZero(sums, {"exclusive", "reverse"}))
    return false;
  NodeOp counts = pattern.expect(sums.getInputs()[0], "DenseBincount", 3);
  if (!counts || !pattern.expectIntegers(counts.getInputs()[2], {}) ||
      !pattern.expectZero(counts, {"binary_output"}))
    return false;
  NodeOp list = pattern.expect(counts.getInputs()[0], "Reshape", 2);
  if (!list || !pattern.expectIntegers(list.getInputs()[1], {-1}))
    return false;
  Value rows = skipCast(list.getInputs()[0]);
  Value places = pattern.expectFirstColumn(rows);
  if (!places || !pattern.expectSame(places, split->getResult(0)))
    return false;
  // How many there are, whatever else it is compared with.
  NodeOp least = pattern.expect(counts.getInputs()[1], "Minimum", 2);
  NodeOp most =
      least ? pattern.expect(least.getInputs()[1], "Maximum", 2) : NodeOp();
  if (!most || !pattern.expectSame(least.getInputs()[0], most.getInputs()[0]))
    return false;
  Value shape = pattern.expectElement(skipCast(least.getInputs()[0]), 0);
  return shape && pattern.expectSame(shape, split->getResult(2));
}

/// A vector that was made a matrix of one column is taken as it is.
bool SourceReader::setValues(Value values) {
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
bool SourceReader::readBuckets(const SparseValues &ids) {
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
bool SourceReader::readPositions(const SparseValues &ids, Value batch,
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

bool col::readSource(const SparseValues &ids, GraphColumn &column,
                     GraphPattern &pattern) {
  GraphColumn before = column;
  if (SourceReader(column, pattern).read(ids))
    return true;
  column = before;
  return false;
}
