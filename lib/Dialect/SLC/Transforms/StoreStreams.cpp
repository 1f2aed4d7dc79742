//===- StoreStreams.cpp - Stores that the access unit makes ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a callback only passes on to memory, the access unit stores itself
// (paper, section 7.4). It runs ahead of the execute unit, so the memory must
// be nobody else's during the nest.
//
//===----------------------------------------------------------------------===//

#include "StreamedValues.h"

#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {
#define GEN_PASS_DEF_STORESTREAMS
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

namespace {
/// Something in a nest that reads or writes a memref.
struct Effect {
  Operation *op;
  Value memref;
};

/// The stores of one nest.
class NestStores {
public:
  NestStores(LoopOpInterface root, const MemoryAliasing &aliasing,
             StoreStreamMode mode)
      : root(root), aliasing(aliasing), mode(mode), addresses(root) {}

  /// Moves what may and should be moved; returns how many.
  unsigned run();

private:
  void collect();
  StringRef findObstacle(memref::StoreOp store);
  Operation *findConflict(memref::StoreOp store);
  void dropConflicting();
  void dropUnprofitable();
  bool isReadElsewhere(Value stream);
  void move(memref::StoreOp store);
  void refuse(memref::StoreOp store, const Twine &reason,
              Operation *culprit = nullptr);

  LoopOpInterface root;
  const MemoryAliasing &aliasing;
  StoreStreamMode mode;
  llvm::SetVector<Operation *> candidates;
  SmallVector<Effect> effects;
  /// An operation that may do anything to any memory.
  Operation *unknown = nullptr;
  StreamedValues addresses;
};
} // namespace

void NestStores::refuse(memref::StoreOp store, const Twine &reason,
                        Operation *culprit) {
  InFlightDiagnostic remark = emitRemark(store.getLoc())
                              << "store to " << memrefName(store.getMemRef())
                              << " stays in the execute unit: " << reason.str();
  if (culprit)
    remark.attachNote(culprit->getLoc()) << "here";
}

//===----------------------------------------------------------------------===//
// What may move
//===----------------------------------------------------------------------===//

/// Why the access unit cannot make `store`; empty if it can.
StringRef NestStores::findObstacle(memref::StoreOp store) {
  auto callback = dyn_cast<CallbackOp>(store->getParentOp());
  if (!callback || callback.getMask())
    return "it is not made in every iteration";
  auto loop = cast<LoopOpInterface>(callback->getParentOp());
  LoopOpInterface nested = slc::getNestedLoop(loop);
  if (nested && nested->isBeforeInBlock(callback))
    return "it comes after a nested loop, to which the access unit does not "
           "return";
  auto toVal = store.getValueToStore().getDefiningOp<StrToValOp>();
  if (!toVal || toVal.getLane())
    return "its value is computed";
  if (!slc::isFixedDuringNest(store.getMemRef(), root))
    return "the memref itself changes during the nest";
  bool canAddress = llvm::all_of(store.getIndices(), [&](Value index) {
    return addresses.canStream(index);
  });
  return canAddress ? "" : "its address is no matter of streams";
}

void NestStores::collect() {
  root->walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      StringRef obstacle = findObstacle(store);
      if (obstacle.empty())
        candidates.insert(store);
      else if (store.getValueToStore().getDefiningOp<StrToValOp>())
        refuse(store, obstacle);
    }
    if (isMemoryEffectFree(op))
      return;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface) {
      if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        unknown = op;
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    interface.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      Value value = instance.getValue();
      if (!value)
        unknown = op;
      else if (isa<BaseMemRefType>(value.getType()) &&
               !isa<MemoryEffects::Allocate>(instance.getEffect()))
        effects.push_back({op, value});
    }
  });
}

/// Whatever else touches the memory and does not move along.
Operation *NestStores::findConflict(memref::StoreOp store) {
  if (unknown)
    return unknown;
  for (const Effect &effect : effects)
    if (!candidates.contains(effect.op) &&
        aliasing.alias(effect.memref, store.getMemRef()))
      return effect.op;
  return nullptr;
}

/// A store that stays is a conflict for others.
void NestStores::dropConflicting() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *candidate : llvm::to_vector(candidates)) {
      auto store = cast<memref::StoreOp>(candidate);
      Operation *conflict = findConflict(store);
      if (!conflict)
        continue;
      refuse(store,
             "other code of the nest may access the same memory at another "
             "time",
             conflict);
      candidates.remove(candidate);
      changed = true;
    }
  }
}

/// True if `stream` crosses to the execute unit also for something that stays.
bool NestStores::isReadElsewhere(Value stream) {
  for (Operation *user : stream.getUsers()) {
    auto toVal = dyn_cast<StrToValOp>(user);
    if (toVal && !llvm::all_of(toVal->getUsers(), [&](Operation *reader) {
          return candidates.contains(reader);
        }))
      return true;
  }
  return false;
}

/// What crosses anyway may as well be stored there.
void NestStores::dropUnprofitable() {
  for (Operation *candidate : llvm::to_vector(candidates)) {
    auto store = cast<memref::StoreOp>(candidate);
    auto toVal = store.getValueToStore().getDefiningOp<StrToValOp>();
    if (!isReadElsewhere(toVal.getStream()))
      continue;
    refuse(store, "the execute unit needs its value anyway");
    candidates.remove(candidate);
  }
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

void NestStores::move(memref::StoreOp store) {
  auto callback = cast<CallbackOp>(store->getParentOp());
  SmallVector<Value> indices;
  for (Value index : store.getIndices())
    indices.push_back(addresses.create(index, callback));
  auto toVal = store.getValueToStore().getDefiningOp<StrToValOp>();
  OpBuilder builder(callback);
  slc::StoreStrOp::create(builder, store.getLoc(), toVal.getStream(),
                          store.getMemRef(), indices);
  store.erase();
}

unsigned NestStores::run() {
  collect();
  dropConflicting();
  if (mode == StoreStreamMode::automatic)
    dropUnprofitable();
  llvm::SetVector<Operation *> callbacks;
  for (Operation *store : candidates) {
    callbacks.insert(store->getParentOp());
    move(cast<memref::StoreOp>(store));
  }
  for (Operation *callback : callbacks) {
    Block &body = callback->getRegion(0).front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    if (callback->use_empty() && isMemoryEffectFree(callback))
      callback->erase();
  }
  return candidates.size();
}

namespace {
struct StoreStreams : public ember::impl::StoreStreamsBase<StoreStreams> {
  using StoreStreamsBase::StoreStreamsBase;

  void runOnOperation() override {
    if (mode == StoreStreamMode::never)
      return;
    MemoryAliasing aliasing(getOperation(), mayAlias);
    for (LoopOpInterface root : slc::getNestRoots(getOperation()))
      stores += NestStores(root, aliasing, mode).run();
  }
};
} // namespace
