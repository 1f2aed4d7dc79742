//===- Captures.cpp - What half a program captures -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"

#include "ember/Dialect/DLC/IR/DLC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;

/// True if a program rather computes the results of `op` again: what it is
/// matters to checks and optimisations, and it costs nothing.
static bool isRepeated(Operation *op) {
  return op && (op->hasTrait<OpTrait::ConstantLike>() ||
                isa<memref::DimOp, memref::CastOp>(op));
}

Captures::Captures(Region &region) {
  region.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &region.front())
        used.insert(operand);
  });
  for (Value argument : used)
    add(dlc::getCaptured(argument));
}

void Captures::add(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isRepeated(op)) {
    values.insert(value);
    return;
  }
  for (Value operand : op->getOperands())
    add(operand);
  repeated.insert(op);
}

void Captures::map(OpBuilder &builder, ValueRange arguments,
                   IRMapping &mapping) const {
  for (auto [value, argument] : llvm::zip(values, arguments))
    mapping.map(value, argument);
  for (Operation *op : repeated)
    builder.clone(*op, mapping);
  for (Value argument : used)
    mapping.map(argument, mapping.lookup(dlc::getCaptured(argument)));
}
