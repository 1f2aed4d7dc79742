//===- Buffers.cpp - What memrefs stand on --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/Buffers.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace ember;

Value ember::getViewedMemRef(Value memref) {
  Operation *op = memref.getDefiningOp();
  if (auto view = dyn_cast_if_present<ViewLikeOpInterface>(op))
    return view.getViewSource();
  // Upstream has not given it the interface.
  if (auto transpose = dyn_cast_if_present<memref::TransposeOp>(op))
    return transpose.getIn();
  if (isa_and_nonnull<memref::DistinctObjectsOp>(op))
    return op->getOperand(cast<OpResult>(memref).getResultNumber());
  return dlc::getCaptured(memref);
}

Value ember::getBuffer(Value memref) {
  while (Value source = getViewedMemRef(memref))
    memref = source;
  return memref;
}
