//===- CINReserve.cpp - Room for arrays of an evaluation ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"

using namespace mlir;
using namespace ember::cin;

LogicalResult ReserveOp::verify() {
  auto counted = getCounted().getDefiningOp<AssembleOp>();
  if (!counted || !counted.getCounting())
    return emitOpError("is for an array that nothing is counted of");
  FormatAttr format = counted.getType().getFormat();
  if (getArrays().size() != format.countLevelArrays() + 1)
    return emitOpError() << "has " << getArrays().size() << " arrays for "
                         << format.countLevelArrays()
                         << " of levels, and one of values";
  bool onTensors = isa<TensorType>(counted.getValues().getType());
  for (Value array : getArrays()) {
    auto type = cast<ShapedType>(array.getType());
    if (isa<TensorType>(type) != onTensors)
      return emitOpError() << "has an array of type " << type
                           << ", and the counts are of "
                           << counted.getValues().getType();
    if (!type.isDynamicDim(0))
      return emitOpError() << "has an array of type " << type
                           << ", of which nobody knows the size";
  }
  return success();
}
