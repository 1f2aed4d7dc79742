//===- ScatterPlaces.cpp - Where scatters combine elements ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScatterPlaces.h"

#include "ember/Dialect/CIN/Transforms/GroupedPlaces.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

std::optional<GroupedPlaces> ember::cin::parseGroupedPlaces(StringRef text) {
  auto [array, rest] = text.split('[');
  GroupedPlaces places{array.str(), {}};
  bool isRow = text.contains('[');
  if (array.empty() || (isRow && !rest.consume_back("]")))
    return std::nullopt;
  SmallVector<StringRef> numbers;
  if (isRow)
    rest.split(numbers, ',');
  for (StringRef number : numbers)
    if (number.trim().getAsInteger(10, places.row.emplace_back()) ||
        places.row.back() < 0)
      return std::nullopt;
  return places;
}

std::optional<Places> ember::cin::findPlaces(EvaluateOp evaluate,
                                             StringRef text) {
  std::optional<GroupedPlaces> given = parseGroupedPlaces(text);
  for (BlockArgument array : evaluate.getBody()->getArguments()) {
    auto type = dyn_cast<MemRefType>(array.getType());
    if (given && type && type.getElementType().isSignlessInteger() &&
        type.getRank() == static_cast<int64_t>(given->row.size()) + 1 &&
        !evaluate.isInit(array) && evaluate.getNamesAttr() &&
        evaluate.getNameOf(array) == given->array)
      return Places{array, given->row};
  }
  return std::nullopt;
}

/// The number that an index always is.
static std::optional<int64_t> getNumber(Value index) {
  auto apply = index.getDefiningOp<ApplyOp>();
  if (apply && apply.getMap().isSingleConstant())
    return apply.getMap().getSingleConstantResult();
  return std::nullopt;
}

std::optional<Places> ember::cin::getElementOf(AccessOp access,
                                               BlockArgument variable) {
  auto array = dyn_cast<BlockArgument>(access.getArray());
  OperandRange indices = access.getIndices();
  if (!array || indices.empty() || indices.back() != variable)
    return std::nullopt;
  Places places{array, {}};
  for (Value index : indices.drop_back()) {
    std::optional<int64_t> number = getNumber(index);
    if (!number)
      return std::nullopt;
    places.row.push_back(*number);
  }
  return places;
}

std::string ember::cin::spell(const Places &places, EvaluateOp evaluate) {
  std::string name = evaluate.getNameOf(places.array);
  for (int64_t number : places.row)
    name += "_" + std::to_string(number);
  return name;
}

Value ember::cin::getNarrow(Value value) {
  while (auto call = value.getDefiningOp<CallOp>()) {
    if (!call.getFunction().is("convert"))
      return value;
    auto from = dyn_cast<IntegerType>(call.getOperands().front().getType());
    auto to = dyn_cast<IntegerType>(call.getType());
    if (!from || !to || from.getWidth() > to.getWidth() || from.getWidth() == 1)
      return value;
    value = call.getOperands().front();
  }
  return value;
}
