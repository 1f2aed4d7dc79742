//===- SplitSums.cpp - Sums whose terms wait for each other ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s = for c = 0 to 16 iter(a = x) { ...; yield fma(w, v, a) reassoc }
//     ->
//   s, t = for c = 0 to 16 step 2 iter(a = x, b = -0) {
//     ...; ... // of c + 1
//     yield fma(w, v, a), fma(w1, v1, b)
//   }
//   s + t
//
//===----------------------------------------------------------------------===//

#include "RowRegisters.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_SPLITSUMS
#include "ember/Loops/Transforms/Passes.h.inc"

/// Registers of sums that a processor adds to at a time: two additions begin in
/// a cycle, and take four.
static constexpr int64_t kMostAtATime = 8;

namespace {
struct SplitSums : impl::SplitSumsBase<SplitSums> {
  using Base::Base;
  void runOnOperation() override;

private:
  int64_t findParts(scf::ForOp loop);
};
} // namespace

/// Whether `argument` is a sum of vectors, in any order, that nothing else in
/// the loop looks at.
static bool isSum(BlockArgument argument, Value yielded) {
  auto vector = dyn_cast<VectorType>(argument.getType());
  Operation *op = yielded.getDefiningOp();
  if (!vector || !isa<FloatType>(vector.getElementType()) || !op ||
      op->getBlock() != argument.getOwner() || !argument.hasOneUse() ||
      *argument.user_begin() != op || !yielded.hasOneUse())
    return false;
  auto fma = dyn_cast<math::FmaOp>(op);
  auto sum = dyn_cast<arith::AddFOp>(op);
  if (!sum && !(fma && fma.getC() == argument))
    return false;
  arith::FastMathFlags flags = fma ? fma.getFastmath() : sum.getFastmath();
  return bitEnumContainsAll(flags, arith::FastMathFlags::reassoc);
}

/// What a loop computes in each iteration, in additions of vectors: how long
/// the next one has to wait for a sum anyway.
static int64_t countAdditions(scf::ForOp loop) {
  // Of divisions, and of series that take the place of functions.
  constexpr int64_t additionsOfSeries = 8;
  int64_t additions = 0;
  for (Operation &op : *loop.getBody()) {
    bool isVector = llvm::any_of(op.getResultTypes(), [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && isa<FloatType>(vector.getElementType());
    });
    if (!isVector ||
        !isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
      continue;
    bool isShort = isa<math::FmaOp, math::AbsFOp>(op) ||
                   (isa<arith::ArithDialect>(op.getDialect()) &&
                    !isa<arith::DivFOp, arith::RemFOp>(op));
    additions += isShort ? 1 : additionsOfSeries;
  }
  return additions;
}

/// How many sums take the place of each; 1 for the loop as it is.
int64_t SplitSums::findParts(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || loop.getUnsignedCmp() || loop->getNumResults() == 0 ||
      trips->ugt(1024))
    return 1;
  TargetAttr target = TargetAttr::of(getOperation());
  int64_t bits = vectorBits ? vectorBits : target.getVectorBits();
  int64_t available =
      vectorRegisters ? vectorRegisters : target.getVectorRegisters();
  int64_t registers = 0;
  for (auto [argument, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    if (!isSum(argument, yielded))
      return 1;
    registers += registersFor(argument.getType(), bits);
  }
  for (Operation &op : *loop.getBody())
    if (op.getNumRegions() != 0)
      return 1;
  int64_t most = std::min(kMostAtATime, available / 2) / registers;
  // Where much else is computed, sums are not what is waited for, and code that
  // stands there several times is only longer.
  most = std::min(most, 2 * kMostAtATime / countAdditions(loop));
  int64_t parts = most > 0 ? int64_t(llvm::bit_floor(uint64_t(most))) : 1;
  while (trips->urem(parts) != 0)
    parts /= 2;
  return parts;
}

static void split(scf::ForOp loop, int64_t parts) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  unsigned sums = loop->getNumResults();
  // What adds nothing, not even to a zero that is negative.
  SmallVector<Value> initial(loop.getInitArgs());
  for (int64_t part = 1; part < parts; ++part)
    for (Value sum : loop.getInitArgs()) {
      auto type = cast<VectorType>(sum.getType());
      TypedAttr zero = builder.getFloatAttr(type.getElementType(), -0.0);
      initial.push_back(arith::ConstantOp::create(
          builder, loc, DenseElementsAttr::get(type, zero)));
    }
  int64_t step = *getConstantIntValue(loop.getStep());
  Type counter = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(counter, value));
  };
  auto wide =
      scf::ForOp::create(builder, loc, loop.getLowerBound(),
                         loop.getUpperBound(), constant(step * parts), initial);
  wide->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  builder.setInsertionPointToEnd(wide.getBody());
  SmallVector<Value> yielded;
  for (int64_t part = 0; part < parts; ++part) {
    Value position = wide.getInductionVar();
    if (part != 0)
      position =
          arith::AddIOp::create(builder, loc, position, constant(part * step));
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), position);
    mapping.map(loop.getRegionIterArgs(),
                wide.getRegionIterArgs().slice(part * sums, sums));
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (Value value : loop.getYieldedValues())
      yielded.push_back(mapping.lookup(value));
  }
  scf::YieldOp::create(builder, loc, yielded);

  builder.setInsertionPointAfter(wide);
  SmallVector<Value> results(wide.getResults());
  for (int64_t half = parts / 2; half > 0; half /= 2)
    for (int64_t number = 0; number < half * sums; ++number)
      results[number] = arith::AddFOp::create(builder, loc, results[number],
                                              results[half * sums + number],
                                              arith::FastMathFlags::reassoc);
  for (auto [old, sum] : llvm::zip(loop.getResults(), results))
    old.replaceAllUsesWith(sum);
  loop.erase();
}

void SplitSums::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    int64_t parts = findParts(loop);
    if (parts < 2)
      continue;
    split(loop, parts);
    ++divided;
  }
}

} // namespace ember::loops
