//===- PairBFloat16Lanes.cpp - Take apart two bf16 at a time --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for ... iter(a = a0, b = b0) {              e0, o0 = deinterleave a0, b0
//     x = load t[i, 0]                          for ... iter(e = e0, o = o0) {
//     y = load t[i, n]                            w = load t[i, 0] as i32
//     yield a + f32(x), b + f32(y)       ->       yield e + f32(w << 16),
//   }                                                   o + f32(w & ~0xffff)
//                                               }
//                                               a, b = interleave e, o
//
// What a lane holds is all that changes: each element is computed from the same
// values in the same order.
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IndexExpr.h"
#include "ember/Analysis/OnlyReads.h"
#include "ember/Loops/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace ember::loops {
using namespace mlir;

#define GEN_PASS_DEF_PAIRBFLOAT16LANES
#include "ember/Loops/Transforms/Passes.h.inc"

namespace {
/// How a loop computes one accumulator: lane by lane, from the accumulator
/// itself, one row of bf16, and values that are the same in all lanes.
struct Chain {
  BlockArgument accumulator;
  vector::LoadOp load;
  arith::ExtFOp extension;
  /// What computes the next value of the accumulator.
  llvm::SmallSetVector<Operation *, 8> ops;
};

/// Pairs the accumulators of one loop.
class LoopPairs {
public:
  explicit LoopPairs(scf::ForOp loop)
      : loop(loop), yield(cast<scf::YieldOp>(loop.getBody()->getTerminator())) {
  }

  /// Returns how many pairs there are.
  unsigned run();

private:
  std::optional<Chain> findChain(unsigned number);
  bool follow(Value value, Chain &chain);
  bool isUsedElsewhere(Chain &chain, unsigned number);
  bool areNeighbours(Chain &first, Chain &second);
  bool isSame(Value left, Chain &first, Value right, Chain &second);
  void pair(Chain &first, Chain &second);

  scf::ForOp loop;
  scf::YieldOp yield;
  IndexExprs exprs;
};

struct PairBFloat16Lanes : impl::PairBFloat16LanesBase<PairBFloat16Lanes> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      paired += LoopPairs(loop).run();
  }
};
} // namespace

/// The scalar or attribute that all lanes of `value` hold, or null.
static OpFoldResult getLanes(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(broadcast.getSourceType()))
      return broadcast.getSource();
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return constant;
  return nullptr;
}

