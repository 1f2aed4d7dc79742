//===- LoopIndependence.cpp - Iterations that may run at once -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iteration i stores to out[8 * i + r, ...] with r below 8: along the first
// dimension, what two iterations touch is 8 apart or more, and each covers 8.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LoopIndependence.h"
#include "ember/Analysis/Buffers.h"
#include "ember/Analysis/MemRefNames.h"
#include "ember/Analysis/SegmentBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ember {

/// Larger numbers are left alone, so that sums of some never wrap around.
static constexpr int64_t kLargest = int64_t(1) << 40;

static bool isSmall(int64_t number) {
  return -kLargest < number && number < kLargest;
}

LoopIndependence::LoopIndependence(scf::ForOp loop,
                                   const MemoryAliasing &aliasing,
                                   IndexExprs &exprs)
    : loop(loop), step(getConstantIntValue(loop.getStep()).value_or(1)),
      aliasing(&aliasing) {
  collect(exprs);
  if (refusal.empty())
    findConflicts();
}

bool isFillOf(Operation *op, Value scratch) {
  if (op->getNumResults() != 0)
    return false;
  WalkResult search = op->walk([&](Operation *inner) {
    std::optional<MemoryAccess> access = MemoryAccess::of(inner);
    bool isHarmless =
        access ? access->isStore() && access->memref == scratch
               : isPure(inner) || isa<scf::ForOp, scf::YieldOp>(inner);
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !search.wasInterrupted();
}

bool isScratchOf(Operation *op, scf::ForOp loop) {
  if (!isa<memref::AllocOp, memref::AllocaOp>(op) || !op->hasAttr(scratchAttr))
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (isa<memref::DeallocOp>(user) || loop->isProperAncestor(user))
      return true;
    Operation *outer = loop->getBlock()->findAncestorOpInBlock(*user);
    return outer && outer != loop && outer->isBeforeInBlock(loop) &&
           isFillOf(outer, op->getResult(0));
  });
}

bool LoopIndependence::isDeclaredApart(Value memref) const {
  Operation *op = getBuffer(memref).getDefiningOp();
  bool isScratch =
      isa_and_nonnull<memref::AllocaOp>(op) || (op && op->hasAttr(scratchAttr));
  return loop->hasAttr(independentAttr) && !isScratch;
}

/// Whether `memref` is a buffer, or a view of one, that the iteration makes, or
/// might as well make.
bool LoopIndependence::isOwn(Value memref) {
  Value root = getBuffer(memref);
  Operation *op = root.getDefiningOp();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(op))
    return false;
  return !loop.isDefinedOutsideOfLoop(root) || isScratchOf(op, loop);
}

/// The values that the counter of a loop with constant bounds takes.
static std::optional<std::pair<int64_t, int64_t>> counterRange(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || loop.getInductionVar() != value)
    return std::nullopt;
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || !isSmall(*lower) || !isSmall(*upper) ||
      *step < 1)
    return std::nullopt;
  int64_t trips = std::max<int64_t>(*upper - *lower - 1, 0) / *step;
  return std::pair(*lower, *lower + trips * *step);
}

/// Takes `position` as one that runs through the segment of an iteration.
bool LoopIndependence::addSegment(Extent &extent, Value position,
                                  IndexExprs &exprs) {
  auto argument = dyn_cast<BlockArgument>(position);
  auto inner = argument
                   ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                   : scf::ForOp();
  if (!inner || inner.getInductionVar() != position || extent.offsets)
    return false;
  auto [begin, end] =
      findSegmentBounds(inner.getLowerBound(), inner.getUpperBound(), exprs);
  if (!begin || begin.getIndices().size() != 1 ||
      !loop.isDefinedOutsideOfLoop(begin.getMemRef()))
    return false;
  extent.offsets = begin.getMemRef();
  extent.firstOffset =
      exprs.of(begin.getIndices().front()) - IndexExpr(loop.getInductionVar());
  return llvm::all_of(extent.firstOffset.getTerms(), [&](auto term) {
    return loop.isDefinedOutsideOfLoop(term.first);
  });
}

