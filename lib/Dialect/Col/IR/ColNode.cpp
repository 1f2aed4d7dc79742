//===- ColNode.cpp - Nodes of TensorFlow's graphs -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Col/IR/Col.h"

using namespace mlir;
using namespace ember::col;

void NodeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getEffects() == Effects::pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get(),
                       SideEffects::DefaultResource::get());
  if (getEffects() == Effects::changes)
    effects.emplace_back(MemoryEffects::Write::get(),
                         SideEffects::DefaultResource::get());
}

LogicalResult NodeOp::verify() {
  if (getKind().empty())
    return emitOpError("names no operator of TensorFlow");
  if (getOutputs() && getOutputs()->size() != getNumResults())
    return emitOpError() << "has names of " << getOutputs()->size()
                         << " outputs and " << getNumResults() << " results";
  return success();
}
