//===- SplitSegments.cpp - Long reductions in pieces ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   r = for p = lower to upper iter(a = init) { yield a + f(p) }
//     ->
//   r = if upper - lower >= least {
//     for k = 0 to pieces {
//       sums[k] = for p = lower + k * piece to ... iter(a = -0.0) { ... }
//     }
//     yield for k = 0 to pieces iter(a = init) { yield a + sums[k] }
//   } else {
//     yield for p = lower to upper iter(a = init) { ... }
//   }
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/CombiningKind.h"
#include "ember/Analysis/LoopIndependence.h"
#include "ember/Analysis/MemoryAccess.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_SPLITSEGMENTS
#include "ember/Loops/Transforms/Passes.h.inc"

using vector::CombiningKind;

/// Longer segments are not split: wrong offsets make them, of which checks
/// say so, and results of pieces would take more memory than there is.
static constexpr int64_t kMostIterations = int64_t{1} << 32;

namespace {
/// Splits one loop.
class SegmentSplitting {
public:
  SegmentSplitting(scf::ForOp loop, ArrayRef<CombiningKind> kinds,
                   int64_t pieceLength)
      : loop(loop), kinds(kinds), pieceLength(pieceLength), loc(loop.getLoc()),
        builder(loop) {}

  void run();

private:
  SmallVector<Value> buildPieces(Value length);
  void buildPiece(scf::ForOp pieces, ArrayRef<Value> results);
  SmallVector<Value> combine(Value count, ArrayRef<Value> results);
  Value neutralValue(CombiningKind kind, Type type);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  scf::ForOp loop;
  ArrayRef<CombiningKind> kinds;
  int64_t pieceLength;
  Location loc;
  OpBuilder builder;
};

struct SplitSegments : impl::SplitSegmentsBase<SplitSegments> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// How the operation that `use` is of combines it with other values.
static std::optional<CombiningKind> combinationOf(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<math::FmaOp, vector::FMAOp>(op))
    return number == 2 ? std::optional(CombiningKind::ADD) : std::nullopt;
  return getCombiningKind(op, number);
}

/// How the loop combines what it carries in `argument` with other values, if
/// that is all it does with it.
static std::optional<CombiningKind> findReduction(scf::ForOp loop,
                                                  BlockArgument argument) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  std::optional<CombiningKind> kind;
  Value value = argument;
  while (true) {
    if (!value.hasOneUse())
      return std::nullopt;
    OpOperand &use = *value.getUses().begin();
    Operation *user = use.getOwner();
    if (user == yield)
      return use.getOperandNumber() == number ? kind : std::nullopt;
    std::optional<CombiningKind> next = combinationOf(use);
    if (user->getBlock() != loop.getBody() || !next || (kind && kind != next))
      return std::nullopt;
    kind = next;
    value = user->getResult(0);
  }
}

