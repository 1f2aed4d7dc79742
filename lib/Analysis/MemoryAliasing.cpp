//===- MemoryAliasing.cpp - What a loop nest reads and may write ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Analysis/Buffers.h"
#include "ember/Dialect/Ember/IR/Ember.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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

/// The name of the global that `value` is, all of it; null if it is none.
static StringAttr asGlobal(Value value) {
  auto global = value.getDefiningOp<memref::GetGlobalOp>();
  return global ? global.getNameAttr().getAttr() : StringAttr();
}

/// True if two values that are no views are one buffer: each use of a global
/// is a value of its own.
static bool isSameBuffer(Value a, Value b) {
  StringAttr global = asGlobal(a);
  return a == b || (global && global == asGlobal(b));
}

/// True if `memref`, or a view of it, is handed to other code: a function, a
/// branch, or an operation that is no access.
static bool isPassedOn(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if ((store && store.getValue() == memref) ||
        isa<CallOpInterface, UnrealizedConversionCastOp,
            memref::ExtractAlignedPointerAsIndexOp>(user) ||
        user->hasTrait<OpTrait::IsTerminator>() ||
        (!isa<MemoryEffectOpInterface>(user) && !isMemoryEffectFree(user)))
      return true;
    return llvm::any_of(user->getResults(), [](Value result) {
      return !result.getType().isIntOrIndexOrFloat() &&
             !isa<VectorType>(result.getType()) && isPassedOn(result);
    });
  });
}

/// True if `value` is all of a buffer that is known by this value only; the
/// result of a branch or a call may be any buffer.
bool MemoryAliasing::isIdentified(Value value) const {
  StringAttr global = asGlobal(value);
  return isAllocated(value) || asArgument(value) ||
         (global && (constants.contains(global) || kept.contains(global)));
}

MemoryAliasing::MemoryAliasing(ModuleOp module, bool mayAlias)
    : mayAlias(mayAlias || module->hasAttr(mayAliasAttr)) {
  for (auto global : module.getOps<memref::GlobalOp>()) {
    if (global.getConstant())
      constants.insert(global.getSymNameAttr());
    else if (global.isPrivate())
      kept.insert(global.getSymNameAttr());
  }
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      if (auto callee =
              dyn_cast_if_present<SymbolRefAttr>(call.getCallableForCallee()))
        calls[callee.getLeafReference()].push_back(call);
    } else if (auto constant = dyn_cast<func::ConstantOp>(op))
      calledIndirectly.insert(constant.getValueAttr().getAttr());
    else if (auto global = dyn_cast<memref::GetGlobalOp>(op);
             global && isPassedOn(global))
      kept.erase(global.getNameAttr().getAttr());
  });
}

MemoryAliasing MemoryAliasing::forHints(ModuleOp module) {
  MemoryAliasing aliasing(module, /*mayAlias=*/false);
  aliasing.mayAlias = false;
  return aliasing;
}

