//===- VectorizeWorkspaces.cpp - Vectorise loops of the compute side ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that load nothing new are not offloaded, and slc-vectorize does not see
// them. Those over a row become loops over vectors here, so that passes behind
// this one can keep the row in registers.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Analysis/SameValue.h"
#include "ember/Conversion/StreamCode/Traversal.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_VECTORIZEWORKSPACES
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// A loop over a row, of which each iteration touches its own elements.
class RowLoop {
public:
  RowLoop(scf::ForOp loop, const MemoryAliasing &aliasing)
      : loop(loop), aliasing(aliasing) {}

  /// Whether running iterations in lanes gives the same values.
  bool isVectorizable();
  /// Bits of the widest element that is loaded, stored or computed.
  int64_t getWidestBits() const { return widest; }
  void vectorize(int64_t lanes);

private:
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  bool isRowElement(const MemoryAccess &access);
  bool isUniform(const MemoryAccess &access);
  bool isPosition(Operation &op);
  bool noteElement(Type type);
  bool isUnderstood(Operation &op);
  bool areStoresApart();
  Value getVector(OpBuilder &builder, Location loc, Value scalar,
                  int64_t lanes);
  void vectorize(OpBuilder &builder, Operation &op, int64_t lanes, Value mask);

  scf::ForOp loop;
  const MemoryAliasing &aliasing;
  IndexExprs exprs;
  int64_t widest = 0;
  SmallVector<MemoryAccess> accesses;
  /// Copies for lane 0, and the vectors of what differs from lane to lane.
  IRMapping scalars, vectors;
};

struct VectorizeWorkspaces
    : impl::VectorizeWorkspacesBase<VectorizeWorkspaces> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Whether the access goes from element to element of a row as the loop does.
bool RowLoop::isRowElement(const MemoryAccess &access) {
  auto type = cast<MemRefType>(access.memref.getType());
  if (access.indices.empty() || !isOutside(access.memref) ||
      !type.areTrailingDimsContiguous(1) ||
      !llvm::all_of(access.indices.drop_back(),
                    [&](Value index) { return isOutside(index); }))
    return false;
  IndexExpr last = exprs.of(access.indices.back());
  return last.coefficient(loop.getInductionVar()) == 1 &&
         llvm::all_of(last.getTerms(), [&](const IndexExpr::Term &term) {
           return term.first == loop.getInductionVar() || isOutside(term.first);
         });
}

/// Whether all iterations load the same element.
bool RowLoop::isUniform(const MemoryAccess &access) {
  return !access.isStore() && isOutside(access.memref) &&
         llvm::all_of(access.indices,
                      [&](Value index) { return isOutside(index); });
}

/// Whether `op` computes nothing but where elements are.
bool RowLoop::isPosition(Operation &op) {
  return isPure(&op) && op.getNumRegions() == 0 && op.getNumResults() == 1 &&
         op.getResult(0).getType().isIndex() &&
         llvm::all_of(op.getOperandTypes(),
                      [](Type type) { return type.isIndex(); }) &&
         llvm::all_of(op.getUsers(), [&](Operation *user) {
           if (user->getBlock() != loop.getBody())
             return false;
           std::optional<MemoryAccess> access = MemoryAccess::of(user);
           return access ? access->stored != op.getResult(0)
                         : user->getResultTypes() ==
                               TypeRange(op.getResultTypes());
         });
}

/// Whether there are vectors of elements of `type`.
bool RowLoop::noteElement(Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return false;
  widest = std::max<int64_t>(widest, type.getIntOrFloatBitWidth());
  return true;
}

/// Inactive lanes hold zeros, by which nothing may be divided.
static bool dividesIntegers(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

bool RowLoop::isUnderstood(Operation &op) {
  if (std::optional<MemoryAccess> access = MemoryAccess::of(&op)) {
    accesses.push_back(*access);
    return isa<memref::LoadOp, memref::StoreOp>(op) &&
           noteElement(access->type) &&
           (isRowElement(*access) || isUniform(*access));
  }
  if (isPosition(op))
    return true;
  auto isIndex = [](Type type) { return type.isIndex(); };
  return OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op) &&
         !dividesIntegers(op) && llvm::none_of(op.getOperandTypes(), isIndex) &&
         llvm::all_of(op.getOperandTypes(),
                      [&](Type type) { return noteElement(type); }) &&
         llvm::all_of(op.getResultTypes(),
                      [&](Type type) { return noteElement(type); });
}