/// How many values there are from `lower` to `upper` at most.
static std::optional<int64_t> findLength(const IndexExpr &lower, Value upper,
                                         IndexExprs &exprs) {
  IndexExpr length = exprs.of(upper) - lower;
  if (length.getTerms().empty())
    return length.getConstant();
  if (!isa_and_present<arith::MinSIOp, arith::MinUIOp>(upper.getDefiningOp()))
    return std::nullopt;
  std::optional<int64_t> least;
  for (Value bound : upper.getDefiningOp()->getOperands())
    if (std::optional<int64_t> mine = findLength(lower, bound, exprs))
      least = std::min(*mine, least.value_or(*mine));
  return least;
}

std::optional<int64_t> findMostIterations(scf::ForOp loop, IndexExprs &exprs) {
  return findLength(exprs.of(loop.getLowerBound()), loop.getUpperBound(),
                    exprs);
}

/// Takes `counter` as one that runs through a tile: so many values from where
/// the iteration says that it begins.
bool LoopIndependence::addTile(Extent &extent, Value counter, int64_t factor,
                               IndexExprs &exprs) {
  auto argument = dyn_cast<BlockArgument>(counter);
  auto inner = argument
                   ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                   : scf::ForOp();
  if (!inner || inner.getInductionVar() != counter)
    return false;
  IndexExpr lower = exprs.of(inner.getLowerBound());
  std::optional<int64_t> length =
      findLength(lower, inner.getUpperBound(), exprs);
  int64_t begin, width;
  if (!length || !isSmall(*length) || !isSmall(lower.getConstant()) ||
      llvm::MulOverflow(lower.getConstant(), factor, begin) ||
      llvm::MulOverflow(std::max<int64_t>(*length - 1, 0), factor, width) ||
      !isSmall(begin) || !isSmall(width))
    return false;
  Extent tile = extent;
  tile.first += begin + std::min<int64_t>(width, 0);
  tile.last += begin + std::max<int64_t>(width, 0);
  for (auto [value, times] : lower.getTerms()) {
    int64_t product;
    if (llvm::MulOverflow(times, factor, product) ||
        !addTerm(tile, value, product, exprs))
      return false;
  }
  extent = tile;
  return true;
}

bool LoopIndependence::addTerm(Extent &extent, Value value, int64_t factor,
                               IndexExprs &exprs) {
  if (value == loop.getInductionVar()) {
    extent.coefficient += factor;
    return isSmall(factor) && isSmall(extent.coefficient);
  }
  if (loop.isDefinedOutsideOfLoop(value)) {
    extent.base = extent.base + IndexExpr(value).scaled(factor);
    return true;
  }
  auto range = counterRange(value);
  if (!range)
    return addTile(extent, value, factor, exprs) ||
           (factor == 1 && addSegment(extent, value, exprs));
  int64_t first, last;
  if (llvm::MulOverflow(range->first, factor, first) ||
      llvm::MulOverflow(range->second, factor, last) || !isSmall(first) ||
      !isSmall(last))
    return false;
  extent.first += std::min(first, last);
  extent.last += std::max(first, last);
  return true;
}

std::optional<LoopIndependence::Extent>
LoopIndependence::extentOf(const IndexExpr &index, int64_t length,
                           IndexExprs &exprs) {
  Extent extent;
  extent.first = index.getConstant();
  extent.last = index.getConstant() + (length - 1);
  bool isKnown = isSmall(extent.first) && isSmall(extent.last) &&
                 llvm::all_of(index.getTerms(), [&](auto term) {
                   return addTerm(extent, term.first, term.second, exprs);
                 });
  return isKnown ? std::optional(extent) : std::nullopt;
}

