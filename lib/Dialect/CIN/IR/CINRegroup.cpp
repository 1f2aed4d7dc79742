//===- CINRegroup.cpp - Copies of arrays by other levels ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

using namespace mlir;
using namespace ember::cin;

StringRef RegroupOp::findObstacle(Value array) {
  auto assemble = array.getDefiningOp<AssembleOp>();
  if (!assemble)
    return "it is no cin.assemble";
  if (assemble.getCounting() || assemble.getEncoding())
    return "its values are not what is stored";
  ArrayRef<Level> levels = assemble.getType().getFormat().getLevels();
  if (llvm::none_of(levels,
                    [](const Level &level) { return level.isListed(); }))
    return "none of its levels is a list of coordinates";
  return "";
}

Type RegroupOp::getElementTypeOf(AssembleOp array) {
  return array.getLocating()
             ? IndexType::get(array.getContext())
             : getElementTypeOrSelf(array.getValues().getType());
}

size_t RegroupOp::countCoordinates(size_t rank) {
  return std::max<size_t>(rank - 1, 1);
}

FormatAttr RegroupOp::getFormatOf(FormatAttr format, ArrayRef<int64_t> order) {
  SmallVector<Level> levels(order.size(), Level{LevelKind::singleton});
  levels[0].kind = LevelKind::dense;
  levels[order.size() > 1 ? 1 : 0].kind = LevelKind::compressed;
  for (size_t number = 1; number + 1 < order.size(); ++number)
    levels[number].isUnique = false;
  return FormatAttr::get(format.getContext(), levels,
                         SmallVector<unsigned>(order.begin(), order.end()),
                         format.getFill(), format.getStoresFill());
}

/// Whether what a format stores is sorted by some dimensions, one after the
/// other, among elements that are equal in all the others.
static bool isSortedBy(FormatAttr format, ArrayRef<int64_t> dimensions) {
  ArrayRef<Level> levels = format.getLevels();
  const auto *next = dimensions.begin();
  for (auto [number, level] : llvm::enumerate(levels)) {
    if (next == dimensions.end())
      return true;
    bool isNext = format.getDimensionOf(number) == *next;
    // Equal coordinates of what is neither are anywhere.
    if (!level.isOrdered && (isNext || !level.isUnique))
      return false;
    next += isNext ? 1 : 0;
  }
  return next == dimensions.end();
}

SmallVector<unsigned> RegroupOp::getSortedDimensions(FormatAttr format,
                                                     ArrayRef<int64_t> order) {
  SmallVector<unsigned> sorted;
  size_t count = 1;
  while (!isSortedBy(format, order.drop_front(count)))
    ++count;
  // The last one counts most.
  for (int64_t dimension : llvm::reverse(order.take_front(count)))
    sorted.push_back(static_cast<unsigned>(dimension));
  return sorted;
}

LogicalResult RegroupOp::verify() {
  if (StringRef obstacle = findObstacle(getArray()); !obstacle.empty())
    return emitOpError("cannot copy the array: ") << obstacle;
  auto assemble = getArray().getDefiningOp<AssembleOp>();
  auto rank = static_cast<size_t>(assemble.getType().getRank());
  SmallVector<int64_t> dimensions(getOrder());
  llvm::sort(dimensions);
  if (!llvm::equal(dimensions, llvm::seq<int64_t>(rank)))
    return emitOpError() << "has an order that is none of the " << rank
                         << " dimensions of the array";
  if (getCoordinates().size() != countCoordinates(rank))
    return emitOpError() << "has " << getCoordinates().size()
                         << " results of coordinates for an array of " << rank
                         << " dimensions";
  auto given = cast<ShapedType>(assemble.getValues().getType());
  for (Value result : getResults()) {
    auto type = cast<ShapedType>(result.getType());
    if (isa<TensorType>(type) != isa<TensorType>(given))
      return emitOpError() << "has a result of type " << type
                           << ", and the array's values are of " << given;
    if (!type.isDynamicDim(0))
      return emitOpError() << "has a result of type " << type
                           << ", of which nobody knows the size";
  }
  Type element = getElementTypeOrSelf(getValues().getType());
  if (Type expected = getElementTypeOf(assemble); element != expected)
    return emitOpError() << "has values of " << element << " for an array of "
                         << expected;
  return success();
}
