//===- TileSweeps.cpp - Read a table once for several iterations ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i = ... { x = ...; for e = 0 to n { out[i, e] = f(x, table[e]) } }
//     ->
//   for k = 0 to tiles {
//     for i = ... {
//       x = ...
//       for e = k * T to min(k * T + T, n) { out[i, e] = f(x, table[e]) }
//     }
//   }
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/MemoryAccess.h"
#include "ember/Analysis/MemoryAliasing.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_TILESWEEPS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// A loop over a table in each iteration of another one.
class Sweep {
public:
  Sweep(scf::ForOp outer, const MemoryAliasing &aliasing)
      : outer(outer), aliasing(aliasing) {}

  /// Whether there is one, and it may be divided.
  bool find();
  /// Bytes of a row of the table, or 0 if that is not known.
  int64_t rowBytes();
  void tile(int64_t rows);

private:
  bool findLoop();
  bool carriesCountersOnly();
  bool mayRepeatPrologue();
  bool readsTable();

  scf::ForOp outer, loop;
  const MemoryAliasing &aliasing;
  MemRefType table;
};

struct TileSweeps : impl::TileSweepsBase<TileSweeps> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// The only loop, with nothing behind it.
bool Sweep::findLoop() {
  for (auto inner : outer.getBody()->getOps<scf::ForOp>()) {
    if (loop)
      return false;
    loop = inner;
  }
  return loop && loop->getNextNode() == outer.getBody()->getTerminator() &&
         !loop.getUnsignedCmp() && loop.getInductionVar().getType().isIndex() &&
         getConstantIntValue(loop.getStep()) == 1 &&
         outer.isDefinedOutsideOfLoop(loop.getLowerBound()) &&
         outer.isDefinedOutsideOfLoop(loop.getUpperBound());
}

/// Whether what the loop carries can be computed from its counter.
bool Sweep::carriesCountersOnly() {
  IndexExprs exprs;
  return llvm::all_of(loop.getRegionIterArgs(), [&](BlockArgument argument) {
    return argument.getType().isIndex() &&
           loop.getTiedLoopResult(argument).use_empty() &&
           llvm::all_of(exprs.of(argument).getTerms(), [&](auto term) {
             return term.first == loop.getInductionVar() ||
                    loop.isDefinedOutsideOfLoop(term.first);
           });
  });
}

/// Whether `op` only reads, computes and prefetches, or reports an error and
/// does not return; what it reads is added to `loads`.
static bool onlyReads(Operation &op, SmallVectorImpl<Value> &loads) {
  auto result = op.walk([&](Operation *inner) {
    if (std::optional<MemoryAccess> access = MemoryAccess::of(inner)) {
      loads.push_back(access->memref);
      return access->isStore() ? WalkResult::interrupt()
                               : WalkResult::advance();
    }
    return isFailure(inner) || isMemoryEffectFree(inner) ||
                   isa<CheckOp, scf::IfOp, scf::YieldOp, memref::PrefetchOp>(
                       inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether what stands in front of the loop does the same each time, whatever
/// the loop has stored in between, and the loop itself cannot fail.
bool Sweep::mayRepeatPrologue() {
  SmallVector<Value> stored, loaded;
  auto result = loop->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    if (access && access->isStore())
      stored.push_back(access->memref);
    return access || isa<scf::ForOp, scf::YieldOp, memref::PrefetchOp>(op) ||
                   isMemoryEffectFree(op)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return false;
  for (Operation &op : outer.getBody()->without_terminator())
    if (&op != loop.getOperation() && !onlyReads(op, loaded))
      return false;
  return llvm::none_of(stored, [&](Value store) {
    return llvm::any_of(
        loaded, [&](Value load) { return aliasing.alias(store, load); });
  });
}

/// Whether the loop reads rows of a table, one after the other, that are the
/// same in all iterations around it.
bool Sweep::readsTable() {
  loop->walk([&](Operation *op) {
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    bool isRow = access && !access->isStore() && access->indices.size() >= 2 &&
                 access->indices.front() == loop.getInductionVar() &&
                 getElementTypeOrSelf(access->memref).isIntOrIndexOrFloat() &&
                 outer.isDefinedOutsideOfLoop(access->memref);
    if (!isRow)
      return WalkResult::advance();
    table = cast<MemRefType>(access->memref.getType());
    return WalkResult::interrupt();
  });
  return bool(table);
}

bool Sweep::find() {
  return outer->getNumResults() == 0 && findLoop() && carriesCountersOnly() &&
         mayRepeatPrologue() && readsTable();
}

int64_t Sweep::rowBytes() {
  Type element = table.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  for (int64_t size : table.getShape().drop_front())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(bits, size, bits))
      return 0;
  return llvm::divideCeil(bits, 8);
}

void Sweep::tile(int64_t rows) {
  OpBuilder builder(outer);
  Location loc = loop.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value zero = index(0), one = index(1), size = index(rows);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value count = arith::CeilDivSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, upper, lower), size);
  // What stands in front of the loop runs where the loop does not, too.
  count = arith::MaxSIOp::create(builder, loc, count, one);
  auto tiles = scf::ForOp::create(builder, loc, zero, count, one);
  outer->moveBefore(tiles.getBody()->getTerminator());
  builder.setInsertionPoint(outer);
  Value start = arith::AddIOp::create(
      builder, loc, lower,
      arith::MulIOp::create(builder, loc, tiles.getInductionVar(), size));
  Value end = arith::MinSIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, start, size), upper);

  IndexExprs exprs;
  auto counters = llvm::map_to_vector(
      loop.getRegionIterArgs(),
      [&](BlockArgument argument) { return exprs.of(argument); });
  builder.setInsertionPoint(loop);
  auto part = scf::ForOp::create(builder, loc, start, end, loop.getStep());
  Block *body = part.getBody();
  builder.setInsertionPointToStart(body);
  for (auto [argument, counter] :
       llvm::zip_equal(loop.getRegionIterArgs(), counters))
    argument.replaceAllUsesWith(
        counter
            .substituted(loop.getInductionVar(),
                         IndexExpr(part.getInductionVar()))
            .materialize(builder, loc));
  loop.getInductionVar().replaceAllUsesWith(part.getInductionVar());
  loop.getBody()->getTerminator()->erase();
  body->getOperations().splice(body->getTerminator()->getIterator(),
                               loop.getBody()->getOperations());
  loop.erase();
}

void TileSweeps::runOnOperation() {
  MemoryAliasing aliasing(getOperation(), mayAlias);
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(independentAttr) &&
        isa<func::FuncOp>(loop->getParentOp()))
      loops.push_back(loop);
  });
  // A tile of fewer rows would be over before its loop has begun.
  constexpr int64_t fewestRows = 16;
  for (scf::ForOp loop : loops) {
    Sweep sweep(loop, aliasing);
    if (!sweep.find())
      continue;
    int64_t bytes = sweep.rowBytes();
    sweep.tile(std::max(bytes ? tileBytes / bytes : 0, fewestRows));
    ++tiled;
  }
}

} // namespace ember::loops
