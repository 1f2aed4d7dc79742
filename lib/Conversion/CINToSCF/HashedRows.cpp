//===- HashedRows.cpp - Which rows are added up in tables -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place for each element of a row is found without any search, but there has
// to be memory for it, and where few of very many are used, each is in a page
// of its own. A table is as large as what a row stores at most, which is how
// long the segments are that its loops walk: see RowBounds.cpp.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"
#include "HashWorkspace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Elements of a row, and how many there are for what is stored once, beyond
/// which a table takes less time on one thread.
static constexpr int64_t mostNear = int64_t(1) << 22;
static constexpr int64_t nearPlacesOfStore = 4096;
/// The same, beyond which it is worth more than several threads, because of
/// memory.
static constexpr int64_t mostPlaces = int64_t(1) << 26;
static constexpr int64_t placesOfStore = 64;

void EvaluationLowering::setExtents(WhereOp where) {
  Storage storage;
  storage.type = cast<ArrayType>(where.getWorkspaceType());
  storage.sizes = sizesOf(where);
  for (Region *region : {&where.getProducers(), &where.getConsumers()})
    levels.setStorage(region->getArgument(0), storage);
}

WhereOp EvaluationLowering::findHashed(ForallOp rows) {
  if (rows.getVariables().size() != 1 || rows.getIteration())
    return nullptr;
  WhereOp where;
  for (Operation &op : *rows.getBody()) {
    auto mine = dyn_cast<WhereOp>(op);
    if ((mine && where) || (!mine && !isKnownBefore(op)))
      return nullptr;
    where = mine ? mine : where;
  }
  auto type = where ? dyn_cast<ArrayType>(where.getWorkspaceType()) : nullptr;
  if (!type || !HashWorkspace::takes(type) ||
      !hasStoreBound(where.getProducers().front()))
    return nullptr;
  // Others inside have places.
  WalkResult search = rows.walk([&](WhereOp other) {
    return other == where ? WalkResult::advance() : WalkResult::interrupt();
  });
  return search.wasInterrupted() ? WhereOp() : where;
}

std::pair<Value, Value> EvaluationLowering::emitHashChoice(ForallOp rows,
                                                           WhereOp where,
                                                           Value hasThreads) {
  setExtents(where);
  Value size = sizesOf(where).front();
  auto isAbove = [&](Value number, Value other) -> Value {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, number,
                                 other);
  };
  Value isLong = isAbove(size, constant(mostNear));
  auto [lower, upper] = bounds(rows, 0);
  Value last = arith::SelectOp::create(builder, isLong, upper, lower);
  auto loop = scf::ForOp::create(builder, lower, last, constant(1),
                                 ValueRange{constant(0)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    BlockArgument row = rows.getVariables()[0];
    values.map(row, loop.getInductionVar());
    for (Operation &op : *rows.getBody())
      if (!isa<WhereOp>(op))
        emit(op);
    Value stores = emitStoreBound(where.getProducers().front());
    scf::YieldOp::create(builder, arith::MaxSIOp::create(
                                      builder, loop.getRegionIterArg(0), stores)
                                      .getResult());
    values.erase(row);
  }
  Value most = loop.getResult(0);
  auto hasPlaces = [&](int64_t ofStore) -> Value {
    return isAbove(arith::DivUIOp::create(builder, size, constant(ofStore)),
                   most);
  };
  Value isFaster =
      arith::AndIOp::create(builder, isLong, hasPlaces(nearPlacesOfStore));
  if (hasThreads) {
    Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
    Value isAlone = arith::XOrIOp::create(builder, hasThreads, yes);
    isFaster = arith::AndIOp::create(builder, isFaster, isAlone);
  }
  Value isSmaller = arith::AndIOp::create(
      builder, isAbove(size, constant(mostPlaces)), hasPlaces(placesOfStore));
  return {arith::OrIOp::create(builder, isFaster, isSmaller), most};
}

void EvaluationLowering::emitHashed(Value condition, Value most,
                                    llvm::function_ref<void()> emitLoops) {
  auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Operation *endBefore = lifetimeEnd;
  lifetimeEnd = branch.thenYield();
  // In front of what loops need, there is an operation in the branch.
  hashedStores = arith::MaxSIOp::create(builder, most, constant(1));
  emitLoops();
  hashedStores = nullptr;
  lifetimeEnd = endBefore;
}

SmallVector<Value> EvaluationLowering::roomOf(WhereOp where) {
  SmallVector<Value> sizes = sizesOf(where);
  if (isHashed)
    for (Value &size : sizes)
      size = arith::SelectOp::create(builder, isHashed, constant(0), size);
  return sizes;
}
