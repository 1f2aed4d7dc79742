//===- JammedCode.cpp - Iterations that run at once -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JammedCode.h"
#include "ember/Analysis/MemoryAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <limits>

namespace ember::loops {
using namespace mlir;

/// More iterations at once read what they share hardly less often, but where
/// fewer sums than these are on their way, units wait for the ones before.
static constexpr int64_t kMostTogether = 4;
static constexpr int64_t kOpenSums = 8;

bool isPrefetch(Operation &op) {
  if (isa<memref::PrefetchOp>(op))
    return true;
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch->getNumResults() != 0)
    return false;
  auto result = branch->walk([](Operation *part) {
    std::optional<MemoryAccess> access = MemoryAccess::of(part);
    bool isHarmless = isMemoryEffectFree(part) ||
                      isa<memref::PrefetchOp, scf::IfOp>(part) ||
                      (access && !access->isStore());
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

int64_t countTogetherIn(scf::ForOp outer, int64_t sums,
                        int64_t vectorRegisters) {
  std::optional<APInt> trips = outer.getStaticTripCount();
  int64_t count = kMostTogether;
  while (count * sums < kOpenSums)
    count *= 2;
  // Counters of several iterations have to stay below the last index there is.
  std::optional<int64_t> step = getConstantIntValue(outer.getStep());
  std::optional<int64_t> end = getConstantIntValue(outer.getUpperBound());
  if (!step ||
      (end && *end > std::numeric_limits<int64_t>::max() - *step * count))
    return 1;
  while (count > 1 && (sums * count + sums + count > vectorRegisters ||
                       (trips && trips->ult(count))))
    count /= 2;
  return count;
}

void JammedCode::cloneTogether(OpBuilder &builder, Operation &op,
                               Copies copies) {
  if (once.contains(&op)) {
    builder.clone(op, copies.front());
    for (IRMapping &copy : copies.drop_front())
      for (Value result : op.getResults())
        copy.map(result, copies.front().lookup(result));
    return;
  }
  for (IRMapping &copy : last.contains(&op) ? copies.take_back() : copies)
    builder.clone(op, copy);
}

void JammedCode::cloneInner(OpBuilder &builder, Copies copies) {
  SmallVector<Value> initial;
  for (IRMapping &copy : copies)
    for (Value value : inner.getInitArgs())
      initial.push_back(copy.lookupOrDefault(value));
  auto loop =
      scf::ForOp::create(builder, inner.getLoc(), inner.getLowerBound(),
                         inner.getUpperBound(), inner.getStep(), initial);
  loop->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  size_t each = inner.getInitArgs().size();
  for (auto [number, copy] : llvm::enumerate(copies)) {
    copy.map(inner.getInductionVar(), loop.getInductionVar());
    copy.map(inner.getRegionIterArgs(),
             ValueRange(loop.getRegionIterArgs()).slice(number * each, each));
  }
  for (Operation &op : inner.getBody()->without_terminator())
    cloneTogether(builder, op, copies);
  SmallVector<Value> yielded;
  for (IRMapping &copy : copies)
    for (Value value : inner.getYieldedValues())
      yielded.push_back(copy.lookupOrDefault(value));
  scf::YieldOp::create(builder, inner.getLoc(), yielded);
  for (auto [number, copy] : llvm::enumerate(copies))
    copy.map(inner.getResults(), loop.getResults().slice(number * each, each));
}

void JammedCode::cloneBody(OpBuilder &builder, Copies copies) {
  for (Operation &op : outer.getBody()->without_terminator())
    if (&op == inner)
      cloneInner(builder, copies);
    else
      cloneTogether(builder, op, copies);
}

void JammedCode::jam(int64_t count,
                     function_ref<Value(OpBuilder &, Copies)> condition) {
  OpBuilder builder(outer);
  Location loc = outer.getLoc();
  int64_t step = *getConstantIntValue(outer.getStep());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value upper = outer.getUpperBound();
  auto loop = scf::ForOp::create(builder, loc, outer.getLowerBound(), upper,
                                 index(step * count));
  loop->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  auto map = [&](OpBuilder &inside) {
    SmallVector<IRMapping> copies(count);
    for (auto [number, copy] : llvm::enumerate(copies)) {
      auto ahead = static_cast<int64_t>(number) * step;
      Value counter =
          number == 0 ? first
                      : arith::AddIOp::create(
                            inside, loc, first,
                            arith::ConstantIndexOp::create(inside, loc, ahead))
                            .getResult();
      copy.map(outer.getInductionVar(), counter);
    }
    return copies;
  };
  std::optional<APInt> trips = outer.getStaticTripCount();
  bool isDivided = trips && trips->urem(count) == 0;
  if (isDivided && !condition) {
    SmallVector<IRMapping> copies = map(builder);
    cloneBody(builder, copies);
    outer.erase();
    return;
  }
  Value lastOne =
      arith::AddIOp::create(builder, loc, first, index(step * (count - 1)));
  // Of counters that are not negative, as an unsigned number: LLVM then sees
  // that those before the last one are below the end, too.
  std::optional<int64_t> lower = getConstantIntValue(outer.getLowerBound());
  Value isWhole =
      arith::CmpIOp::create(builder, loc,
                            lower && *lower >= 0 ? arith::CmpIPredicate::ult
                                                 : arith::CmpIPredicate::slt,
                            lastOne, upper);
  Value isJammed = isWhole;
  if (condition) {
    auto choice = scf::IfOp::create(builder, loc, builder.getI1Type(), isWhole,
                                    /*withElseRegion=*/true);
    OpBuilder whole = choice.getThenBodyBuilder();
    SmallVector<IRMapping> copies = map(whole);
    scf::YieldOp::create(whole, loc, condition(whole, copies));
    OpBuilder rest = choice.getElseBodyBuilder();
    scf::YieldOp::create(rest, loc, isWhole);
    isJammed = choice.getResult(0);
  }
  Value end = arith::AddIOp::create(builder, loc, first, index(step * count));
  end = arith::MinSIOp::create(builder, loc, end, upper);
  auto choice =
      scf::IfOp::create(builder, loc, isJammed, /*withElseRegion=*/true);
  OpBuilder together = choice.getThenBodyBuilder();
  SmallVector<IRMapping> copies = map(together);
  cloneBody(together, copies);
  // One after the other.
  outer->moveBefore(choice.elseBlock()->getTerminator());
  outer.setLowerBound(first);
  outer.setUpperBound(end);
  outer->setDiscardableAttrs(DictionaryAttr::get(outer.getContext()));
}

} // namespace ember::loops