/// Whether nothing else touches what an iteration stores to, but that iteration
/// at the same place.
bool RowLoop::areStoresApart() {
  auto isSamePlace = [&](const MemoryAccess &a, const MemoryAccess &b) {
    return a.memref == b.memref && areSameValues(a.indices, b.indices, exprs);
  };
  for (const MemoryAccess &store : accesses)
    if (store.isStore())
      for (const MemoryAccess &other : accesses)
        if (aliasing.alias(store.memref, other.memref) &&
            !isSamePlace(store, other))
          return false;
  return llvm::any_of(accesses, [](const auto &a) { return a.isStore(); });
}

bool RowLoop::isVectorizable() {
  if (loop.getUnsignedCmp() || loop->getNumResults() != 0 ||
      !loop.getInductionVar().getType().isIndex() ||
      getConstantIntValue(loop.getStep()) != int64_t(1))
    return false;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isUnderstood(op))
      return false;
  return areStoresApart();
}

Value RowLoop::getVector(OpBuilder &builder, Location loc, Value scalar,
                         int64_t lanes) {
  if (Value vector = vectors.lookupOrNull(scalar))
    return vector;
  auto type = VectorType::get({lanes}, scalar.getType());
  return vector::BroadcastOp::create(builder, loc, type,
                                     scalars.lookupOrDefault(scalar));
}

void RowLoop::vectorize(OpBuilder &builder, Operation &op, int64_t lanes,
                        Value mask) {
  Location loc = op.getLoc();
  std::optional<MemoryAccess> access = MemoryAccess::of(&op);
  if (access ? isUniform(*access) : isPosition(op)) {
    builder.clone(op, scalars);
    return;
  }
  if (!access) {
    Operation *wide = Operation::create(
        loc, op.getName(),
        llvm::map_to_vector(
            op.getResultTypes(),
            [&](Type type) -> Type { return VectorType::get({lanes}, type); }),
        llvm::map_to_vector(op.getOperands(),
                            [&](Value operand) {
                              return getVector(builder, loc, operand, lanes);
                            }),
        op.getAttrDictionary(), op.getPropertiesStorage(), {}, 0);
    builder.insert(wide);
    vectors.map(op.getResults(), wide->getResults());
    return;
  }
  auto indices = llvm::map_to_vector(access->indices, [&](Value index) {
    return scalars.lookupOrDefault(index);
  });
  auto type = VectorType::get({lanes}, access->type);
  if (access->isStore()) {
    Value stored = getVector(builder, loc, access->stored, lanes);
    if (mask)
      vector::MaskedStoreOp::create(builder, loc, access->memref, indices, mask,
                                    stored);
    else
      vector::StoreOp::create(builder, loc, stored, access->memref, indices);
    return;
  }
  Value loaded;
  if (mask) {
    Value none =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    loaded = vector::MaskedLoadOp::create(builder, loc, type, access->memref,
                                          indices, mask, none);
  } else {
    loaded =
        vector::LoadOp::create(builder, loc, type, access->memref, indices);
  }
  vectors.map(op.getResult(0), loaded);
}

void RowLoop::vectorize(int64_t lanes) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  std::optional<APInt> trips = loop.getStaticTripCount();
  bool isFull = trips && trips->urem(lanes) == 0;
  auto traversal = Traversal::of(loop, lanes);
  TraversalRange range = emitRange(builder, loc, traversal);
  auto wide =
      scf::ForOp::create(builder, loc, range.lower, range.upper, range.step);
  wide->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(wide.getBody());
  Value position = wide.getInductionVar();
  scalars.map(loop.getInductionVar(),
              emitFirst(builder, loc, traversal, range, position));
  Value mask;
  if (!isFull)
    mask = emitMask(builder, loc, traversal, range, position);
  for (Operation &op : loop.getBody()->without_terminator())
    vectorize(builder, op, lanes, mask);
  loop.erase();
}

void VectorizeWorkspaces::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  int64_t bits =
      vectorBits ? vectorBits : TargetAttr::of(getOperation()).getVectorBits();
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    RowLoop row(loop, aliasing);
    if (!row.isVectorizable())
      continue;
    int64_t lanes = bits / std::max<int64_t>(row.getWidestBits(), 8);
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (trips && trips->ult(lanes))
      lanes = llvm::bit_ceil(trips->getZExtValue());
    if (lanes < 2)
      continue;
    row.vectorize(lanes);
    ++vectorized;
  }
}

} // namespace ember::loops
