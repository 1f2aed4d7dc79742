//===- GraphPattern.cpp - Nodes that are what they have to be -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPattern.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace ember;
using namespace ember::col;

Value col::skipIdentities(Value value) {
  while (NodeOp node = findNode(value, "Identity", 1))
    value = node.getInputs().front();
  return value;
}

NodeOp col::findNode(Value value, StringRef kind, unsigned operands,
                     unsigned result) {
  auto node = value.getDefiningOp<NodeOp>();
  if (!node || node.getKind() != kind || node.getEffects() != Effects::pure ||
      node.getInputs().size() != operands || node->getNumResults() <= result ||
      node->getResult(result) != value)
    return {};
  return node;
}

RankedTensorType col::getShape(Value value, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == rank ? type : RankedTensorType();
}

std::optional<SmallVector<int64_t>> col::getIntegers(Value value) {
  value = skipIdentities(value);
  if (NodeOp cast = findNode(value, "Cast", 1)) {
    auto to = cast.getSettings().getAs<TypeAttr>("DstT");
    auto type = to ? dyn_cast<IntegerType>(to.getValue()) : IntegerType();
    if (!type || !type.isSignless() || type.getWidth() < 32)
      return std::nullopt;
    std::optional<SmallVector<int64_t>> integers =
        getIntegers(cast.getInputs().front());
    if (integers && type.getWidth() == 32 &&
        !llvm::all_of(*integers, llvm::isInt<32>))
      return std::nullopt;
    return integers;
  }
  NodeOp constant = findNode(value, "Const", 0);
  if (!constant)
    return std::nullopt;
  auto elements = constant.getSettings().getAs<DenseIntElementsAttr>("value");
  constexpr int64_t most = 1024;
  if (!elements || elements.getType().getRank() > 1 ||
      elements.getNumElements() > most ||
      !(elements.getElementType().isSignlessInteger(32) ||
        elements.getElementType().isSignlessInteger(64)))
    return std::nullopt;
  return llvm::map_to_vector(
      elements, [](const APInt &integer) { return integer.getSExtValue(); });
}

std::optional<StringRef> col::getText(Value value) {
  NodeOp constant = findNode(skipIdentities(value), "Const", 0);
  auto texts =
      constant ? constant.getSettings().getAs<DenseStringElementsAttr>("value")
               : nullptr;
  if (!texts || texts.getType().getRank() != 0)
    return std::nullopt;
  return texts.getRawStringData().front();
}

Value col::skipCast(Value value) {
  value = skipIdentities(value);
  NodeOp cast = findNode(value, "Cast", 1);
  auto to = cast ? cast.getSettings().getAs<TypeAttr>("DstT") : TypeAttr();
  if (!to || !(to.getValue().isSignlessInteger(32) ||
               to.getValue().isSignlessInteger(64)))
    return value;
  auto from = getElementTypeOrSelf(cast.getInputs()[0].getType());
  // Sizes and numbers of rows fit 32 bits, or memory would not hold the rows.
  if (!from.isSignlessInteger(32) && !from.isSignlessInteger(64))
    return value;
  return skipIdentities(cast.getInputs()[0]);
}

bool col::hasSetting(NodeOp node, StringRef name, int64_t value) {
  Attribute setting = node.getSettings().get(name);
  auto number = dyn_cast_if_present<IntegerAttr>(setting);
  return !setting || (number && number.getValue().getSExtValue() == value);
}

static std::string describe(Value value) {
  if (auto node = value.getDefiningOp<NodeOp>())
    return ("'" + node.getLabel() + "' (" + node.getKind() + ")").str();
  return isa<BlockArgument>(value) ? "an argument" : "no node";
}

bool GraphPattern::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return false;
}

bool GraphPattern::fail(Value value, const Twine &why) {
  return fail(describe(skipIdentities(value)) + " " + why);
}

