//===- RowAssembly.cpp - Results whose rows are filled at the same time ---===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array that is appended to grows row by row, on one thread. For several,
// the loops stand there three times, and the run enters one or two of them:
//
//   for i: positions[i + 1] = how many elements row i has     { independent }
//   for i: positions[i + 1] += positions[i]
//   for i: row i, from positions[i] on                        { independent }
//
//   for i: append row i
//
// Rows are the same wherever they are computed, so that nothing depends on the
// number of threads.
//
//===----------------------------------------------------------------------===//

#include "EvaluationLowering.h"
#include "RowCount.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

/// What an operand's element costs at least, as loops' costs are counted.
static constexpr int64_t costOfElement = 8;

/// Whether loops fill workspaces, which are counted in less time.
static bool hasWorkspaces(ForallOp rows) {
  return rows.walk([](WhereOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

ForallOp cin::findOutermostLoop(ForallOp statement) {
  while (statement && statement.getVariables().empty()) {
    ForallOp inner;
    for (Operation &op : *statement.getBody()) {
      auto forall = dyn_cast<ForallOp>(op);
      if (inner || (!forall && op.getNumRegions() != 0) || isa<AssignOp>(op))
        return nullptr;
      inner = forall;
    }
    statement = inner;
  }
  return statement;
}

ForallOp EvaluationLowering::findRowsApart(ForallOp statement) {
  ForallOp rows = countsRows ? findOutermostLoop(statement) : ForallOp();
  if (!rows || appended.size() != 1 || rows.getVariables().size() != 1 ||
      rows.getIteration())
    return nullptr;
  Value array = appended.front().first;
  auto assemble = array.getDefiningOp<AssembleOp>();
  if (assemble.getCounting() ||
      !assemble.getType().getFormat().hasSeparateRows())
    return nullptr;
  WalkResult search = rows.walk([&](AssignOp assign) {
    auto name = dyn_cast<BlockArgument>(assign.getArray());
    bool isWorkspace = name && isa<WhereOp>(name.getOwner()->getParentOp());
    bool isOfRow = assign.getArray() == array &&
                   getPlace(assign).front() == rows.getVariables()[0];
    return isWorkspace || isOfRow ? WalkResult::advance()
                                  : WalkResult::interrupt();
  });
  return search.wasInterrupted() ? ForallOp() : rows;
}

Value EvaluationLowering::emitIsApart(ForallOp rows) {
  // What merges count takes as long as what they fill: two threads gain
  // nothing.
  int64_t fewest = hasWorkspaces(rows) ? 2 : 3;
  if (mostThreads != 0 && mostThreads < fewest)
    return arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  Value work = constant(0);
  auto add = [&](Value count, int64_t cost) {
    Value more = arith::MulIOp::create(builder, count, constant(cost));
    work = arith::AddIOp::create(builder, work, more);
  };
  llvm::SetVector<Value> operands;
  rows.walk([&](AccessOp access) {
    if (access.getArray().getDefiningOp<AssembleOp>())
      operands.insert(access.getArray());
  });
  for (Value operand : operands) {
    const Storage &storage = levels.getStorage(operand);
    for (unsigned level = 0; level < storage.levels.size(); ++level)
      if (storage.level(level).isListed())
        add(memref::DimOp::create(builder, storage.coordinates(level), 0),
            costOfElement);
  }
  Value threads = ThreadsForOp::create(builder, builder.getIndexType(), work);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, threads,
                               constant(fewest));
}

void EvaluationLowering::beginLoops() {
  ready.clear();
  auto here = builder.getInsertionPoint();
  before = here == builder.getBlock()->begin() ? nullptr : &*std::prev(here);
}

void EvaluationLowering::goOutside() {
  if (before)
    builder.setInsertionPointAfter(before);
  else
    builder.setInsertionPointToStart(evaluate->getBlock());
}

void EvaluationLowering::emitRows(ForallOp rows, Value lower, Value upper,
                                  AppendCode::Mode newMode) {
  mode = newMode;
  appended.front().second->setMode(mode);
  beginLoops();
  auto loop = scf::ForOp::create(builder, lower, upper, constant(1));
  if (mode != AppendCode::Mode::append)
    loop->setAttr(independentAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  emitValue(rows, 0, loop.getInductionVar());
  mode = AppendCode::Mode::append;
}

void EvaluationLowering::emitRowsApart(ForallOp statement, ForallOp rows) {
  builder.setLoc(rows.getLoc());
  if (statement != rows) {
    for (Operation &op : *statement.getBody())
      if (auto inner = dyn_cast<ForallOp>(op))
        emitRowsApart(inner, rows);
      else
        emit(op);
    return;
  }
  AppendCode &code = *appended.front().second;
  Value isApart = emitIsApart(rows);
  auto choose = [&](Value apart, Value together) -> Value {
    return arith::SelectOp::create(builder, isApart, apart, together);
  };
  auto [lower, upper] = bounds(rows, 0);
  if (WhereOp where = findHashed(rows)) {
    auto [condition, most] = emitHashChoice(rows, where, isApart);
    emitHashed(condition, most, [&, lower = lower, upper = upper] {
      emitRows(rows, lower, upper, AppendCode::Mode::append);
    });
    isHashed = condition;
    upper = arith::SelectOp::create(builder, condition, lower, upper);
  }
  Value end = memref::DimOp::create(
      builder, levels.getStorage(appended.front().first).positions(1), 0);
  Value none = constant(0);
  Value lastApart = choose(upper, lower);
  emitRows(rows, lower, lastApart, AppendCode::Mode::countRows);
  code.sumRows(choose(end, none));
  emitRows(rows, lower, lastApart, AppendCode::Mode::fillRows);
  emitRows(rows, lastApart, upper, AppendCode::Mode::append);
  code.finish(choose(none, end));
  isHashed = nullptr;
}

/// Whether all that is done with a workspace is to append it.
static bool isAppended(WhereOp where, ForallOp &loop) {
  auto type = dyn_cast<ArrayType>(where.getWorkspaceType());
  if (!type || type.getFormat().getLevels().size() != 1)
    return false;
  for (Operation &op : where.getConsumers().front()) {
    if (auto forall = dyn_cast<ForallOp>(op); forall && !loop)
      loop = forall;
    else if (op.getNumRegions() != 0 || isa<AssignOp>(op))
      return false;
  }
  if (!loop || loop.getVariables().size() != 1)
    return false;
  std::optional<Fiber> walked = getLoneWalk(loop);
  if (!walked || walked->array != where.getConsumers().getArgument(0))
    return false;
  int assignments = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto assign = dyn_cast<AssignOp>(op)) {
      ++assignments;
      if (assign.getCondition() || isa<BlockArgument>(assign.getArray()))
        return false;
    } else if (!isa<AccessOp, CallOp, LiteralOp, ApplyOp>(op)) {
      return false;
    }
  }
  return assignments == 1;
}

bool EvaluationLowering::emitRowCount(WhereOp where) {
  ForallOp loop;
  if (!isAppended(where, loop))
    return false;
  AppendCode *code = findOnlyAppend(loop);
  if (!code)
    return false;
  auto type = cast<ArrayType>(where.getWorkspaceType());
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  goOutside();
  auto workspace = std::make_unique<RowCount>(
      builder, levels, type, roomOf(where),
      [&](MemRefType memory, Value count) {
        return allocate(memory, count, /*isScratch=*/true);
      });
  RowCount &count = *workspace;
  Value name = where.getProducers().getArgument(0);
  levels.setStorage(name, count.getStorage());
  workspaces[name] = std::move(workspace);
  builder.restoreInsertionPoint(here);
  emitAll(where.getProducers().front());
  code->skip(count.take());
  return true;
}
