//===- RowBounds.cpp - How much rows of a result need at most -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting what a product stores takes nearly as long as the product. How many
// terms a row has is known without looking at any of them: it is what the
// segments are long that the innermost loops walk. Rows have no more elements
// than terms, and no more than they are long.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// Positions of which it costs little to reserve more than are needed: what
/// nobody touches is only addresses. Of more, exactly how many is counted.
static constexpr int64_t mostReserved = int64_t(1) << 24;

/// The loops that are directly in a block.
static auto getLoops(Block &block) { return block.getOps<ForallOp>(); }

bool cin::isKnownBefore(Operation &op) {
  if (auto access = dyn_cast<AccessOp>(op)) {
    Value array = access.getArray();
    return !isa<ArrayType>(array.getType()) || array.getDefiningOp();
  }
  return isa<ApplyOp, CallOp, ExtentOp, LiteralOp>(op);
}

bool cin::hasStoreBound(Block &block) {
  bool isInnermostBlock = getLoops(block).empty();
  for (Operation &op : block) {
    if (auto forall = dyn_cast<ForallOp>(op)) {
      Block *body = forall.getBody();
      bool isOne = forall.getVariables().size() == 1;
      if (!hasStoreBound(*body) || !(isOne || getLoops(*body).empty()))
        return false;
      continue;
    }
    // What is behind a condition may be looked up only where it holds.
    if (auto branch = dyn_cast<IfOp>(op)) {
      Block &guarded = branch.getRegion().front();
      if (!getLoops(guarded).empty() || !hasStoreBound(guarded))
        return false;
      continue;
    }
    if (isa<WhereOp>(op))
      return false;
    if (!isInnermostBlock && !isa<AssignOp>(op) && !isKnownBefore(op))
      return false;
  }
  return true;
}

/// What stores to a workspace that `fiber` is one of; null if it is none.
static Block *findProducers(const Fiber &fiber) {
  auto argument = dyn_cast<BlockArgument>(fiber.array);
  Operation *parent = argument ? argument.getOwner()->getParentOp() : nullptr;
  auto where = dyn_cast_if_present<WhereOp>(parent);
  return where ? &where.getProducers().front() : nullptr;
}

ForallOp EvaluationLowering::findRows(ForallOp statement) {
  bool isInWorkspace = false, isKnown = true;
  Block *block = statement->getBlock();
  ForallOp rows = statement;
  AssignOp assign;
  // Nothing but loops and workspaces around one loop that assigns.
  for (Operation *op = statement; op;) {
    auto forall = dyn_cast<ForallOp>(op);
    auto where = dyn_cast<WhereOp>(op);
    isInWorkspace |= !!where;
    isKnown &= !where || isa<ArrayType>(where.getWorkspaceType());
    block = forall ? forall.getBody() : &where.getConsumers().front();
    rows = forall ? forall : rows;
    op = nullptr;
    for (Operation &inner : *block) {
      bool isNest = isa<ForallOp, WhereOp>(inner);
      if ((isNest || isa<AssignOp>(inner)) && (op || assign))
        return nullptr;
      if (isNest)
        op = &inner;
      else if (auto mine = dyn_cast<AssignOp>(inner))
        assign = mine;
      else
        isKnown &= isKnownBefore(inner);
    }
    // What is computed at an element is not looked at.
    if (op && !isKnown)
      return nullptr;
  }
  AssembleOp array =
      assign ? assign.getArray().getDefiningOp<AssembleOp>() : nullptr;
  if (!isInWorkspace || !array || !array.getCounting() ||
      assign->getParentOp() != rows || !rows.getIteration() ||
      rows.getVariables().size() != 1)
    return nullptr;
  ArrayRef<Level> all = array.getType().getFormat().getLevels();
  if (all.back().kind != LevelKind::compressed ||
      getPlace(assign).back() != rows.getVariables().front())
    return nullptr;
  for (const Fiber &fiber : getLevelOperands(rows))
    if (Block *producers = findProducers(fiber);
        producers && !hasStoreBound(*producers))
      return nullptr;
  return rows;
}

