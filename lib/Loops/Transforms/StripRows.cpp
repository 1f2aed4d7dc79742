//===- StripRows.cpp - Sum long rows strip by strip -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for p { i = indices[p]; for e = 0 to 256 { out[b, e] += table[i, e] } }
//     ->
//   for p { i = indices[p]; for e = 0 to 128 { out[b, e] += table[i, e] } }
//   for p { i = indices[p]; for e = 128 to 256 { out[b, e] += table[i, e] } }
//
//===----------------------------------------------------------------------===//

#include "RowRegisters.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_STRIPROWS
#include "ember/Loops/Transforms/Passes.h.inc"

/// Strips of which a row has more are not worth their code.
static constexpr int64_t kMostStrips = 8;

namespace {
/// A loop over a row in a loop over lookups.
class RowNest {
public:
  RowNest(scf::ForOp row, scf::ForOp lookups, const MemoryAliasing &aliasing)
      : row(row), lookups(lookups), aliasing(aliasing) {}

  /// How many strips make the accumulators fit the registers: 1 if they do
  /// anyway, or if the lookups may not be gone through several times.
  int64_t countStrips(int64_t vectorBits, int64_t vectorRegisters);
  void strip(int64_t count);

private:
  bool onlyAccumulates();
  bool isApart(const MemoryAccess &store);

  scf::ForOp row, lookups;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  /// Every access in the nest.
  SmallVector<MemoryAccess> accesses;
};

struct StripRows : impl::StripRowsBase<StripRows> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Whether all that the nest does to memory is to read it, and to store to
/// accumulators in the loop over the row.
bool RowNest::onlyAccumulates() {
  auto result = lookups.getBody()->walk([&](Operation *op) {
    if (op == row)
      return WalkResult::advance();
    // What another loop computes would be computed for each strip.
    bool isLoop = isa<LoopLikeOpInterface>(op);
    bool isInRow = row->isProperAncestor(op);
    if (isLoop || (isInRow && op->getNumRegions() != 0))
      return WalkResult::interrupt();
    if (std::optional<MemoryAccess> access = MemoryAccess::of(op)) {
      accesses.push_back(*access);
      return access->isStore() && op->getBlock() != row.getBody()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    }
    bool isHarmless = isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op) ||
                      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether an iteration of the row stores to elements of its own, which nothing
/// else in the nest touches.
bool RowNest::isApart(const MemoryAccess &store) {
  Value counter = row.getInductionVar();
  int64_t last = static_cast<int64_t>(store.indices.size()) - 1;
  for (auto [dim, index] : llvm::enumerate(store.indices)) {
    IndexExpr expr = exprs.of(index);
    for (auto [value, factor] : expr.getTerms())
      if (value != counter && !lookups.isDefinedOutsideOfLoop(value))
        return false;
    int64_t apart;
    if (llvm::MulOverflow(expr.coefficient(counter),
                          *getConstantIntValue(row.getStep()), apart))
      return false;
    bool isLast = static_cast<int64_t>(dim) == last;
    if (isLast ? apart < store.extent(last) : apart != 0)
      return false;
  }
  return llvm::all_of(accesses, [&](const MemoryAccess &other) {
    return !aliasing.alias(store.memref, other.memref) ||
           (other.op->getBlock() == row.getBody() &&
            isSameAddress(store, other, exprs));
  });
}

int64_t RowNest::countStrips(int64_t vectorBits, int64_t vectorRegisters) {
  std::optional<APInt> trips = row.getStaticTripCount();
  if (!trips || trips->ugt(1024) || row->getNumResults() != 0 ||
      lookups->getNumResults() != 0 || row.getUnsignedCmp() ||
      !getConstantIntValue(row.getLowerBound()) ||
      !getConstantIntValue(row.getStep()))
    return 1;
  SmallVector<MemoryAccess> accumulators = findAccumulators(row, lookups);
  if (accumulators.empty())
    return 1;
  RowRegisters registers(row, accumulators, vectorBits);
  auto count = static_cast<int64_t>(trips->getZExtValue());
  int64_t most = (vectorRegisters - registers.temporaries) / registers.each;
  if (most < 1 || count <= most)
    return 1;
  int64_t strips = llvm::divideCeil(count, most);
  if (strips > kMostStrips || !onlyAccumulates())
    return 1;
  auto isAccumulator = [&](const MemoryAccess &access) {
    return llvm::any_of(accumulators, [&](const MemoryAccess &accumulator) {
      return accumulator.op == access.op;
    });
  };
  for (const MemoryAccess &access : accesses)
    if (access.isStore() && (!isAccumulator(access) || !isApart(access)))
      return 1;
  return strips;
}

/// Drops prefetches: the lookups of the first strip have made them.
static void dropPrefetches(scf::ForOp loop) {
  SmallVector<memref::PrefetchOp> prefetches;
  loop->walk([&](memref::PrefetchOp op) { prefetches.push_back(op); });
  for (memref::PrefetchOp prefetch : prefetches)
    prefetch.erase();
}

void RowNest::strip(int64_t count) {
  int64_t lower = *getConstantIntValue(row.getLowerBound());
  int64_t step = *getConstantIntValue(row.getStep());
  auto trips = static_cast<int64_t>(row.getStaticTripCount()->getZExtValue());
  OpBuilder builder(lookups);
  Location loc = row.getLoc();
  Type type = row.getInductionVar().getType();
  auto bound = [&](int64_t iteration) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, lower + iteration * step));
  };
  // As long as each other, so that none is much shorter than registers allow.
  int64_t length = llvm::divideCeil(trips, count);
  SmallVector<scf::ForOp> rows = {row};
  builder.setInsertionPointAfter(lookups);
  for (int64_t number = 1; number < count; ++number) {
    IRMapping mapping;
    auto copy = cast<scf::ForOp>(builder.clone(*lookups, mapping));
    rows.push_back(cast<scf::ForOp>(mapping.lookup(row.getOperation())));
    dropPrefetches(copy);
  }
  builder.setInsertionPoint(lookups);
  Value upper = row.getUpperBound();
  for (auto [number, strip] : llvm::enumerate(rows)) {
    auto first = static_cast<int64_t>(number) * length;
    if (number != 0)
      strip.setLowerBound(bound(first));
    strip.setUpperBound(number + 1 == rows.size() ? upper
                                                  : bound(first + length));
  }
}

void StripRows::runOnOperation() {
  auto target = TargetAttr::of(getOperation());
  int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
  int64_t registers =
      vectorRegisters ? vectorRegisters : target.getVectorRegisters();
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> rows;
  getOperation().walk([&](scf::ForOp loop) {
    if (isa<scf::ForOp>(loop->getParentOp()))
      rows.push_back(loop);
  });
  for (scf::ForOp row : rows) {
    RowNest nest(row, cast<scf::ForOp>(row->getParentOp()), aliasing);
    int64_t count = nest.countStrips(bits, registers);
    if (count == 1)
      continue;
    nest.strip(count);
    ++stripped;
  }
}

} // namespace ember::loops
