//===- UnrollLookups.cpp - Unroll the loop over a row ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowRegisters.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_UNROLLLOOKUPS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
struct UnrollLookups : impl::UnrollLookupsBase<UnrollLookups> {
  using Base::Base;
  void runOnOperation() override;

private:
  int64_t availableRegisters() {
    return vectorRegisters
               ? vectorRegisters
               : TargetAttr::of(getOperation()).getVectorRegisters();
  }
  int64_t registerBits() {
    return vectorBits ? vectorBits
                      : TargetAttr::of(getOperation()).getVectorBits();
  }
  bool shouldUnroll(scf::ForOp loop);
  bool isOverRow(scf::ForOp loop, const SmallPtrSetImpl<Value> &rows);
  void findNeighbours(scf::ForOp lookups, SetVector<Operation *> &loops);
};
} // namespace

/// Whether `op` is a function that takes many instructions and registers.
static bool isLong(Operation &op) {
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::SqrtOp>(op);
}

/// Whether the loop combines the vectors of a row for a reduction behind it.
static bool isReduced(scf::ForOp loop) {
  return loop->getNumResults() == 1 &&
         llvm::all_of(loop->getUsers(), llvm::IsaPred<vector::ReductionOp>) &&
         llvm::none_of(*loop.getBody(), isLong);
}

bool UnrollLookups::shouldUnroll(scf::ForOp loop) {
  auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
  if (!outer || loop.getUnsignedCmp())
    return false;
  for (Operation &op : *loop.getBody())
    if (op.getNumRegions() != 0)
      return false;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->isZero() || trips->ugt(1024))
    return false;
  int64_t available = availableRegisters();
  if (isReduced(loop))
    return trips->ule(available);
  if (loop->getNumResults() != 0)
    return false;
  SmallVector<MemoryAccess> accumulators = findAccumulators(loop, outer);
  if (accumulators.empty())
    accumulators = findSelectedRow(loop, outer);
  if (accumulators.empty())
    return false;

  RowRegisters registers(loop, accumulators, registerBits());
  return registers.forIterations(int64_t(trips->getZExtValue())) <= available;
}

/// Iterations of a loop that fills a row without loading anything, which takes
/// no registers.
static constexpr unsigned kMostFills = 64;

/// Whether the loop goes over one of `rows`, and what it computes fits the
/// registers.
bool UnrollLookups::isOverRow(scf::ForOp loop,
                              const SmallPtrSetImpl<Value> &rows) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->isZero() || loop->getNumResults() != 0 ||
      loop.getUnsignedCmp() || trips->ugt(kMostFills))
    return false;
  int64_t registers = 0;
  bool isOfRow = false, isFill = true;
  for (Operation &op : *loop.getBody()) {
    if (op.getNumRegions() != 0)
      return false;
    std::optional<MemoryAccess> access = MemoryAccess::of(&op);
    if (!access)
      continue;
    isOfRow |= rows.contains(access->memref);
    isFill &= access->isStore();
    if (access->isStore())
      registers += registersFor(access->type, registerBits());
  }
  return isOfRow && (isFill || registers * int64_t(trips->getZExtValue()) <=
                                   availableRegisters());
}

/// The loops that fill the row before `lookups`, an unrolled loop over it, and
/// that go on with it behind.
void UnrollLookups::findNeighbours(scf::ForOp lookups,
                                   SetVector<Operation *> &loops) {
  auto outer = cast<scf::ForOp>(lookups->getParentOp());
  SmallPtrSet<Value, 4> rows;
  for (const MemoryAccess &access : findAccumulators(lookups, outer))
    rows.insert(access.memref);
  if (!isa<scf::ForOp>(outer->getParentOp()))
    return;
  for (auto other : outer->getBlock()->getOps<scf::ForOp>())
    if (other != outer && isOverRow(other, rows))
      loops.insert(other);
}

void UnrollLookups::runOnOperation() {
  SetVector<Operation *> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (shouldUnroll(loop))
      loops.insert(loop);
  });
  for (Operation *loop : SmallVector<Operation *>(loops.getArrayRef()))
    findNeighbours(cast<scf::ForOp>(loop), loops);
  for (Operation *loop : loops)
    if (succeeded(loopUnrollFull(cast<scf::ForOp>(loop))))
      ++unrolled;
}

} // namespace ember::loops
