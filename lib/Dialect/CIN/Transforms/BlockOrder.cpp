//===- BlockOrder.cpp - Loops around blocks that are looked up ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of `y[w,q,e] = sum[j,t](P[w,q,j*16+t] * V[I[w,j],t,e])` each block of V is
// read for all `q` that it is multiplied with, while a cache near the processor
// has it, and its number once: w, j, q, t, e.
//
//===----------------------------------------------------------------------===//

#include "OrderChoice.h"

using namespace mlir;
using namespace ember::cin;

/// The lookup that an index is computed of; null if there is none.
static AccessOp findLookup(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op)
    return nullptr;
  if (auto access = dyn_cast<AccessOp>(op))
    return access;
  for (Value operand : op->getOperands())
    if (AccessOp found = findLookup(operand))
      return found;
  return nullptr;
}

/// The order for the blocks that an access reads: none if it looks nothing up,
/// or single rows, or if all else depends on them.
static std::optional<OrderChoice::Order>
findOrderFor(AccessOp access, ArrayRef<BlockArgument> order,
             VariableUses &uses) {
  AccessOp lookup;
  size_t dimension = 0;
  for (auto [number, index] : llvm::enumerate(access.getIndices()))
    if (AccessOp found = findLookup(index)) {
      lookup = found;
      dimension = number;
    }
  if (!lookup)
    return std::nullopt;
  auto decidesOn = [&](OperandRange indices, BlockArgument variable) {
    return llvm::any_of(
        indices, [&](Value index) { return uses.depends(index, variable); });
  };
  OperandRange outer = access.getIndices().take_front(dimension + 1),
               inner = access.getIndices().drop_front(dimension + 1);
  OrderChoice::Order ofLookup, others, ofBlock;
  for (BlockArgument variable : order) {
    bool isReduced = isa<ReduceOp>(variable.getOwner()->getParentOp());
    // Which block it is.
    if (decidesOn(outer, variable))
      ofLookup.push_back(variable);
    else if (decidesOn(inner, variable))
      ofBlock.push_back(variable);
    else if (isReduced)
      return std::nullopt;
    else
      others.push_back(variable);
  }
  bool isOfRows = llvm::is_contained(ofBlock, access.getIndices().back());
  if (ofBlock.size() < 2 || others.empty() || !isOfRows)
    return std::nullopt;
  llvm::append_range(ofLookup, others);
  llvm::append_range(ofLookup, ofBlock);
  return ofLookup;
}

std::optional<OrderChoice::Order>
ember::cin::findBlockOrder(ForallOp statement, AssignOp assign,
                           ArrayRef<BlockArgument> order) {
  if (!assign.getValue().getDefiningOp<ReduceOp>())
    return std::nullopt;
  VariableUses uses;
  std::optional<OrderChoice::Order> found;
  statement.walk([&](AccessOp access) {
    found = findOrderFor(access, order, uses);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
