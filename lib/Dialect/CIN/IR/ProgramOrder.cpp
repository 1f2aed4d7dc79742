//===- ProgramOrder.cpp - Uses in the order of the program ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/ProgramOrder.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"

using namespace mlir;

/// An operation and those around it, the outermost first.
static SmallVector<Operation *> getNest(Operation *op) {
  SmallVector<Operation *> nest;
  for (; op; op = op->getParentOp())
    nest.push_back(op);
  std::reverse(nest.begin(), nest.end());
  return nest;
}

/// Whether `a` stands before `b`, both in regions of one operation.
static bool isBeforeBeside(Operation *a, Operation *b) {
  Block *first = a->getBlock(), *second = b->getBlock();
  // What stands nowhere yet has no order.
  if (!first || !second)
    return false;
  if (first == second)
    return a->isBeforeInBlock(b);
  Region *region = first->getParent();
  if (region != second->getParent())
    return region->getRegionNumber() < second->getParent()->getRegionNumber();
  return llvm::find_if(*region, [&](Block &block) {
           return &block == first || &block == second;
         }) == first->getIterator();
}

/// Whether `a` begins before `b` in the text of the program.
static bool isBefore(Operation *a, Operation *b) {
  SmallVector<Operation *> nestOfA = getNest(a), nestOfB = getNest(b);
  auto [mine, other] = std::mismatch(nestOfA.begin(), nestOfA.end(),
                                     nestOfB.begin(), nestOfB.end());
  // One that is around the other begins first.
  if (mine == nestOfA.end() || other == nestOfB.end())
    return mine == nestOfA.end() && other != nestOfB.end();
  return isBeforeBeside(*mine, *other);
}

SmallVector<OpOperand *> ember::cin::getUsesInOrder(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    uses.push_back(&use);
  llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
    if (a->getOwner() == b->getOwner())
      return a->getOperandNumber() < b->getOperandNumber();
    return isBefore(a->getOwner(), b->getOwner());
  });
  return uses;
}

SmallVector<Operation *> ember::cin::getUsersInOrder(Value value) {
  return llvm::map_to_vector(getUsesInOrder(value),
                             [](OpOperand *use) { return use->getOwner(); });
}