LoopIndependence::Footprint
LoopIndependence::footprintOf(const MemoryAccess &access, IndexExprs &exprs) {
  SmallVector<IndexExpr> indices;
  for (Value index : access.indices)
    indices.push_back(exprs.of(index));
  Value memref = access.memref;
  // Views of other columns are apart in the array alone.
  while (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    if (!view.hasUnitStride() ||
        view.getSourceType().getRank() != view.getType().getRank())
      break;
    for (auto [index, offset] :
         llvm::zip_equal(indices, view.getMixedOffsets())) {
      auto value = dyn_cast<Value>(offset);
      index = index + (value ? exprs.of(value)
                             : IndexExpr(*getConstantIntValue(offset)));
    }
    memref = view.getSource();
  }
  Footprint footprint{memref, access.isStore(), {}};
  for (auto [dim, index] : llvm::enumerate(indices))
    footprint.extents.push_back(
        extentOf(index, access.extent(static_cast<int64_t>(dim)), exprs));
  return footprint;
}

void LoopIndependence::collect(IndexExprs &exprs) {
  loop.getBody()->walk([&](Operation *op) {
    if (isMemoryEffectFree(op) || isa<memref::PrefetchOp, cf::AssertOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (!access) {
      auto note = [&](Value memref, bool isWrite) {
        if (!isOwn(memref))
          footprints.push_back({memref, isWrite, {}});
      };
      if (forEachMemRefEffect(op, note))
        return WalkResult::advance();
      refusal =
          ("what '" + op->getName().getStringRef() + "' does is not known")
              .str();
      return WalkResult::interrupt();
    }
    if (isOwn(access->memref))
      return WalkResult::advance();
    footprints.push_back(footprintOf(*access, exprs));
    return WalkResult::advance();
  });
}

bool LoopIndependence::areApartInIterations(const Extent &a,
                                            const Extent &b) const {
  if (!(a.base == b.base) || a.coefficient != b.coefficient ||
      a.offsets != b.offsets)
    return false;
  int64_t width = std::max(a.last, b.last) - std::min(a.first, b.first) + 1;
  // Segments follow one another, or the program fails.
  if (a.offsets)
    return a.coefficient == 0 && width == 1 && a.firstOffset == b.firstOffset;
  // Neighbours among the iterations are a step apart.
  int64_t apart;
  return !llvm::MulOverflow(std::abs(a.coefficient), step, apart) &&
         apart >= width;
}

/// Whether what `store` and `other` touch in different iterations is apart.
bool LoopIndependence::areApartInIterations(const Footprint &store,
                                            const Footprint &other) const {
  if (store.memref != other.memref)
    return false;
  if (isDeclaredApart(store.memref))
    return true;
  for (auto [a, b] : llvm::zip(store.extents, other.extents))
    if (a && b && areApartInIterations(*a, *b))
      return true;
  return false;
}

/// Whether two footprints are apart in any iterations.
bool LoopIndependence::areApart(const Footprint &a, const Footprint &b) {
  if (a.memref != b.memref)
    return false;
  for (auto [left, right] : llvm::zip(a.extents, b.extents))
    if (left && right && left->base == right->base && !left->coefficient &&
        !right->coefficient && !left->offsets && !right->offsets &&
        (left->last < right->first || right->last < left->first))
      return true;
  return false;
}

void LoopIndependence::findConflicts() {
  for (const Footprint &store : footprints) {
    if (!store.isStore)
      continue;
    for (const Footprint &other : footprints) {
      if (!aliasing->alias(store.memref, other.memref) ||
          areApartInIterations(store, other))
        continue;
      refusal = "iterations may store to the same place of " +
                memrefName(store.memref);
      if (!other.isStore)
        refusal = "an iteration may read from " + memrefName(other.memref) +
                  " what another one stores";
      return;
    }
  }
}

bool LoopIndependence::mayStoreTo(Value memref) const {
  return llvm::any_of(footprints, [&](const Footprint &footprint) {
    return footprint.isStore && aliasing->alias(footprint.memref, memref);
  });
}

bool LoopIndependence::isIndependentOf(const LoopIndependence &other) const {
  for (const Footprint &mine : footprints)
    for (const Footprint &theirs : other.footprints)
      if ((mine.isStore || theirs.isStore) &&
          aliasing->alias(mine.memref, theirs.memref) &&
          !areApart(mine, theirs))
        return false;
  return true;
}

} // namespace ember
