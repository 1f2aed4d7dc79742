//===- PrefetchFibers.cpp - Prefetch what begins at looked-up positions ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LookupFinder.h"
#include "ember/Analysis/MemorySize.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PREFETCHFIBERS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
struct PrefetchFibers : impl::PrefetchFibersBase<PrefetchFibers> {
  using Base::Base;
  void runOnOperation() override;
};

/// What arrays store from a position on that a coordinate selects.
struct LookedUpFiber {
  memref::LoadOp coordinate, position;
  SetVector<Value> arrays;
};

/// Finds the fibers that one loop looks up.
class FiberFinder {
public:
  FiberFinder(scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), memory(loop, aliasing), lookups(loop, aliasing) {}

  SmallVector<LookedUpFiber> find();

private:
  bool isFixed(Value memref);
  SetVector<Value> findArrays(memref::LoadOp position);

  scf::ForOp loop;
  NestMemory memory;
  LookupFinder lookups;
  IndexExprs exprs;
};
} // namespace

/// One-dimensional memory that the loop reads only, of elements whose size is
/// known.
bool FiberFinder::isFixed(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return type.getRank() == 1 && type.getLayout().isIdentity() &&
         getElementBytes(type.getElementType()) &&
         loop.isDefinedOutsideOfLoop(memref) && memory.isReadOnly(memref);
}

/// Adds what a loop calls `value`, which it starts from.
static void addStarts(OpOperand &use, SetVector<Value> &reached) {
  if (auto counted = dyn_cast<scf::ForOp>(use.getOwner())) {
    if (use.get() == counted.getLowerBound())
      reached.insert(counted.getInductionVar());
    if (BlockArgument carried = counted.getTiedLoopRegionIterArg(&use))
      reached.insert(carried);
  } else if (auto loop = dyn_cast<scf::WhileOp>(use.getOwner())) {
    reached.insert(loop.getBeforeArguments()[use.getOperandNumber()]);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(use.getOwner())) {
    auto around = cast<scf::WhileOp>(condition->getParentOp());
    if (use.getOperandNumber() > 0)
      reached.insert(around.getAfterArguments()[use.getOperandNumber() - 1]);
  }
}

/// Values that are `value` in some iteration: in another integer type, and what
/// loops that start from it count.
static SetVector<Value> findStarts(Value value) {
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses())
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
              arith::ExtUIOp>(use.getOwner()))
        reached.insert(use.getOwner()->getResult(0));
      else
        addStarts(use, reached);
  return reached;
}

/// Whether `value` counts the iterations of a loop from 0 on.
static bool countsFromZero(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto counted = argument
                     ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                     : scf::ForOp();
  return counted && argument == counted.getInductionVar() &&
         getConstantIntValue(counted.getLowerBound()) == int64_t(0);
}

/// What is read from `position` on.
SetVector<Value> FiberFinder::findArrays(memref::LoadOp position) {
  SetVector<Value> starts = findStarts(position.getResult());
  auto beginsThere = [&](Value index) {
    unsigned count = 0;
    IndexExpr expr = exprs.of(index);
    for (auto [value, factor] : expr.getTerms()) {
      if (starts.contains(value) && factor == 1)
        ++count;
      else if (!countsFromZero(value))
        return false;
    }
    return count == 1;
  };
  SetVector<Value> arrays;
  loop.getBody()->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && !access->isStore() && access->indices.size() == 1 &&
        isFixed(access->memref) && beginsThere(access->indices.front()))
      arrays.insert(access->memref);
  });
  return arrays;
}

SmallVector<LookedUpFiber> FiberFinder::find() {
  SmallVector<LookedUpFiber> fibers;
  if (memory.getUnknownEffect() ||
      getConstantIntValue(loop.getStep()) != int64_t(1))
    return fibers;
  for (memref::LoadOp coordinate : lookups.findSequences()) {
    if (!coordinate.getType().isIntOrIndex())
      continue;
    for (Value index : findStarts(coordinate.getResult()))
      for (Operation *user : index.getUsers()) {
        auto position = dyn_cast<memref::LoadOp>(user);
        if (!position || position->getBlock() != loop.getBody() ||
            !position.getType().isIntOrIndex() ||
            !isFixed(position.getMemRef()))
          continue;
        SetVector<Value> arrays = findArrays(position);
        if (!arrays.empty())
          fibers.push_back({coordinate, position, std::move(arrays)});
      }
  }
  return fibers;
}

/// The element at the index of `load`, or at the last one there is. There is
/// one where `load` is executed.
static Value loadWithin(OpBuilder &builder, memref::LoadOp load, Value index) {
  Location loc = load.getLoc();
  SmallVector<Value> indices(load.getIndices());
  Value size =
      memref::DimOp::create(builder, loc, load.getMemRef(), indices.size() - 1);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, size, one);
  indices.back() = arith::MinUIOp::create(builder, loc, index, last);
  Value element =
      memref::LoadOp::create(builder, loc, load.getMemRef(), indices);
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    element);
}

/// Whether an array has more than `bytes`, computed in front of the loop.
static Value isAnyLarge(OpBuilder &builder, LookedUpFiber &fiber,
                        int64_t bytes) {
  Location loc = fiber.coordinate.getLoc();
  Value any;
  for (Value array : fiber.arrays) {
    Type element = cast<MemRefType>(array.getType()).getElementType();
    Value size = memref::DimOp::create(builder, loc, array, 0);
    Value least = arith::ConstantIndexOp::create(
        builder, loc, llvm::divideCeil(bytes, *getElementBytes(element)));
    Value large = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        size, least);
    any = any ? arith::OrIOp::create(builder, loc, any, large) : large;
  }
  return any;
}

/// Prefetches where `fiber` begins some coordinates ahead. What the loop itself
/// looks up was in bounds before.
static void prefetch(scf::ForOp loop, LookedUpFiber &fiber, int64_t distance,
                     int64_t cacheBytes) {
  Location loc = fiber.coordinate.getLoc();
  OpBuilder builder(loop);
  Value large = isAnyLarge(builder, fiber, cacheBytes);
  builder.setInsertionPointAfter(fiber.position);
  auto guard = scf::IfOp::create(builder, loc, large, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(guard.thenBlock());
  Value here = fiber.coordinate.getIndices().back();
  Value ahead = arith::AddIOp::create(
      builder, loc, here,
      arith::ConstantIndexOp::create(builder, loc, distance));
  Value coordinate = loadWithin(builder, fiber.coordinate, ahead);
  Value position = loadWithin(builder, fiber.position, coordinate);
  for (Value array : fiber.arrays)
    memref::PrefetchOp::create(builder, loc, array, position, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
}

void PrefetchFibers::runOnOperation() {
  int64_t cacheBytes =
      secondCacheBytes ? int64_t(secondCacheBytes)
                       : TargetAttr::of(getOperation()).getSecondCacheBytes();
  auto aliasing = MemoryAliasing::forHints(getOperation());
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (LookedUpFiber &fiber : FiberFinder(loop, aliasing).find()) {
      prefetch(loop, fiber, distance, cacheBytes);
      ++fibers;
    }
}

} // namespace ember::loops