bool MemoryAliasing::argumentsAlias(func::FuncOp func, unsigned a, unsigned b,
                                    ArgumentPairs &seen) const {
  StringAttr name = func.getSymNameAttr();
  if (mayAlias || calledIndirectly.contains(name))
    return true;
  // Functions that call each other hand on what came in somewhere else.
  if (!seen.insert({name, std::minmax(a, b)}).second)
    return false;
  auto found = calls.find(name);
  if (found == calls.end())
    return false;
  return llvm::any_of(found->second, [&](CallOpInterface call) {
    Value passedA = findSource(call.getArgOperands()[a]).buffer;
    Value passedB = findSource(call.getArgOperands()[b]).buffer;
    if (isSameBuffer(passedA, passedB))
      return true;
    if (!isIdentified(passedA) || !isIdentified(passedB))
      return true;
    std::optional<unsigned> outerA = asArgument(passedA);
    std::optional<unsigned> outerB = asArgument(passedB);
    if (!outerA || !outerB)
      return false;
    auto caller = call->getParentOfType<func::FuncOp>();
    return !caller || argumentsAlias(caller, *outerA, *outerB, seen);
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
  if (isSameBuffer(left.buffer, right.buffer))
    return true;
  if (asGlobal(left.buffer) && asGlobal(right.buffer))
    return false;
  std::optional<unsigned> leftArgument = asArgument(left.buffer);
  std::optional<unsigned> rightArgument = asArgument(right.buffer);
  if (leftArgument && rightArgument) {
    auto func = cast<func::FuncOp>(left.buffer.getParentBlock()->getParentOp());
    ArgumentPairs seen;
    return argumentsAlias(func, *leftArgument, *rightArgument, seen);
  }
  auto leftType = cast<ShapedType>(left.buffer.getType());
  auto rightType = cast<ShapedType>(right.buffer.getType());
  if (!mayAlias && leftType.getElementType() != rightType.getElementType())
    return false;
  return !isIdentified(left.buffer) || !isIdentified(right.buffer);
}

//===----------------------------------------------------------------------===//
// What a nest writes
//===----------------------------------------------------------------------===//

/// What a call writes of its caller's memory, and of globals; nullopt if that
/// is not known. `callees` are the functions on the way to it.
std::optional<SmallVector<NestMemory::Write>>
NestMemory::findWrites(CallOpInterface call, Callees &callees) {
  auto callee = dyn_cast_if_present<func::FuncOp>(call.resolveCallable());
  if (!callee || callee.isDeclaration() || llvm::is_contained(callees, callee))
    return std::nullopt;
  callees.push_back(callee);
  std::optional<SmallVector<Write>> inside = findWrites(callee, callees);
  callees.pop_back();
  if (!inside)
    return std::nullopt;
  SmallVector<Write> writes;
  for (const Write &write : *inside) {
    Value buffer = findSource(write.memref).buffer;
    std::optional<unsigned> argument = asArgument(buffer);
    if (argument)
      writes.push_back({call.getArgOperands()[*argument], call});
    else if (asGlobal(buffer))
      writes.push_back({buffer, call});
    else if (!isAllocated(buffer))
      return std::nullopt;
  }
  return writes;
}

/// What one operation writes, without its regions.
std::optional<SmallVector<NestMemory::Write>>
NestMemory::findWritesOfOne(Operation *op, Callees &callees) {
  SmallVector<Write> writes;
  if (op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) ||
      isFailure(op) || isa<cf::AssertOp, memref::PrefetchOp>(op))
    return writes;
  if (auto call = dyn_cast<CallOpInterface>(op))
    return findWrites(call, callees);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects && op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return writes;
  if (!effects)
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (isa<MemoryEffects::Read, MemoryEffects::Allocate>(instance.getEffect()))
      continue;
    // What a pointer points to may be any memref's memory.
    Value value = instance.getValue();
    if (!value || !isa<BaseMemRefType>(value.getType()))
      return std::nullopt;
    writes.push_back({value, op});
  }
  return writes;
}

/// What the regions of `root` write, or the operation whose effects are not
/// known.
std::optional<SmallVector<NestMemory::Write>>
NestMemory::findWrites(Operation *root, Callees &callees, Operation **unknown) {
  SmallVector<Write> writes;
  WalkResult result = root->walk([&](Operation *op) {
    if (op == root && isa<func::FuncOp>(root))
      return WalkResult::advance();
    std::optional<SmallVector<Write>> found = findWritesOfOne(op, callees);
    if (found) {
      llvm::append_range(writes, *found);
      return WalkResult::advance();
    }
    if (unknown)
      *unknown = op;
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return writes;
}

NestMemory::NestMemory(Operation *root, const MemoryAliasing &aliasing)
    : aliasing(aliasing) {
  SmallVector<func::FuncOp> callees;
  if (auto writes = findWrites(root, callees, &unknown))
    written = std::move(*writes);
}

Operation *NestMemory::findWriter(Value memref) const {
  const auto *found = llvm::find_if(written, [&](const Write &write) {
    return aliasing.alias(memref, write.memref);
  });
  return found == written.end() ? nullptr : found->by;
}