/// Adds what computes `value` to `chain`; false if lanes do not stay apart.
bool LoopPairs::follow(Value value, Chain &chain) {
  if (value == chain.accumulator || getLanes(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return false;
  auto extension = dyn_cast<arith::ExtFOp>(op);
  auto load = extension ? extension.getIn().getDefiningOp<vector::LoadOp>()
                        : vector::LoadOp();
  if (load) {
    bool isOnly = !chain.extension || chain.extension == extension;
    chain.extension = extension;
    chain.load = load;
    return isOnly && load->hasOneUse() && load->getBlock() == op->getBlock();
  }
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return false;
  return !chain.ops.insert(op) || llvm::all_of(op->getOperands(), [&](Value v) {
    return follow(v, chain);
  });
}

/// Whether anything but the chain sees its values, whose lanes will move.
bool LoopPairs::isUsedElsewhere(Chain &chain, unsigned number) {
  auto isOurs = [&](OpOperand &use) {
    return chain.ops.contains(use.getOwner()) ||
           (use.getOwner() == yield && use.getOperandNumber() == number);
  };
  auto escapes = [&](Value value) {
    return !llvm::all_of(value.getUses(), isOurs);
  };
  return escapes(chain.accumulator) || escapes(chain.extension.getResult()) ||
         llvm::any_of(chain.ops,
                      [&](Operation *op) { return escapes(op->getResult(0)); });
}

std::optional<Chain> LoopPairs::findChain(unsigned number) {
  Chain chain;
  chain.accumulator = loop.getRegionIterArg(number);
  auto type = dyn_cast<VectorType>(chain.accumulator.getType());
  if (!type || type.getRank() != 1 || type.isScalable() ||
      type.getNumElements() % 2 != 0 || !type.getElementType().isF32() ||
      !follow(yield.getOperand(number), chain) || !chain.load)
    return std::nullopt;
  VectorType row = chain.load.getVectorType();
  if (!row.getElementType().isBF16() || row.getShape() != type.getShape() ||
      chain.load.getMemRefType().getElementType() != row.getElementType() ||
      chain.extension.getType() != type || isUsedElsewhere(chain, number))
    return std::nullopt;
  return chain;
}

/// Whether `second` loads what is behind what `first` loads, and may do so
/// where that one does.
bool LoopPairs::areNeighbours(Chain &first, Chain &second) {
  vector::LoadOp low = first.load, high = second.load;
  if (low.getBase() != high.getBase() ||
      low.getVectorType() != high.getVectorType() ||
      !low->isBeforeInBlock(high))
    return false;
  auto pairs = llvm::zip_equal(low.getIndices(), high.getIndices());
  for (auto [dim, indices] : llvm::enumerate(pairs)) {
    auto [from, to] = indices;
    bool isLast = dim + 1 == low.getIndices().size();
    int64_t wanted = isLast ? low.getVectorType().getNumElements() : 0;
    if ((exprs.of(to) - exprs.of(from)).asConstant() != wanted)
      return false;
  }
  for (Operation *op = low; op != high; op = op->getNextNode())
    if (!onlyReads(op))
      return false;
  return true;
}

/// Whether `left` and `right` are computed alike, each from its own chain's
/// accumulator and row.
bool LoopPairs::isSame(Value left, Chain &first, Value right, Chain &second) {
  if (left == first.accumulator || right == second.accumulator)
    return left == first.accumulator && right == second.accumulator;
  if (OpFoldResult lanes = getLanes(left))
    return left.getType() == right.getType() && lanes == getLanes(right);
  if (getLanes(right))
    return false;
  Operation *one = left.getDefiningOp(), *other = right.getDefiningOp();
  if (one == first.extension || other == second.extension)
    return one == first.extension && other == second.extension;
  auto ignore = [](Value, Value) { return success(); };
  if (!OperationEquivalence::isEquivalentTo(
          one, other, ignore, /*markEquivalent=*/nullptr,
          OperationEquivalence::IgnoreLocations))
    return false;
  return llvm::all_of(llvm::zip_equal(one->getOperands(), other->getOperands()),
                      [&](auto operands) {
                        auto [a, b] = operands;
                        return isSame(a, first, b, second);
                      });
}

/// A vector whose lane `i` is lane `lane(i)` of `one` and `other` together.
static Value shuffle(OpBuilder &builder, Location loc, Value one, Value other,
                     llvm::function_ref<int64_t(int64_t)> lane) {
  SmallVector<int64_t> lanes;
  for (int64_t i = 0; i < cast<VectorType>(one.getType()).getNumElements(); ++i)
    lanes.push_back(lane(i));
  return vector::ShuffleOp::create(builder, loc, one, other, lanes);
}

void LoopPairs::pair(Chain &first, Chain &second) {
  OpBuilder builder(first.load);
  Location loc = first.load.getLoc();
  auto type = cast<VectorType>(first.accumulator.getType());
  int64_t count = type.getNumElements();

  auto both = VectorType::get({2 * count}, builder.getBF16Type());
  VectorType words = type.clone(builder.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(words, APInt(32, value, true)));
  };
  Value loaded = vector::LoadOp::create(
      builder, loc, both, first.load.getBase(), first.load.getIndices());
  Value pairs = vector::BitCastOp::create(builder, loc, words, loaded);
  Value even = arith::ShLIOp::create(builder, loc, pairs, constant(16));
  Value odd = arith::AndIOp::create(builder, loc, pairs, constant(-65536));
  first.extension.replaceAllUsesWith(
      arith::BitcastOp::create(builder, loc, type, even).getResult());
  second.extension.replaceAllUsesWith(
      arith::BitcastOp::create(builder, loc, type, odd).getResult());
  for (Chain *chain : {&first, &second}) {
    chain->extension.erase();
    chain->load.erase();
  }

  OpOperand &low = *loop.getTiedLoopInit(first.accumulator);
  OpOperand &high = *loop.getTiedLoopInit(second.accumulator);
  Value one = low.get(), other = high.get();
  builder.setInsertionPoint(loop);
  low.set(shuffle(builder, loc, one, other, [](int64_t i) { return 2 * i; }));
  high.set(
      shuffle(builder, loc, one, other, [](int64_t i) { return 2 * i + 1; }));

  Value evens = loop.getTiedLoopResult(&low);
  Value odds = loop.getTiedLoopResult(&high);
  builder.setInsertionPointAfter(loop);
  auto interleaved = [&](int64_t start) {
    return shuffle(builder, loc, evens, odds, [=](int64_t i) {
      int64_t element = start + i;
      return element / 2 + element % 2 * count;
    });
  };
  Value lower = interleaved(0), upper = interleaved(count);
  Operation *shuffles[] = {lower.getDefiningOp(), upper.getDefiningOp()};
  auto isOther = [&](OpOperand &use) {
    return !llvm::is_contained(shuffles, use.getOwner());
  };
  evens.replaceUsesWithIf(lower, isOther);
  odds.replaceUsesWithIf(upper, isOther);
}

unsigned LoopPairs::run() {
  unsigned count = 0;
  std::optional<Chain> last;
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number) {
    std::optional<Chain> chain = findChain(number);
    bool fits = last && chain && areNeighbours(*last, *chain) &&
                isSame(yield.getOperand(number - 1), *last,
                       yield.getOperand(number), *chain);
    if (!fits) {
      last = std::move(chain);
      continue;
    }
    pair(*last, *chain);
    last.reset();
    ++count;
  }
  return count;
}

} // namespace ember::loops