Value EvaluationLowering::emitVisitBound(ForallOp forall) {
  Value none = constant(0);
  Value visits = constant(1);
  for (auto [number, variable] : llvm::enumerate(forall.getVariables())) {
    auto [lower, upper] = bounds(forall, number);
    Value length = arith::SubIOp::create(builder, upper, lower);
    length = arith::MaxSIOp::create(builder, length, none);
    visits = arith::MulIOp::create(builder, visits, length);
  }
  IterationAttr iteration = forall.getIterationAttr();
  if (!iteration)
    return visits;
  SmallVector<Fiber> fibers = getLevelOperands(forall);
  auto leaf = [&](unsigned operand) -> Value {
    const Fiber &fiber = fibers[operand];
    if (Block *producers = findProducers(fiber))
      return hasStoreBound(*producers) ? emitStoreBound(*producers) : Value();
    if (!fiber.getLevel().isListed())
      return nullptr;
    Segment segment = levels.getSegment(fiber);
    Value length = arith::SubIOp::create(builder, segment.end, segment.begin);
    return arith::MaxSIOp::create(builder, length, none);
  };
  // What is not known is all.
  auto join = [&](Value a, Value b) -> Value {
    return a && b ? arith::AddIOp::create(builder, a, b).getResult() : nullptr;
  };
  auto meet = [&](Value a, Value b) -> Value {
    if (!a || !b)
      return a ? a : b;
    return arith::MinSIOp::create(builder, a, b);
  };
  auto complement = [](Value) { return Value(); };
  auto visited = iteration.getSet().simplified().evaluate<Value>(
      none, /*all=*/Value(), leaf, join, meet, complement);
  return meet(visits, visited);
}

Value EvaluationLowering::emitStoreBound(ForallOp forall) {
  Block *body = forall.getBody();
  if (getLoops(*body).empty()) {
    Value visits = emitVisitBound(forall);
    // What is looked up at each coordinate is not asked for.
    Value each = emitStoreBound(*body);
    return arith::MulIOp::create(builder, visits, each);
  }
  auto inner = [&](Value coordinate, ValueRange carried) {
    values.map(forall.getVariables()[0], coordinate);
    Value stores = emitStoreBound(*body);
    return SmallVector<Value>{
        arith::AddIOp::create(builder, carried.front(), stores)};
  };
  if (!forall.getIteration()) {
    auto [lower, upper] = bounds(forall, 0);
    auto loop = scf::ForOp::create(builder, lower, upper, constant(1),
                                   ValueRange{constant(0)});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        builder, inner(loop.getInductionVar(), loop.getRegionIterArgs()));
    return loop.getResult(0);
  }
  SmallVector<Fiber> fibers = getLevelOperands(forall);
  auto setVariable = [&](Value coordinate) {
    values.map(forall.getVariables()[0], coordinate);
  };
  IterationCode code(builder, levels, fibers,
                     forall.getIterationAttr().getSet(), setVariable);
  return code.emit(bounds(forall, 0).second, {constant(0)}, inner).front();
}

Value EvaluationLowering::emitStoreBound(Block &block) {
  bool isInnermostBlock = getLoops(block).empty();
  Value stores = constant(0);
  auto add = [&](Value more) {
    stores = arith::AddIOp::create(builder, stores, more);
  };
  for (Operation &op : block) {
    if (auto forall = dyn_cast<ForallOp>(op))
      add(emitStoreBound(forall));
    else if (auto branch = dyn_cast<IfOp>(op))
      add(emitStoreBound(branch.getRegion().front()));
    else if (isa<AssignOp>(op))
      add(constant(1));
    else if (!isInnermostBlock)
      emit(op);
  }
  return stores;
}

void EvaluationLowering::emitRowBounds(ForallOp statement, ForallOp rows) {
  bounded = rows;
  emitStatement(statement);
  bounded = nullptr;
  const auto &[array, code] = appended.front();
  const Storage &storage = levels.getStorage(array);
  Value last = constant(static_cast<int64_t>(storage.levels.size()) - 1);
  Value reserved = levels.loadIndex(storage.counts, last);
  Value isMuch = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt,
                                       reserved, constant(mostReserved));
  auto branch = scf::IfOp::create(builder, isMuch, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  code->reset();
  auto count = [&] { emitStatement(statement); };
  lifetimeEnd = branch.thenYield();
  ForallOp outermost = findOutermostLoop(statement);
  WhereOp where = outermost ? findHashed(outermost) : WhereOp();
  if (!where) {
    count();
    lifetimeEnd = nullptr;
    return;
  }
  auto [condition, most] = emitHashChoice(outermost, where, /*hasThreads=*/{});
  emitHashed(condition, most, count);
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
  Value isPlain = arith::XOrIOp::create(builder, condition, yes);
  auto plain = scf::IfOp::create(builder, isPlain, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(plain.thenBlock());
  lifetimeEnd = plain.thenYield();
  code->reset();
  count();
  lifetimeEnd = nullptr;
}
