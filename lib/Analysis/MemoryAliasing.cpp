//===- MemoryAliasing.cpp - What a loop nest reads and may write ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Analysis/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember;

namespace {
/// The buffer a memref is a view of, and the `memref.distinct_objects` results
/// on the way there.
struct Source {
  Value buffer;
  SmallVector<OpResult, 1> distinct;
};
} // namespace

static Source findSource(Value memref) {
  Source source{memref, {}};
  while (Value viewed = getViewedMemRef(source.buffer)) {
    if (source.buffer.getDefiningOp<memref::DistinctObjectsOp>())
      source.distinct.push_back(cast<OpResult>(source.buffer));
    source.buffer = viewed;
  }
  return source;
}

/// The number of a function's memref argument; nullopt for everything else,
/// such as the arguments of blocks that the function branches to.
static std::optional<unsigned> asArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner()->isEntryBlock() &&
      isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return argument.getArgNumber();
  return std::nullopt;
}

static bool isAllocated(Value value) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
      value.getDefiningOp());
}

/// True if `value` is all of a buffer that is known by this value only; the
/// result of a branch or a call may be any buffer.
static bool isIdentified(Value value) {
  return isAllocated(value) || asArgument(value);
}

MemoryAliasing::MemoryAliasing(ModuleOp module, bool mayAlias)
    : mayAlias(mayAlias) {
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    else if (auto constant = dyn_cast<func::ConstantOp>(op))
      calledIndirectly.insert(constant.getValueAttr().getAttr());
  });
}

bool MemoryAliasing::argumentsAlias(func::FuncOp func, unsigned a,
                                    unsigned b) const {
  if (mayAlias || calledIndirectly.contains(func.getSymNameAttr()))
    return true;
  auto found = calls.find(func.getSymNameAttr());
  if (found == calls.end())
    return false;
  return llvm::any_of(found->second, [&](func::CallOp call) {
    Value passedA = findSource(call.getOperand(a)).buffer;
    Value passedB = findSource(call.getOperand(b)).buffer;
    if (passedA == passedB)
      return true;
    if (!isIdentified(passedA) || !isIdentified(passedB))
      return true;
    if (isAllocated(passedA) || isAllocated(passedB))
      return false;
    // A caller's own arguments were checked where they came in, or are
    // themselves judged by that caller's callers; recursion stops at one step
    // by taking those as distinct only if nobody in the module calls it.
    auto caller = call->getParentOfType<func::FuncOp>();
    return !caller || calls.contains(caller.getSymNameAttr()) ||
           calledIndirectly.contains(caller.getSymNameAttr());
  });
}

bool MemoryAliasing::alias(Value a, Value b) const {
  if (a == b)
    return true;
  Source left = findSource(a), right = findSource(b);
  for (OpResult one : left.distinct)
    for (OpResult other : right.distinct)
      if (one.getOwner() == other.getOwner() && one != other)
        return false;
  if (left.buffer == right.buffer)
    return true;
  std::optional<unsigned> leftArgument = asArgument(left.buffer);
  std::optional<unsigned> rightArgument = asArgument(right.buffer);
  if (leftArgument && rightArgument) {
    auto func = cast<func::FuncOp>(left.buffer.getParentBlock()->getParentOp());
    return argumentsAlias(func, *leftArgument, *rightArgument);
  }
  auto leftType = cast<ShapedType>(left.buffer.getType());
  auto rightType = cast<ShapedType>(right.buffer.getType());
  if (!mayAlias && leftType.getElementType() != rightType.getElementType())
    return false;
  return !isIdentified(left.buffer) || !isIdentified(right.buffer);
}

NestMemory::NestMemory(Operation *root, const MemoryAliasing &aliasing)
    : aliasing(aliasing) {
  root->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op))
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects && op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    if (!effects) {
      unknown = op;
      return WalkResult::interrupt();
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      if (isa<MemoryEffects::Read, MemoryEffects::Allocate>(
              instance.getEffect()))
        continue;
      // What a pointer points to may be any memref's memory.
      Value value = instance.getValue();
      if (!value || !isa<BaseMemRefType>(value.getType())) {
        unknown = op;
        return WalkResult::interrupt();
      }
      written.push_back(value);
    }
    return WalkResult::advance();
  });
}

bool NestMemory::isReadOnly(Value memref) const {
  return !unknown && llvm::none_of(written, [&](Value other) {
    return aliasing.alias(memref, other);
  });
}
