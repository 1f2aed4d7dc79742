//===- PeelMasks.cpp - Whole vectors without masks ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for d = 0 to n step 8 { m = create_mask(n - d); maskedstore v, out[d], m }
//     ->
//   whole = n / 8 * 8
//   for d = 0 to whole step 8 { store v, out[d] }
//   if whole < n { m = create_mask(n - whole); maskedstore v, out[whole], m }
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IndexExpr.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ember::loops {
using namespace mlir;
using vector::CreateMaskOp;

#define GEN_PASS_DEF_PEELMASKS
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// An innermost loop whose masks say how many elements are left.
class MaskedLoop {
public:
  explicit MaskedLoop(scf::ForOp loop) : loop(loop) {}

  /// Finds the masks; false if there are none that iterations turn off.
  bool find();
  /// False if all iterations are known to be less than whole.
  bool peel();

private:
  bool note(CreateMaskOp mask);
  bool endsInOneIteration();
  void unmask(const IRMapping &copies);
  void leaveOne(OpBuilder &builder, Value whole, scf::ForOp main);

  scf::ForOp loop;
  IndexExprs exprs;
  SmallVector<CreateMaskOp> masks;
  /// Elements that are left in an iteration, and how many it takes.
  IndexExpr left;
  int64_t span = 0;
  /// Where the mask that ends last begins to be less than full.
  int64_t least = 0;
};

struct PeelMasks : impl::PeelMasksBase<PeelMasks> {
  using Base::Base;
  void runOnOperation() override;

private:
  bool isShort(scf::ForOp loop);
};
} // namespace

/// Takes a mask in; false if it does not go with the others.
bool MaskedLoop::note(CreateMaskOp mask) {
  IndexExpr count = exprs.of(mask.getOperand(0));
  int64_t step = *getConstantIntValue(loop.getStep());
  int64_t taken = -count.coefficient(loop.getInductionVar());
  if (taken == 0)
    return true;
  auto isOutside = [&](const IndexExpr::Term &term) {
    return term.first == loop.getInductionVar() ||
           loop.isDefinedOutsideOfLoop(term.first);
  };
  if (taken < 0 || taken > std::numeric_limits<int32_t>::max() / step ||
      !llvm::all_of(count.getTerms(), isOutside))
    return false;
  taken *= step;
  int64_t lanes = mask.getType().getNumElements();
  if (masks.empty()) {
    left = count;
    span = taken;
    least = lanes;
  }
  std::optional<int64_t> behind = (left - count).asConstant();
  if (taken != span || !behind)
    return false;
  if (*behind < 0) {
    left = count;
    least -= *behind;
    behind = 0;
  }
  least = std::max(least, *behind + lanes);
  masks.push_back(mask);
  return true;
}

bool MaskedLoop::find() {
  if (loop.getUnsignedCmp() || !loop.getInductionVar().getType().isIndex())
    return false;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || *step > std::numeric_limits<int32_t>::max())
    return false;
  WalkResult inner = loop.getBody()->walk(
      [](LoopLikeOpInterface) { return WalkResult::interrupt(); });
  if (inner.wasInterrupted())
    return false;
  for (auto mask : loop.getBody()->getOps<CreateMaskOp>())
    if (mask.getType().getRank() == 1 && !mask.getType().isScalable() &&
        !note(mask))
      return false;
  // An iteration that begins with all of its elements has full masks.
  return !masks.empty() && least <= span;
}

/// Whether what is behind all whole iterations is one at most.
bool MaskedLoop::endsInOneIteration() {
  Value upper = loop.getUpperBound();
  IndexExpr position(loop.getInductionVar());
  int64_t step = *getConstantIntValue(loop.getStep());
  if (span == step)
    return left + position == exprs.of(upper);
  auto divided = upper.getDefiningOp<arith::CeilDivSIOp>();
  return divided && step == 1 &&
         getConstantIntValue(divided.getRhs()) == span &&
         left + position.scaled(span) == exprs.of(divided.getLhs());
}

/// Lets copies of the masked accesses touch all lanes.
void MaskedLoop::unmask(const IRMapping &copies) {
  SmallVector<Operation *> accesses;
  for (CreateMaskOp mask : masks) {
    auto copy = copies.lookup(mask.getResult()).getDefiningOp<CreateMaskOp>();
    llvm::append_range(accesses, copy->getUsers());
    OpBuilder builder(copy);
    auto all = DenseElementsAttr::get(copy.getType(), true);
    copy.replaceAllUsesWith(
        arith::ConstantOp::create(builder, copy.getLoc(), all).getResult());
    copy.erase();
  }
  RewritePatternSet patterns(loop.getContext());
  vector::MaskedLoadOp::getCanonicalizationPatterns(patterns,
                                                    loop.getContext());
  vector::MaskedStoreOp::getCanonicalizationPatterns(patterns,
                                                     loop.getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(accesses, std::move(patterns), config);
}

/// Replaces the loop by its iteration at `whole`, if there is one.
void MaskedLoop::leaveOne(OpBuilder &builder, Value whole, scf::ForOp main) {
  Location loc = loop.getLoc();
  bool hasResults = loop->getNumResults() != 0;
  Value isLeft = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       whole, loop.getUpperBound());
  auto rest = scf::IfOp::create(builder, loc, loop.getResultTypes(), isLeft,
                                /*addThenBlock=*/true,
                                /*addElseBlock=*/hasResults);
  if (hasResults) {
    OpBuilder other = rest.getElseBodyBuilder();
    scf::YieldOp::create(other, loc, main.getResults());
  }
  SmallVector<Value> values{whole};
  llvm::append_range(values, main.getResults());
  IRRewriter rewriter(builder);
  rest.thenBlock()->clear();
  rewriter.inlineBlockBefore(loop.getBody(), rest.thenBlock(),
                             rest.thenBlock()->end(), values);
  loop->replaceAllUsesWith(rest.getResults());
  loop.erase();
}

bool MaskedLoop::peel() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  bool isOne = endsInOneIteration();
  Value lower = loop.getLowerBound();
  Value count = left.substituted(loop.getInductionVar(), exprs.of(lower))
                    .materialize(builder, loc);
  count = builder.createOrFold<arith::MaxSIOp>(loc, count, constant(0));
  Value trips =
      builder.createOrFold<arith::DivUIOp>(loc, count, constant(span));
  if (getConstantIntValue(trips) == 0)
    return false;
  Value whole = builder.createOrFold<arith::AddIOp>(
      loc, lower,
      builder.createOrFold<arith::MulIOp>(loc, trips, loop.getStep()));
  if (!isOne)
    whole = arith::MinSIOp::create(builder, loc, whole, loop.getUpperBound());
  IRMapping copies;
  auto main = cast<scf::ForOp>(builder.clone(*loop, copies));
  main.setUpperBound(whole);
  unmask(copies);
  if (isOne) {
    leaveOne(builder, whole, main);
  } else {
    loop.setLowerBound(whole);
    loop.getInitArgsMutable().assign(main.getResults());
  }
  return true;
}

/// Whether copying a loop's body costs little, and a mask is much of it.
bool PeelMasks::isShort(scf::ForOp loop) {
  int64_t count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count <= mostOperations;
}

void PeelMasks::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    MaskedLoop masked(loop);
    if (isShort(loop) && masked.find() && masked.peel())
      ++peeled;
  }
}

} // namespace ember::loops
