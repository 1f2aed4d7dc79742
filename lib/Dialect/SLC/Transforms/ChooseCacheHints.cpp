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
//   - a loaded value: a lookup, whose reuse the data decide. Where loops run
//     through rows and their elements, of the block that a value selects, whole
//     blocks come back.
//   - not on some loop around it: the same elements again in each of its
//     iterations.
//   - otherwise on all loops, and on nothing loaded: each element once.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemorySize.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

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
  /// The innermost loop in which a value is loaded that it is computed from;
  /// null if none is.
  Operation *loadedIn = nullptr;

  void merge(const Origins &other) {
    loops.insert(other.loops.begin(), other.loops.end());
    if (!loadedIn || (other.loadedIn && loadedIn->isAncestor(other.loadedIn)))
      loadedIn = other.loadedIn;
  }

  /// Loops inside of the one that loads what selects the address.
  int64_t countLoopsInside() const {
    return llvm::count_if(loops, [&](Operation *loop) {
      return loadedIn->isProperAncestor(loop);
    });
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
  if (isa<slc::MemoryStreamOpInterface, slc::SegmentCountOp>(op)) {
    for (Value operand : op->getOperands())
      origins.loops.insert_range(originsOf(operand).loops);
    origins.loadedIn = op->getParentOp();
    return origins;
  }
  for (Value operand : op->getOperands())
    origins.merge(originsOf(operand));
  // What depends on the iterations before changes with every one.
  if (isa<slc::AccStrOp, slc::SegmentStrOp>(op)) {
    origins.loops.insert(op->getParentOp());
    origins.loadedIn = nullptr;
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
  for (Value index : indices)
    all.merge(originsOf(index));
  if (all.loadedIn)
    return all.countLoopsInside() > 1 ? Reuse::block : Reuse::lookup;
  for (Operation *loop = op->getParentOp(); isa<LoopOpInterface>(loop);
       loop = loop->getParentOp())
    if (!all.loops.contains(loop))
      return Reuse::again;
  return Reuse::once;
}

namespace {
struct ChooseCacheHints
    : public ember::impl::ChooseCacheHintsBase<ChooseCacheHints> {
  using ChooseCacheHintsBase::ChooseCacheHintsBase;

  void runOnOperation() override {
    ReuseAnalysis reuse;
    getOperation()->walk([&](slc::MemoryStreamOpInterface access) {
      choose(access, reuse.of(access, access.getIndices()));
    });
  }

private:
  std::optional<CacheLevel> chooseLevel(MemRefType memref, Reuse reuse);

  void choose(slc::MemoryStreamOpInterface access, Reuse reuse) {
    if (access.getCacheLevelAttr() || access.getNontemporal())
      return;
    if (reuse == Reuse::once) {
      access.setNontemporal(true);
      ++nontemporal;
      return;
    }
    std::optional<CacheLevel> level =
        chooseLevel(cast<MemRefType>(access.getMemref().getType()), reuse);
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
    return static_cast<CacheLevel>(LookupLevel(lookupLevel));
  if (reuse == Reuse::again)
    return CacheLevel::l1;
  std::optional<int64_t> bytes = getStaticBytes(memref);
  return reuse == Reuse::block || (bytes && *bytes <= l2Bytes)
             ? CacheLevel::l2
             : CacheLevel::llc;
}
