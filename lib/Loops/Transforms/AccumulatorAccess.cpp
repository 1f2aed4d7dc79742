//===- AccumulatorAccess.cpp - Accumulators before loops and behind -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulatorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ember::loops {

bool inactiveLanesMatter(Value value, Value mask, unsigned depth) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto store = dyn_cast<vector::MaskedStoreOp>(user))
      return store.getMask() != mask;
    if (depth == 0 || !OpTrait::hasElementwiseMappableTraits(user))
      return true;
    return llvm::any_of(user->getResults(), [&](Value result) {
      return inactiveLanesMatter(result, mask, depth - 1);
    });
  });
}

scf::ForOp carryAlso(RewriterBase &rewriter, scf::ForOp loop,
                     ValueRange initial) {
  NewYieldValuesFn keepValues = [](OpBuilder &, Location,
                                   ArrayRef<BlockArgument> arguments) {
    return llvm::to_vector_of<Value>(arguments);
  };
  return cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false, keepValues));
}

Value replaceAccesses(RewriterBase &rewriter, ArrayRef<MemoryAccess> accesses,
                      Value value) {
  for (const MemoryAccess &access : accesses) {
    if (!access.isStore()) {
      rewriter.replaceOp(access.op, value);
      continue;
    }
    // Read now: an earlier replacement may have changed it.
    value = MemoryAccess::of(access.op)->stored;
    rewriter.eraseOp(access.op);
  }
  return value;
}

/// Whether the loop is known to run at least once.
static bool runsAtLeastOnce(scf::ForOp loop) {
  auto lower = getConstantIntValue(loop.getLowerBound());
  auto upper = getConstantIntValue(loop.getUpperBound());
  return lower && upper && !loop.getUnsignedCmp() && *lower < *upper;
}

void guardByTrips(scf::ForOp loop) {
  if (runsAtLeastOnce(loop))
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt;
  Value runs = arith::CmpIOp::create(
      builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
  bool hasResults = loop->getNumResults() != 0;
  auto guard = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs,
                                 /*addThenBlock=*/true,
                                 /*addElseBlock=*/hasResults);
  loop->replaceAllUsesWith(guard.getResults());
  if (hasResults) {
    OpBuilder other = guard.getElseBodyBuilder();
    scf::YieldOp::create(other, loc, loop.getInitArgs());
  }
  OpBuilder then = OpBuilder::atBlockEnd(guard.thenBlock());
  auto yield = hasResults ? scf::YieldOp::create(then, loc, loop.getResults())
                          : scf::YieldOp::create(then, loc);
  loop->moveBefore(yield);
}

Value loadAccumulator(OpBuilder &builder, const MemoryAccess &address) {
  Location loc = address.op->getLoc();
  auto vector = dyn_cast<VectorType>(address.type);
  if (!vector)
    return memref::LoadOp::create(builder, loc, address.memref,
                                  address.indices);
  if (!address.mask)
    return vector::LoadOp::create(builder, loc, vector, address.memref,
                                  address.indices);
  Value passThrough = address.passThrough;
  if (!passThrough)
    passThrough =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  return vector::MaskedLoadOp::create(builder, loc, vector, address.memref,
                                      address.indices, address.mask,
                                      passThrough);
}

void storeAccumulator(OpBuilder &builder, const MemoryAccess &address,
                      Value value) {
  Location loc = address.op->getLoc();
  if (!isa<VectorType>(address.type))
    memref::StoreOp::create(builder, loc, value, address.memref,
                            address.indices);
  else if (!address.mask)
    vector::StoreOp::create(builder, loc, value, address.memref,
                            address.indices);
  else
    vector::MaskedStoreOp::create(builder, loc, address.memref, address.indices,
                                  address.mask, value);
}

} // namespace ember::loops
