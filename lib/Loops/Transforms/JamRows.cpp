//===- JamRows.cpp - Compute several rows that read the same at once ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for b = 0 to n {
//     for p = 0 to m { i = load at[p]; out[b, i] += v[p] * load table[b, p] }
//   }
//     ->
//   for b = 0 to n step 2 {
//     for p = 0 to m {
//       i = load at[p]; w = load v[p]
//       out[b, i] += w * load table[b, p]
//       out[b + 1, i] += w * load table[b + 1, p]
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "JammedCode.h"
#include "RowRegisters.h"
#include "ember/Analysis/Buffers.h"
#include "ember/Analysis/LoopIndependence.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_JAMROWS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// A loop over rows, each of which goes over the same list.
class JammedRows {
public:
  JammedRows(scf::ForOp outer, const MemoryAliasing &aliasing)
      : outer(outer), aliasing(aliasing) {}

  /// Whether rows may be computed at once, and gain by that.
  bool find();
  /// Registers that hold the sums of a row.
  int64_t countSums(int64_t vectorBits);
  void jam(int64_t count);

private:
  bool collect(Operation &op);
  bool collectAll();
  bool isSum(const MemoryAccess &store);
  bool isUniform(Value value);
  bool isCounted(Value index);
  void findUniform();
  bool sharesLoads();

  scf::ForOp outer, inner;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  SmallVector<MemoryAccess> accesses;
  size_t operations = 0;
  /// What is the same in all rows.
  llvm::SetVector<Operation *> uniform;
};

struct JamRows : impl::JamRowsBase<JamRows> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

bool JammedRows::collect(Operation &op) {
  ++operations;
  if (isPrefetch(op))
    return true;
  std::optional<MemoryAccess> access = MemoryAccess::of(&op);
  if (access)
    accesses.push_back(*access);
  return op.getNumRegions() == 0 && (access || isPure(&op));
}

/// Notes what the loop accesses; false if it does anything else, or if there is
/// not one loop in it, which all rows run as often.
bool JammedRows::collectAll() {
  for (Operation &op : outer.getBody()->without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      if (!collect(op))
        return false;
      continue;
    }
    auto isOutside = [&](Value bound) {
      return outer.isDefinedOutsideOfLoop(bound);
    };
    if (inner || loop.getUnsignedCmp() ||
        !loop.getInductionVar().getType().isIndex() ||
        !isOutside(loop.getLowerBound()) || !isOutside(loop.getUpperBound()) ||
        !isOutside(loop.getStep()))
      return false;
    inner = loop;
    for (Operation &part : loop.getBody()->without_terminator())
      if (!collect(part))
        return false;
  }
  return inner && operations <= JammedCode::kMostOperations;
}

bool JammedRows::isUniform(Value value) {
  return outer.isDefinedOutsideOfLoop(value) ||
         value == inner.getInductionVar() ||
         uniform.contains(value.getDefiningOp());
}

/// Notes what computes, loads or prefetches the same in all rows.
void JammedRows::findUniform() {
  auto isStored = [&](Value memref) {
    return llvm::any_of(accesses, [&](const MemoryAccess &access) {
      return access.isStore() && aliasing.alias(access.memref, memref);
    });
  };
  outer.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == inner)
      return WalkResult::advance();
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    auto isSame = [&](Value value) { return isUniform(value); };
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    bool isRepeatable = access ? !access->isStore() && !isStored(access->memref)
                               : isPure(op) || isPrefetch(*op);
    if (isRepeatable && !op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::all_of(op->getOperands(), isSame) && llvm::all_of(above, isSame))
      uniform.insert(op);
    // Conditions of prefetches are done as a whole.
    return WalkResult::skip();
  });
}

/// Whether an index is the same in all rows, or counts them.
bool JammedRows::isCounted(Value index) {
  return llvm::all_of(exprs.of(index).getTerms(), [&](auto term) {
    return term.first == outer.getInductionVar() || isUniform(term.first);
  });
}

/// Whether what is stored is to be added to: it stays where it is from one
/// iteration of the inner loop to the next, or an index that is looked up
/// selects it, which may stay the same.
bool JammedRows::isSum(const MemoryAccess &store) {
  return isa<VectorType>(store.type) &&
         llvm::all_of(store.indices, [&](Value index) {
           return exprs.of(index).coefficient(inner.getInductionVar()) == 0;
         });
}

/// Whether the inner loop loads something that is the same in all rows.
bool JammedRows::sharesLoads() {
  return llvm::any_of(accesses, [&](const MemoryAccess &access) {
    return inner->isProperAncestor(access.op) && uniform.contains(access.op);
  });
}

bool JammedRows::find() {
  std::optional<int64_t> step = getConstantIntValue(outer.getStep());
  if (outer->getNumResults() != 0 || outer.getUnsignedCmp() || !step ||
      *step <= 0 || !llvm::isInt<16>(*step) ||
      !outer.getInductionVar().getType().isIndex() ||
      outer->hasAttr(piecesAttr) || outer->hasAttr(groupAttr) || !collectAll())
    return false;
  for (const MemoryAccess &access : accesses) {
    Operation *buffer = getBuffer(access.memref).getDefiningOp();
    // Rows one after the other use the same scratch.
    bool isScratch = buffer && (isa<memref::AllocaOp>(buffer) ||
                                buffer->hasAttr(scratchAttr));
    if (isScratch || !outer.isDefinedOutsideOfLoop(access.memref) ||
        (access.isStore() && inner->isProperAncestor(access.op) &&
         !isSum(access)))
      return false;
  }
  if (!LoopIndependence(outer, aliasing, exprs).isParallel())
    return false;
  findUniform();
  auto isInOrder = [&](const MemoryAccess &access) {
    return llvm::all_of(access.indices,
                        [&](Value index) { return isCounted(index); });
  };
  return sharesLoads() && llvm::all_of(accesses, isInOrder);
}

int64_t JammedRows::countSums(int64_t vectorBits) {
  int64_t sums = 0;
  for (Value carried : inner.getInitArgs())
    sums += registersFor(carried.getType(), vectorBits);
  for (const MemoryAccess &access : accesses)
    if (access.isStore() && inner->isProperAncestor(access.op))
      sums += registersFor(access.type, vectorBits);
  return sums;
}

void JammedRows::jam(int64_t count) {
  JammedCode code(outer, inner);
  for (Operation *op : uniform)
    code.doOnce(op);
  code.jam(count);
}

void JamRows::runOnOperation() {
  auto target = TargetAttr::of(getOperation());
  int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
  int64_t registers =
      vectorRegisters ? vectorRegisters : target.getVectorRegisters();
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    JammedRows rows(loop, aliasing);
    if (!rows.find())
      continue;
    int64_t sums = rows.countSums(bits);
    int64_t count = sums == 0 ? 1 : countTogetherIn(loop, sums, registers);
    if (count == 1)
      continue;
    rows.jam(count);
    ++jammed;
  }
}

} // namespace ember::loops
