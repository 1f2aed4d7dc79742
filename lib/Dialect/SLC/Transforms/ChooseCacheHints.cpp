//===- ChooseCacheHints.cpp - Cache level and reuse of streams ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often an access comes back to the same element follows from what its
// address depends on:
//
//   - a loaded value: a lookup, whose reuse the data decide. Where a loop runs
//     through the block that a value selects, whole blocks come back.
//   - not on some loop around it: the same elements again in each of its
//     iterations.
//   - otherwise on all loops, and on nothing loaded: each element once.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember {
#define GEN_PASS_DEF_CHOOSECACHEHINTS
#include "ember/Dialect/SLC/Transforms/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::CacheLevel;
using ember::slc::CacheLevelAttr;
using ember::slc::LoopOpInterface;

namespace {
/// What an address depends on.
struct Origins {
  /// Loops whose iterations it changes with, also through their bounds.
  llvm::SmallPtrSet<Operation *, 8> loops;
  bool isLoaded = false;
  /// Adds a loop's counter to what was loaded in a loop around it.
  bool isInBlock = false;

  void merge(const Origins &other) {
    loops.insert(other.loops.begin(), other.loops.end());
    isInBlock |= other.isInBlock || (isLoaded && !other.isLoaded) ||
                 (!isLoaded && other.isLoaded && !loops.empty());
    isLoaded |= other.isLoaded;
  }
};

enum class Reuse { once, again, lookup, block };

class ReuseAnalysis {
public:
  /// How often an access of `op` to `indices` sees the same element.
  Reuse of(Operation *op, OperandRange indices);

private:
  const Origins &originsOf(Value value);
  Origins findOrigins(Value value);

  llvm::DenseMap<Value, Origins> known;
};
} // namespace

Origins ReuseAnalysis::findOrigins(Value value) {
  Origins origins;
  if (!isa<slc::StreamType>(value.getType()))
    return origins;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = cast<LoopOpInterface>(argument.getOwner()->getParentOp());
    // Positions of a segment change with whatever changes the segment.
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
      origins.loops.insert_range(originsOf(bound).loops);
    origins.loops.insert(loop);
    return origins;
  }
  Operation *op = value.getDefiningOp();
  if (isa<slc::MemStrOp, slc::SegmentCountOp>(op)) {
    for (Value operand : op->getOperands())
      origins.loops.insert_range(originsOf(operand).loops);
    origins.isLoaded = true;
    return origins;
  }
  bool isFirst = true;
  for (Value operand : op->getOperands()) {
    if (!isa<slc::StreamType>(operand.getType()))
      continue;
    Origins other = originsOf(operand);
    if (isFirst)
      origins = std::move(other);
    else
      origins.merge(other);
    isFirst = false;
  }
  // What depends on the iterations before changes with every one.
  if (isa<slc::AccStrOp, slc::SegmentStrOp>(op)) {
    origins.loops.insert(op->getParentOp());
    origins.isLoaded = false;
  }
  return origins;
}

const Origins &ReuseAnalysis::originsOf(Value value) {
  auto found = known.find(value);
  if (found == known.end()) {
    Origins origins = findOrigins(value);
    found = known.insert({value, std::move(origins)}).first;
  }
  return found->second;
}

Reuse ReuseAnalysis::of(Operation *op, OperandRange indices) {
  Origins all;
  bool isInBlock = false;
  for (Value index : indices) {
    const Origins &origins = originsOf(index);
    all.loops.insert_range(origins.loops);
    all.isLoaded |= origins.isLoaded;
    isInBlock |= origins.isInBlock;
  }
  if (all.isLoaded)
    return isInBlock ? Reuse::block : Reuse::lookup;
  for (Operation *loop = op->getParentOp(); isa<LoopOpInterface>(loop);
       loop = loop->getParentOp())
    if (!all.loops.contains(loop))
      return Reuse::again;
  return Reuse::once;
}

/// The size of `type` in bytes; nullopt if it is not known.
static std::optional<int64_t> getBytes(MemRefType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  int64_t bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

namespace {
struct ChooseCacheHints
    : public ember::impl::ChooseCacheHintsBase<ChooseCacheHints> {
  using ChooseCacheHintsBase::ChooseCacheHintsBase;

  void runOnOperation() override {
    ReuseAnalysis reuse;
    getOperation()->walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<slc::MemStrOp, slc::StoreStrOp>(
          [&](auto access) {
            choose(access, reuse.of(op, access.getIndices()));
          });
    });
  }

private:
  std::optional<CacheLevel> chooseLevel(MemRefType memref, Reuse reuse);

  template <typename Op> void choose(Op access, Reuse reuse) {
    if (access.getCacheLevel() || access.getNontemporal())
      return;
    if (reuse == Reuse::once) {
      access.setNontemporal(true);
      ++nontemporal;
      return;
    }
    std::optional<CacheLevel> level =
        chooseLevel(access.getMemref().getType(), reuse);
    if (!level)
      return;
    access.setCacheLevelAttr(CacheLevelAttr::get(&getContext(), *level));
    ++levels;
  }
};
} // namespace

std::optional<CacheLevel> ChooseCacheHints::chooseLevel(MemRefType memref,
                                                        Reuse reuse) {
  if (lookupLevel == LookupLevel::none)
    return std::nullopt;
  bool isLookup = reuse == Reuse::lookup || reuse == Reuse::block;
  if (isLookup && lookupLevel != LookupLevel::automatic)
    return static_cast<CacheLevel>(lookupLevel.getValue());
  if (reuse == Reuse::again)
    return CacheLevel::l1;
  std::optional<int64_t> bytes = getBytes(memref);
  return reuse == Reuse::block || (bytes && *bytes <= l2Bytes)
             ? CacheLevel::l2
             : CacheLevel::llc;
}
