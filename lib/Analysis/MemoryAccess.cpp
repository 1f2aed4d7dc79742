//===- MemoryAccess.cpp - One access to memory, whatever its operation ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/SameValue.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ember {

std::optional<MemoryAccess> MemoryAccess::of(Operation *op) {
  MemoryAccess access;
  access.op = op;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    access.memref = load.getMemRef();
    access.indices = load.getIndices();
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    access.memref = store.getMemRef();
    access.indices = store.getIndices();
    access.stored = store.getValueToStore();
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    access.memref = load.getBase();
    access.indices = load.getIndices();
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    access.memref = store.getBase();
    access.indices = store.getIndices();
    access.stored = store.getValueToStore();
  } else if (auto load = dyn_cast<vector::MaskedLoadOp>(op)) {
    access.memref = load.getBase();
    access.indices = load.getIndices();
    access.mask = load.getMask();
    access.passThrough = load.getPassThru();
  } else if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
    access.memref = store.getBase();
    access.indices = store.getIndices();
    access.mask = store.getMask();
    access.stored = store.getValueToStore();
  } else {
    return std::nullopt;
  }
  access.type =
      access.stored ? access.stored.getType() : op->getResult(0).getType();
  return access;
}

int64_t MemoryAccess::extent(int64_t dim) const {
  auto vector = dyn_cast<VectorType>(type);
  auto memrefType = cast<MemRefType>(memref.getType());
  if (!vector || isa<VectorType>(memrefType.getElementType()))
    return 1;
  int64_t position = dim - (memrefType.getRank() - vector.getRank());
  return position < 0 ? 1 : vector.getDimSize(position);
}

bool forEachMemRefEffect(
    Operation *op, llvm::function_ref<void(Value memref, bool isWrite)> note) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value value = instance.getValue();
    if (!value || !isa<MemRefType>(value.getType()))
      return false;
    note(value, !isa<MemoryEffects::Read>(instance.getEffect()));
  }
  return true;
}

bool isSameAddress(const MemoryAccess &a, const MemoryAccess &b,
                   IndexExprs &exprs) {
  return a.memref == b.memref && a.type == b.type && a.mask == b.mask &&
         areSameValues(a.indices, b.indices, exprs);
}

bool areDisjoint(const MemoryAccess &a, const MemoryAccess &b,
                 IndexExprs &exprs) {
  if (a.memref != b.memref)
    return false;
  for (unsigned dim = 0; dim < a.indices.size(); ++dim) {
    std::optional<int64_t> distance =
        (exprs.of(b.indices[dim]) - exprs.of(a.indices[dim])).asConstant();
    // Beyond 2^62, a distance may be a short one that wrapped around.
    constexpr int64_t limit = int64_t(1) << 62;
    if (!distance || *distance <= -limit || *distance >= limit)
      continue;
    if (*distance >= a.extent(dim) || -*distance >= b.extent(dim))
      return true;
  }
  return false;
}

} // namespace ember
