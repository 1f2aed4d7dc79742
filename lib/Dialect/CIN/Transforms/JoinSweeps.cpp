//===- JoinSweeps.cpp - One loop over tiles for several statements --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledStatement.h"

#include "ember/Dialect/CIN/IR/Reuse.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace ember::cin {
#define GEN_PASS_DEF_JOINSWEEPS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember::cin;

/// The outermost loop of a concrete statement of a sweep, if it is that over
/// tiles, and there is nothing beside it but expressions in front of it; null
/// otherwise.
static ForallOp findLoop(ForallOp statement) {
  ForallOp loop = statement;
  while (loop.getVariables().empty()) {
    auto inner = dyn_cast<ForallOp>(loop.getBody()->back());
    bool isAlone = inner && llvm::all_of(llvm::drop_end(*loop.getBody()),
                                         [](Operation &op) {
                                           return isPartOfExpression(&op);
                                         });
    if (!isAlone)
      return nullptr;
    loop = inner;
  }
  bool isOverTiles = loop.getVariables().size() == 1 &&
                     loop.getNameOf(0) == Sweep::of(statement)->tile;
  return isOverTiles ? loop : nullptr;
}

/// Joins the loops of statements of one sweep, in the place of the last one.
static void join(ArrayRef<ForallOp> statements) {
  SmallVector<ForallOp> loops = llvm::map_to_vector(statements, findLoop);
  for (ForallOp statement : statements)
    statement->removeAttr(sweepAttr);
  if (loops.size() < 2 || llvm::is_contained(loops, ForallOp()))
    return;
  ForallOp last = statements.back();
  OpBuilder builder(last);
  auto once =
      ForallOp::create(builder, last.getLoc(), ValueRange(), ValueRange(),
                       ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  Block &before = once.getRegion().emplaceBlock();
  for (auto [statement, loop] : llvm::zip_equal(statements, loops))
    for (ForallOp around = statement; around != loop;
         around = cast<ForallOp>(around.getBody()->back()))
      for (Operation &op : llvm::make_early_inc_range(*around.getBody()))
        if (!isa<ForallOp>(op))
          op.moveBefore(&before, before.end());
  // All have as many tiles; who has no range goes by an array.
  ForallOp *ranged = llvm::find_if(
      loops, [](ForallOp loop) { return loop.getRanged().front(); });
  ForallOp like = ranged == loops.end() ? loops.front() : *ranged;
  builder.setInsertionPointToEnd(&before);
  auto loop = ForallOp::create(builder, last.getLoc(), like.getLowers(),
                               like.getUppers(), like.getRangedAttr(),
                               like.getNamesAttr(), IterationAttr());
  Block &body = loop.getRegion().emplaceBlock();
  Value tile = body.addArgument(builder.getIndexType(), last.getLoc());
  for (ForallOp mine : loops) {
    mine.getVariables().front().replaceAllUsesWith(tile);
    body.getOperations().splice(body.end(), mine.getBody()->getOperations());
  }
  for (ForallOp statement : statements)
    statement->erase();
}

namespace {
struct JoinSweeps : public ember::cin::impl::JoinSweepsBase<JoinSweeps> {
  void runOnOperation() override {
    getOperation()->walk([&](EvaluateOp evaluate) {
      std::optional<int64_t> number;
      SmallVector<ForallOp> statements;
      auto finish = [&] {
        join(statements);
        statements.clear();
      };
      for (ForallOp statement :
           llvm::to_vector(evaluate.getRegion().getOps<ForallOp>())) {
        std::optional<Sweep> sweep = Sweep::of(statement);
        if (!sweep || sweep->number != number)
          finish();
        number.reset();
        if (!sweep)
          continue;
        number = sweep->number;
        statements.push_back(statement);
      }
      finish();
    });
  }
};
} // namespace
