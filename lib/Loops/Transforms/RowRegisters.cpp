//===- RowRegisters.cpp - What of a row registers hold --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowRegisters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ember::loops {

int64_t registersFor(Type type, int64_t vectorBits) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return 1;
  if (vectorBits <= 0 || !vector.getElementType().isIntOrFloat())
    return vector.getNumElements();
  return llvm::divideCeil(
      vector.getNumElements() * vector.getElementTypeBitWidth(), vectorBits);
}

/// Whether an access of `inner` goes to the same address in every iteration of
/// `outer`, for a given iteration of `inner`.
static bool isKeptAcross(const MemoryAccess &access, scf::ForOp inner,
                         scf::ForOp outer) {
  // What is computed in the inner loop changes with it; what enters the address
  // from outside of it must come from outside of the outer loop too.
  SmallVector<Value> pending(access.indices);
  pending.push_back(access.memref);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (outer.isDefinedOutsideOfLoop(value) || value == inner.getInductionVar())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != inner.getBody() || !isPure(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

SmallVector<MemoryAccess> findAccumulators(scf::ForOp inner, scf::ForOp outer) {
  SmallVector<MemoryAccess> stores;
  for (Operation &op : inner.getBody()->without_terminator()) {
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    if (access && access->isStore() && isKeptAcross(*access, inner, outer))
      stores.push_back(*access);
  }
  return stores;
}

/// Whether a value is looked up in `outer`, or a cast of what is.
static bool isLookedUp(Value value, scf::ForOp outer) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != outer.getBody())
    return false;
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return isLookedUp(cast.getIn(), outer);
  return isa<memref::LoadOp>(op);
}

SmallVector<MemoryAccess> findSelectedRow(scf::ForOp inner, scf::ForOp outer) {
  SmallVector<MemoryAccess> stores;
  for (Operation &op : inner.getBody()->without_terminator()) {
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    if (!access || !access->isStore())
      continue;
    bool isSelected = isa<VectorType>(access->type) &&
                      llvm::any_of(access->indices, [&](Value index) {
                        return isLookedUp(index, outer);
                      });
    // A sum over the loop stays in its register.
    bool isSum = llvm::all_of(access->indices, [&](Value index) {
      return inner.isDefinedOutsideOfLoop(index);
    });
    if (!isSelected || isSum)
      return {};
    stores.push_back(*access);
  }
  return stores;
}

RowRegisters::RowRegisters(scf::ForOp inner,
                           ArrayRef<MemoryAccess> accumulators,
                           int64_t vectorBits) {
  for (const MemoryAccess &access : accumulators)
    each += registersFor(access.type, vectorBits);
  // One operation takes its row from memory; a longer computation has values of
  // its own.
  int64_t computed = 0;
  for (Operation &op : inner.getBody()->without_terminator())
    if (op.getNumResults() == 1 && !MemoryAccess::of(&op) &&
        op.getResult(0).getType() == accumulators.front().type) {
      temporaries += registersFor(op.getResult(0).getType(), vectorBits);
      ++computed;
    }
  if (computed <= 1)
    temporaries = 0;
}

} // namespace ember::loops
