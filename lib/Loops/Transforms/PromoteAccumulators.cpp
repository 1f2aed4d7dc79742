//===- PromoteAccumulators.cpp - Keep accumulators of a loop in registers -===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for p = lb to ub { a = load out[b, 0]; ...; store s, out[b, 0] }
//     ->
//   if lb < ub {
//     a0 = load out[b, 0]
//     r = for p = lb to ub iter(a = a0) { ...; yield s }
//     store r, out[b, 0]
//   }
//
// Where the iteration around the loop has just stored to out[b, 0] anyway, no
// condition is needed.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PROMOTEACCUMULATORS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// The accesses of one address, in the order of the loop's body.
struct Accumulator {
  SmallVector<MemoryAccess> accesses;

  const MemoryAccess &address() const { return accesses.front(); }
  bool isStored() const {
    return llvm::any_of(accesses, [](const auto &a) { return a.isStore(); });
  }
};

/// Promotes what it can in one loop.
class LoopPromotion {
public:
  LoopPromotion(scf::ForOp loop, const MemoryAliasing &aliasing,
                IndexExprs &exprs)
      : loop(loop), aliasing(aliasing), exprs(exprs) {}

  /// Returns how many accumulators moved to registers.
  unsigned run();

private:
  bool collect();
  bool isInvariant(const MemoryAccess &access);
  bool mayTouch(const MemoryAccess &other, const MemoryAccess &address);
  bool isPromotable(const Accumulator &accumulator);
  bool isStoredBefore(const Accumulator &accumulator);
  void hoistLoads();
  void carryStored();
  void rewrite();

  scf::ForOp loop;
  const MemoryAliasing &aliasing;
  IndexExprs &exprs;
  SmallVector<Accumulator> accumulators;
  /// Every access in the loop, at any depth.
  SmallVector<MemoryAccess> all;
  /// Memrefs that other operations in the loop read, or write.
  SmallVector<Value> read, written;
};

struct PromoteAccumulators
    : impl::PromoteAccumulatorsBase<PromoteAccumulators> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

bool LoopPromotion::isInvariant(const MemoryAccess &access) {
  auto outside = [&](Value value) {
    return !value || loop.isDefinedOutsideOfLoop(value);
  };
  return outside(access.memref) && llvm::all_of(access.indices, outside) &&
         outside(access.mask) && outside(access.passThrough);
}

/// Gathers the accesses of the loop, by address where that does not change.
/// False if something in the loop has effects that are not known.
bool LoopPromotion::collect() {
  auto note = [&](Value memref, bool isWrite) {
    (isWrite ? written : read).push_back(memref);
  };
  WalkResult result = loop.getBody()->walk([&](Operation *op) {
    if (isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (!access)
      return forEachMemRefEffect(op, note) ? WalkResult::advance()
                                           : WalkResult::interrupt();
    all.push_back(*access);
    if (op->getBlock() != loop.getBody() || !isInvariant(*access))
      return WalkResult::advance();
    auto *place = llvm::find_if(accumulators, [&](Accumulator &accumulator) {
      return isSameAddress(accumulator.address(), *access, exprs);
    });
    if (place == accumulators.end())
      accumulators.push_back({{*access}});
    else
      place->accesses.push_back(*access);
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool LoopPromotion::mayTouch(const MemoryAccess &other,
                             const MemoryAccess &address) {
  return aliasing.alias(other.memref, address.memref) &&
         !areDisjoint(other, address, exprs);
}

bool LoopPromotion::isPromotable(const Accumulator &accumulator) {
  const MemoryAccess &address = accumulator.address();
  bool isStored = accumulator.isStored();
  for (const MemoryAccess &access : accumulator.accesses)
    if (address.mask && !access.isStore() && isStored &&
        inactiveLanesMatter(access.op->getResult(0), address.mask))
      return false;
  auto aliases = [&](Value other) {
    return aliasing.alias(other, address.memref);
  };
  if (llvm::any_of(written, aliases) ||
      (isStored && llvm::any_of(read, aliases)))
    return false;
  return llvm::none_of(all, [&](const MemoryAccess &other) {
    if (!isStored && !other.isStore())
      return false;
    bool isOurs = llvm::any_of(accumulator.accesses, [&](const auto &access) {
      return access.op == other.op;
    });
    return !isOurs && mayTouch(other, address);
  });
}

/// Whether an operation in front of the loop stores to the address, however
/// often the loop runs.
bool LoopPromotion::isStoredBefore(const Accumulator &accumulator) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && access->isStore() &&
        isSameAddress(*access, accumulator.address(), exprs))
      return true;
  }
  return false;
}

/// Loads what the loop does not store to once, in front of it.
void LoopPromotion::hoistLoads() {
  IRRewriter rewriter(loop);
  for (Accumulator &accumulator : accumulators) {
    if (accumulator.isStored())
      continue;
    Value value = loadAccumulator(rewriter, accumulator.address());
    for (MemoryAccess &access : accumulator.accesses)
      rewriter.replaceOp(access.op, value);
  }
  llvm::erase_if(accumulators, [](const Accumulator &accumulator) {
    return !accumulator.isStored();
  });
}

/// Carries what the loop stores to from iteration to iteration.
void LoopPromotion::carryStored() {
  IRRewriter rewriter(loop);
  SmallVector<Value> initial;
  for (Accumulator &accumulator : accumulators)
    initial.push_back(loadAccumulator(rewriter, accumulator.address()));
  size_t first = loop.getNumResults();
  loop = carryAlso(rewriter, loop, initial);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  rewriter.setInsertionPointAfter(loop);
  for (auto [index, accumulator] : llvm::enumerate(accumulators)) {
    storeAccumulator(rewriter, accumulator.address(),
                     loop.getResult(first + index));
    yield->setOperand(first + index,
                      replaceAccesses(rewriter, accumulator.accesses,
                                      loop.getRegionIterArg(first + index)));
  }
}

void LoopPromotion::rewrite() {
  SmallVector<Accumulator> stored, loaded;
  for (Accumulator &accumulator : accumulators)
    (accumulator.isStored() ? stored : loaded).push_back(accumulator);
  bool areStoredBefore =
      llvm::all_of(stored, [&](const Accumulator &accumulator) {
        return isStoredBefore(accumulator);
      });
  if (!areStoredBefore) {
    guardByTrips(loop);
    hoistLoads();
    carryStored();
    return;
  }
  accumulators = std::move(stored);
  carryStored();
  accumulators = std::move(loaded);
  if (!accumulators.empty())
    guardByTrips(loop);
  hoistLoads();
}

unsigned LoopPromotion::run() {
  if (!collect())
    return 0;
  llvm::erase_if(accumulators, [&](const Accumulator &accumulator) {
    return !isPromotable(accumulator);
  });
  if (llvm::none_of(accumulators, [](const auto &a) { return a.isStored(); }))
    return 0;
  unsigned count = accumulators.size();
  rewrite();
  return count;
}

void PromoteAccumulators::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Inner loops first: what they no longer touch, the loops around them can
  // promote further.
  for (scf::ForOp loop : loops) {
    // What threads share hands nothing from iteration to iteration: memory that
    // each of them stores to is scratch.
    if (loop->hasAttr(independentAttr))
      continue;
    // Sums are remembered by value; values come and go with each loop.
    IndexExprs exprs;
    promoted += LoopPromotion(loop, aliasing, exprs).run();
  }
}

} // namespace ember::loops
