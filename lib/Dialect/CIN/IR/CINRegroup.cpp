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
  if (assemble.getCounting() || assemble.getLocating() ||
      assemble.getEncoding())
    return "its values are not what is stored";
  ArrayRef<Level> levels = assemble.getType().getFormat().getLevels();
  if (levels.size() != 2)
    return "it has not two dimensions";
  if (!levels[1].isListed())
    return "its last level is no list of coordinates";
  bool isOrdered =
      levels[0].kind == LevelKind::dense ||
      (levels[0].kind == LevelKind::compressed && levels[0].isOrdered);
  return isOrdered ? "" : "its outer level is not ordered";
}

FormatAttr RegroupOp::getFormatOf(FormatAttr format) {
  Level dense, listed{LevelKind::compressed};
  unsigned order[] = {format.getDimensionOf(1), format.getDimensionOf(0)};
  return FormatAttr::get(format.getContext(), {dense, listed}, order,
                         format.getFill(), format.getStoresFill());
}

LogicalResult RegroupOp::verify() {
  if (StringRef obstacle = findObstacle(getArray()); !obstacle.empty())
    return emitOpError("cannot copy the array: ") << obstacle;
  auto assemble = getArray().getDefiningOp<AssembleOp>();
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
  if (element != given.getElementType())
    return emitOpError() << "has values of " << element << " for an array of "
                         << given.getElementType();
  return success();
}
