//===- LoopCost.cpp - What the iterations of a loop cost ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/LoopCost.h"
#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/SegmentBounds.h"
#include "ember/Dialect/Ember/IR/Ember.h"

using namespace mlir;

namespace ember {

/// Iterations of a loop of which nothing is known.
static constexpr int64_t kUnknownTrips = 16;
/// A line that is prefetched comes from memory, at some 10 GB/s.
static constexpr int64_t kPrefetchCost = 16;
static constexpr int64_t kAccessCost = 2;
/// Elements that one operation handles.
static constexpr int64_t kLanes = 16;
/// Nested loops multiply; what is this much is enough for anything.
static constexpr int64_t kMostCost = int64_t(1) << 40;

namespace {
class CostEstimate {
public:
  CostEstimate(scf::ForOp loop, IndexExprs &exprs) : loop(loop), exprs(exprs) {}

  LoopCost run() {
    // The loop inside is one piece.
    if (auto length = loop->getAttrOfType<IntegerAttr>(piecesAttr))
      unknownTrips = length.getInt();
    result.cost = costOf(*loop.getBody(), /*repeated=*/false);
    return result;
  }

private:
  int64_t costOf(Block &block, bool repeated);
  int64_t costOf(Operation &op, bool repeated);
  bool takeSegment(scf::ForOp inner, int64_t cost);

  scf::ForOp loop;
  IndexExprs &exprs;
  LoopCost result;
  int64_t unknownTrips = kUnknownTrips;
};
} // namespace

static int64_t registersOf(Operation &op) {
  int64_t most = 1;
  auto count = [&](Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      most = std::max(most, vector.getNumElements() / kLanes);
  };
  llvm::for_each(op.getOperandTypes(), count);
  llvm::for_each(op.getResultTypes(), count);
  return most;
}

/// Takes `inner` as the loop over the segments of iterations, if it is one. A
/// second loop over the same segments adds to the first.
bool CostEstimate::takeSegment(scf::ForOp inner, int64_t cost) {
  auto [begin, end] =
      findSegmentBounds(inner.getLowerBound(), inner.getUpperBound(), exprs);
  if (!begin || begin.getIndices().size() != 1 ||
      !loop.isDefinedOutsideOfLoop(begin.getMemRef()))
    return false;
  Type element = begin.getMemRefType().getElementType();
  if (!element.isIndex() && !element.isInteger(32) && !element.isInteger(64))
    return false;
  IndexExpr first =
      exprs.of(begin.getIndices().front()) - IndexExpr(loop.getInductionVar());
  for (auto [value, factor] : first.getTerms())
    if (!loop.isDefinedOutsideOfLoop(value))
      return false;
  if (result.offsets &&
      (result.offsets != begin.getMemRef() || !(result.firstOffset == first)))
    return false;
  result.offsets = begin.getMemRef();
  result.firstOffset = first;
  result.segmentCost = std::min(result.segmentCost + cost, kMostCost);
  return true;
}

int64_t CostEstimate::costOf(Operation &op, bool repeated) {
  if (op.hasTrait<OpTrait::ConstantLike>() ||
      op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (isa<memref::PrefetchOp>(op))
    return kPrefetchCost;
  if (MemoryAccess::of(&op))
    return kAccessCost * registersOf(op);
  auto inner = dyn_cast<scf::ForOp>(op);
  if (!inner) {
    int64_t cost = registersOf(op);
    for (Region &region : op.getRegions())
      for (Block &block : region)
        cost += costOf(block, repeated);
    return std::min(cost, kMostCost);
  }
  // What few iterations do, and what they do on other threads.
  if (inner->hasAttr(piecesAttr))
    return 1;
  int64_t cost = 1 + costOf(*inner.getBody(), /*repeated=*/true);
  if (!repeated && takeSegment(inner, cost))
    return 1;
  std::optional<APInt> trips = inner.getStaticTripCount();
  int64_t count =
      trips ? int64_t(trips->getLimitedValue(kMostCost)) : unknownTrips;
  int64_t product;
  return llvm::MulOverflow(cost, count, product) ? kMostCost
                                                 : std::min(product, kMostCost);
}

int64_t CostEstimate::costOf(Block &block, bool repeated) {
  int64_t cost = 0;
  for (Operation &op : block)
    cost += costOf(op, repeated);
  return std::min(cost, kMostCost);
}

LoopCost estimateCost(scf::ForOp loop, IndexExprs &exprs) {
  return CostEstimate(loop, exprs).run();
}

} // namespace ember
