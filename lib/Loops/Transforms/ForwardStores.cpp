//===- ForwardStores.cpp - Stored values that memory need not carry -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   store x, out[b, 0]; y = load out[b, 0]; store f(y), out[b, 0]
//     ->
//   store f(x), out[b, 0]
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_FORWARDSTORES
#include "ember/Loops/Transforms/Passes.h.inc"

/// Stores of a block that are remembered at a time: each access is compared
/// with all of them.
static constexpr size_t kMostStores = 128;

namespace {
/// A store whose value is still in memory.
struct KnownStore {
  MemoryAccess access;
  bool mayBeRead = false;
};

/// Goes through one block, in order.
class BlockForwarding {
public:
  BlockForwarding(Block &block, const MemoryAliasing &aliasing)
      : block(block), aliasing(aliasing) {}

  void run();
  unsigned countForwarded() const { return forwarded; }
  unsigned countDropped() const { return dropped; }

private:
  void visitLoad(const MemoryAccess &load);
  void visitStore(const MemoryAccess &store);
  void visitOther(Operation &op);
  void touch(Value memref, bool isWrite);
  void touch(const MemoryAccess &access);
  bool mayOverlap(const MemoryAccess &a, const MemoryAccess &b) {
    return aliasing.alias(a.memref, b.memref) && !areDisjoint(a, b, exprs);
  }

  Block &block;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  SmallVector<KnownStore> known;
  /// Erased at the end: what values are sums of is remembered by value.
  SmallVector<Operation *> unneeded;
  unsigned forwarded = 0, dropped = 0;
};

struct ForwardStores : impl::ForwardStoresBase<ForwardStores> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// An operation that reads or writes all of `memref`, as far as is known.
void BlockForwarding::touch(Value memref, bool isWrite) {
  auto aliases = [&](const KnownStore &store) {
    return aliasing.alias(store.access.memref, memref);
  };
  if (isWrite)
    llvm::erase_if(known, aliases);
  else
    for (KnownStore &store : known)
      store.mayBeRead |= aliases(store);
}

void BlockForwarding::touch(const MemoryAccess &access) {
  auto overlaps = [&](const KnownStore &store) {
    return mayOverlap(store.access, access);
  };
  if (access.isStore())
    llvm::erase_if(known, overlaps);
  else
    for (KnownStore &store : known)
      store.mayBeRead |= overlaps(store);
}

void BlockForwarding::visitLoad(const MemoryAccess &load) {
  auto *store = llvm::find_if(known, [&](const KnownStore &candidate) {
    return isSameAddress(candidate.access, load, exprs);
  });
  if (store == known.end()) {
    touch(load);
    return;
  }
  Value value = store->access.stored;
  if (load.mask) {
    OpBuilder builder(load.op);
    value = arith::SelectOp::create(builder, load.op->getLoc(), load.mask,
                                    value, load.passThrough);
  }
  load.op->getResult(0).replaceAllUsesWith(value);
  unneeded.push_back(load.op);
  ++forwarded;
}

void BlockForwarding::visitStore(const MemoryAccess &store) {
  auto *overwritten = llvm::find_if(known, [&](const KnownStore &candidate) {
    return isSameAddress(candidate.access, store, exprs);
  });
  if (overwritten != known.end() && !overwritten->mayBeRead) {
    unneeded.push_back(overwritten->access.op);
    ++dropped;
  }
  touch(store);
  if (known.size() == kMostStores)
    known.erase(known.begin());
  known.push_back({store});
}

/// An operation with regions, or of effects that are no plain access.
void BlockForwarding::visitOther(Operation &op) {
  auto note = [&](Value memref, bool isWrite) { touch(memref, isWrite); };
  WalkResult result = op.walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner) || isa<memref::PrefetchOp>(inner) ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    if (std::optional<MemoryAccess> access = MemoryAccess::of(inner)) {
      touch(*access);
      return WalkResult::advance();
    }
    return forEachMemRefEffect(inner, note) ? WalkResult::advance()
                                            : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    known.clear();
}

void BlockForwarding::run() {
  for (Operation &op : block) {
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    if (!access)
      visitOther(op);
    else if (access->isStore())
      visitStore(*access);
    else
      visitLoad(*access);
  }
  for (Operation *op : unneeded)
    op->erase();
}

/// Whether the access is known to be within its memref: dropping another one
/// would drop an error.
static bool isInside(const MemoryAccess &access) {
  auto type = cast<MemRefType>(access.memref.getType());
  for (auto [dim, value] : llvm::enumerate(access.indices)) {
    std::optional<int64_t> index = getConstantIntValue(value);
    if (!index || *index < 0 || type.isDynamicDim(dim) ||
        *index + access.extent(dim) > type.getDimSize(dim))
      return false;
  }
  return true;
}

/// Whether all that is done with the buffer is to store to it and to free it.
static bool isNeverRead(memref::AllocOp alloc) {
  return llvm::all_of(alloc->getUses(), [](OpOperand &use) {
    std::optional<MemoryAccess> access = MemoryAccess::of(use.getOwner());
    return access ? access->isStore() && access->stored != use.get() &&
                        isInside(*access)
                  : isa<memref::DeallocOp>(use.getOwner());
  });
}

void ForwardStores::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    BlockForwarding forwarding(*block, aliasing);
    forwarding.run();
    forwarded += forwarding.countForwarded();
    dropped += forwarding.countDropped();
  }
  SmallVector<memref::AllocOp> buffers;
  getOperation().walk([&](memref::AllocOp alloc) {
    if (alloc.getType().hasStaticShape() && isNeverRead(alloc))
      buffers.push_back(alloc);
  });
  for (memref::AllocOp buffer : buffers) {
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
      dropped += !isa<memref::DeallocOp>(user);
      user->erase();
    }
    buffer.erase();
  }
}

} // namespace ember::loops