NodeOp GraphPattern::expect(Value value, StringRef kind, unsigned operands,
                            unsigned result) {
  value = skipIdentities(value);
  NodeOp node = findNode(value, kind, operands, result);
  if (!node)
    fail(value,
         "stands where columns have result " + Twine(result) + " of " + kind);
  return node;
}

bool GraphPattern::expectIntegers(Value value, ArrayRef<int64_t> integers) {
  std::optional<SmallVector<int64_t>> found = getIntegers(value);
  if (found && ArrayRef(*found) == integers)
    return true;
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(integers, out);
  return fail(value, "stands where columns have the constant " + text);
}

/// The elements of a constant that is one element.
static DenseElementsAttr getElement(Value value) {
  NodeOp constant = findNode(skipIdentities(value), "Const", 0);
  auto elements = constant
                      ? constant.getSettings().getAs<DenseElementsAttr>("value")
                      : DenseElementsAttr();
  return elements && elements.getType().getRank() == 0 ? elements
                                                       : DenseElementsAttr();
}

bool GraphPattern::expectNumber(Value value, double number) {
  auto elements = dyn_cast_if_present<DenseFPElementsAttr>(getElement(value));
  if (elements &&
      (*elements.value_begin<APFloat>()).convertToDouble() == number)
    return true;
  return fail(value,
              "stands where columns have the number " + Twine(int(number)));
}

bool GraphPattern::expectTrue(Value value) {
  DenseElementsAttr elements = getElement(value);
  if (elements && elements.getElementType().isInteger(1) &&
      *elements.value_begin<bool>())
    return true;
  return fail(value, "stands where columns have true");
}

bool GraphPattern::expectSame(Value one, Value other) {
  if (skipIdentities(one) == skipIdentities(other))
    return true;
  return fail(one,
              "stands where columns have " + describe(skipIdentities(other)));
}

bool GraphPattern::expectZero(NodeOp node, ArrayRef<StringRef> settings) {
  for (StringRef setting : settings)
    if (!hasSetting(node, setting, 0))
      return fail(node->getResult(0), "has another '" + setting + "' than 0");
  return true;
}

bool GraphPattern::expectGather(Value value, Value &of, Value &indices) {
  NodeOp gather = expect(value, "GatherV2", 3);
  if (!gather || !expectIntegers(gather.getInputs()[2], {0}) ||
      !expectZero(gather, {"batch_dims"}))
    return false;
  of = gather.getInputs()[0];
  indices = gather.getInputs()[1];
  return true;
}

Value GraphPattern::expectElement(Value value, int64_t index) {
  NodeOp slice = expect(value, "StridedSlice", 4);
  if (!slice || !expectIntegers(slice.getInputs()[1], {index}) ||
      !expectIntegers(slice.getInputs()[2], {index + 1}) ||
      !expectIntegers(slice.getInputs()[3], {1}) ||
      !expectZero(slice,
                  {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask"}))
    return {};
  if (!slice.getSettings().get("shrink_axis_mask") ||
      !hasSetting(slice, "shrink_axis_mask", 1)) {
    fail(value, "makes a list of one element");
    return {};
  }
  return slice.getInputs()[0];
}

Value GraphPattern::expectFirstColumn(Value value) {
  NodeOp slice = expect(value, "StridedSlice", 4);
  if (!slice || !expectIntegers(slice.getInputs()[1], {0, 0}) ||
      !expectIntegers(slice.getInputs()[2], {0, 1}) ||
      !expectIntegers(slice.getInputs()[3], {1, 1}) ||
      !expectZero(slice, {"ellipsis_mask", "new_axis_mask"}))
    return {};
  for (auto [mask, bits] :
       {std::pair("begin_mask", 1), std::pair("end_mask", 1),
        std::pair("shrink_axis_mask", 2)})
    if (!slice.getSettings().get(mask) || !hasSetting(slice, mask, bits)) {
      fail(value, "is not the first column");
      return {};
    }
  return slice.getInputs()[0];
}