/// Whether the loop does nothing but read and reduce.
static bool onlyReads(scf::ForOp loop) {
  WalkResult result = loop.getBody()->walk([](Operation *op) {
    if (isMemoryEffectFree(op) || isa<memref::PrefetchOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    std::optional<MemoryAccess> access = MemoryAccess::of(op);
    return access && !access->isStore() ? WalkResult::advance()
                                        : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// How the loop reduces each of its values; empty if it is not to be split.
static SmallVector<CombiningKind> findReductions(scf::ForOp loop) {
  SmallVector<CombiningKind> kinds;
  if (loop.getNumRegionIterArgs() == 0 || loop.getUnsignedCmp() ||
      getConstantIntValue(loop.getStep()) != 1 || loop.getStaticTripCount() ||
      !loop.getInductionVar().getType().isIndex() || !onlyReads(loop))
    return kinds;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    std::optional<CombiningKind> kind = findReduction(loop, argument);
    if (!kind || !MemRefType::isValidElementType(argument.getType()))
      return {};
    kinds.push_back(*kind);
  }
  return kinds;
}

Value SegmentSplitting::neutralValue(CombiningKind kind, Type type) {
  TypedAttr value = getNeutralElement(kind, getElementTypeOrSelf(type));
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

/// The body of the loop over pieces: reduces one and stores its results.
void SegmentSplitting::buildPiece(scf::ForOp pieces, ArrayRef<Value> results) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(pieces.getBody());
  Value number = pieces.getInductionVar();
  Value offset =
      arith::MulIOp::create(builder, loc, number, constant(pieceLength));
  Value lower =
      arith::AddIOp::create(builder, loc, loop.getLowerBound(), offset);
  Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), lower);
  Value length =
      arith::MinSIOp::create(builder, loc, left, constant(pieceLength));
  Value upper = arith::AddIOp::create(builder, loc, lower, length);
  auto piece = cast<scf::ForOp>(builder.clone(*loop));
  piece.setLowerBound(lower);
  piece.setUpperBound(upper);
  for (auto [index, kind] : llvm::enumerate(kinds))
    piece.getInitArgsMutable()[index].set(
        neutralValue(kind, loop.getResult(index).getType()));
  piece->moveBefore(pieces.getBody()->getTerminator());
  builder.setInsertionPointAfter(piece);
  for (auto [result, memref] : llvm::zip_equal(piece.getResults(), results))
    memref::StoreOp::create(builder, loc, result, memref, number);
}

/// Adds up the results of the pieces, in order.
SmallVector<Value> SegmentSplitting::combine(Value count,
                                             ArrayRef<Value> results) {
  auto sums = scf::ForOp::create(
      builder, loc, constant(0), count, constant(1), loop.getInitArgs(),
      [&](OpBuilder &inside, Location, Value number, ValueRange soFar) {
        SmallVector<Value> next;
        for (auto [kind, value, memref] :
             llvm::zip_equal(kinds, soFar, results)) {
          Value piece = memref::LoadOp::create(inside, loc, memref, number);
          next.push_back(
              vector::makeArithReduction(inside, loc, kind, value, piece));
        }
        scf::YieldOp::create(inside, loc, next);
      });
  return llvm::to_vector_of<Value>(sums.getResults());
}

SmallVector<Value> SegmentSplitting::buildPieces(Value length) {
  Value rounded =
      arith::AddIOp::create(builder, loc, length, constant(pieceLength - 1));
  Value count =
      arith::DivUIOp::create(builder, loc, rounded, constant(pieceLength));
  SmallVector<Value> results;
  for (Value value : loop.getResults())
    results.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({ShapedType::kDynamic}, value.getType()),
        count));
  auto pieces =
      scf::ForOp::create(builder, loc, constant(0), count, constant(1));
  pieces->setAttr(piecesAttr, builder.getIndexAttr(pieceLength));
  buildPiece(pieces, results);
  SmallVector<Value> sums = combine(count, results);
  for (Value memref : results)
    memref::DeallocOp::create(builder, loc, memref);
  return sums;
}

void SegmentSplitting::run() {
  Value length = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                       loop.getLowerBound());
  Value beyond =
      arith::SubIOp::create(builder, loc, length, constant(2 * pieceLength));
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       beyond, constant(kMostIterations));
  auto choice = scf::IfOp::create(builder, loc, loop.getResultTypes(), isLong,
                                  /*withElseRegion=*/true);
  choice->setAttr(piecesAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, buildPieces(length));
  loop->replaceAllUsesWith(choice.getResults());
  builder.setInsertionPointToEnd(choice.elseBlock());
  auto yield = scf::YieldOp::create(builder, loc, loop.getResults());
  loop->moveBefore(yield);
}

/// How many loops are around `op`.
static unsigned depthOf(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

void SplitSegments::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  IndexExprs exprs;
  getOperation().walk([&](scf::ForOp loop) {
    // Tiles are what threads share already.
    if (depthOf(loop) <= 1 && !findMostIterations(loop, exprs))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    SmallVector<CombiningKind> kinds = findReductions(loop);
    if (kinds.empty())
      continue;
    SegmentSplitting(loop, kinds, pieceLength).run();
    ++split;
  }
}

} // namespace ember::loops
