//===- CoordinateOrder.cpp - What is not lowered of arrays in formats -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "ember/Dialect/CIN/IR/CoordinateOrder.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

LogicalResult EvaluationLowering::checkOrder() {
  WalkResult walk = evaluate.getRegion().walk([&](AccessOp access) {
    auto type = dyn_cast<ArrayType>(access.getArray().getType());
    if (!type || !type.getFormat().getEncoding())
      return WalkResult::advance();
    access.emitError() << "reads an element of "
                       << evaluate.getNameOf(access.getArray())
                       << ", which is encoded: --cin-expand-encodings decodes "
                          "it first";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (std::optional<Disorder> disorder = findDisorder(evaluate))
    return disorder->op->emitError()
           << disorder->message
           << ": sort its coordinates, and leave 'unordered' out of its "
              "format";
  return success();
}
