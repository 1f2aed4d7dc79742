//===- GraphPattern.cpp - Nodes that are what they have to be -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPattern.h"

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

bool col::hasSetting(NodeOp node, StringRef name, int64_t value) {
  Attribute setting = node.getSettings().get(name);
  auto number = dyn_cast_if_present<IntegerAttr>(setting);
  return !setting || (number && number.getValue().getSExtValue() == value);
}

static std::string getText(Value value) {
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
  return fail(getText(skipIdentities(value)) + " " + why);
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

bool GraphPattern::expectSame(Value one, Value other) {
  if (skipIdentities(one) == skipIdentities(other))
    return true;
  return fail(one,
              "stands where columns have " + getText(skipIdentities(other)));
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
