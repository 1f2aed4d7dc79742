//===- QueueCounters.cpp - Count instead of sending -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Segment ids that are induction variables are counted by the execute unit
// (paper, section 7.3 and figure 15d):
//
//   slc.for %b = %lb to ... step %c1 {      slc.for %b = %lb to ... step %c1
//                                               iter_args(%i = %lb) {
//     slc.for %p = ... {                      slc.for %p = ... {
//       slc.callback end {                      slc.callback end {
//         %bag = slc.str_to_val %b      =>        use %i
//         use %bag                              }
//       }                                     }
//     }                                       %n = slc.callback end { %i + 1 }
//   }                                         slc.yield %n
//
// The callback that counts stands in the loop's own body and so runs once an
// iteration, also where the loops within do not iterate at all. Where the body
// has one before the nested loop already, for example to set a sum to zero,
// that one counts, so that no token is spent on it (figure 14d has one a
// segment):
//
//                                          iter_args(%last = %lb - 1) {
//     slc.callback ite { zero }              %i = slc.callback ite {
//     slc.for %p = ... {             =>        %last + 1, zero }
//       slc.callback end { use %b }          slc.for %p = ... { use %i }
//     }                                      slc.yield %i
//
//===----------------------------------------------------------------------===//

#include "CallbackMerging.h"
#include "LoopCarriedValues.h"
#include "QueueAlignment.h"
#include "VectorLoops.h"

#include "ember/Conversion/StreamCode/Traversal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::slcv;
using ember::slc::CallbackOp;
using ember::slc::LoopOpInterface;
using ember::slc::StrToValOp;

/// The loop whose induction variable or iteration count `stream` is, if the
/// execute unit can know where that begins.
static LoopOpInterface getCountedLoop(Value stream) {
  auto argument = dyn_cast<BlockArgument>(stream);
  if (!argument)
    return nullptr;
  auto loop = dyn_cast<LoopOpInterface>(argument.getOwner()->getParentOp());
  if (!loop)
    return nullptr;
  if (argument == loop.getIterationCount())
    return loop;
  bool fixedStart = argument == loop.getInductionVar() &&
                    loop.getLowerBound().getType().isIndex();
  auto lanes = dyn_cast<VecForOp>(loop.getOperation());
  return fixedStart && (!lanes || sharesRange(lanes)) ? loop : nullptr;
}

LoopOpInterface ember::slcv::getCountedLoop(StrToValOp toVal) {
  bool firstLane = toVal.getLane().value_or(0) == 0;
  bool scalar = toVal.getValue().getType().isIndex();
  return firstLane && scalar ? ::getCountedLoop(toVal.getStream()) : nullptr;
}

/// By how much the counter grows in one iteration.
static Value getIncrement(OpBuilder &builder, LoopOpInterface loop,
                          bool countsIterations) {
  Location loc = loop.getLoc();
  if (countsIterations)
    return arith::ConstantIndexOp::create(builder, loc, 1);
  int64_t lanes = Traversal::of(loop).getLanesPerIteration();
  APInt step;
  if (lanes == 1)
    return loop.getStep();
  // A number this large wraps around, as the counter does that it is added to.
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return arith::ConstantIndexOp::create(
        builder, loc,
        (step.sextOrTrunc(64) * static_cast<uint64_t>(lanes)).getSExtValue());
  Value factor = arith::ConstantIndexOp::create(builder, loc, lanes);
  return arith::MulIOp::create(builder, loc, loop.getStep(), factor);
}

namespace {
/// A number that a loop counts, while its reads are being replaced.
class CounterBuilder {
public:
  CounterBuilder(LoopOpInterface loop, bool countsIterations)
      : loop(loop), countsIterations(countsIterations) {}

  void countFirst(CallbackOp first, ArrayRef<StrToValOp> reads);
  void countLast(ArrayRef<StrToValOp> reads);

private:
  Value getStart(OpBuilder &builder);
  void carry(Value init);
  CallbackOp count(CallbackOp callback, OpBuilder &builder, Value &next);

  LoopOpInterface loop;
  bool countsIterations;
  Value counter;
};
} // namespace

Value CounterBuilder::getStart(OpBuilder &builder) {
  if (!countsIterations)
    return loop.getLowerBound();
  return arith::ConstantIndexOp::create(builder, loop.getLoc(), 0);
}

void CounterBuilder::carry(Value init) {
  loop = addIterArg(loop, init);
  counter = loop.getRegionIterArgs().back();
}

/// Increases the counter at `builder` in `callback`, which then has the result
/// as its last one.
CallbackOp CounterBuilder::count(CallbackOp callback, OpBuilder &builder,
                                 Value &next) {
  next = arith::AddIOp::create(builder, loop.getLoc(), counter,
                               getIncrement(builder, loop, countsIterations));
  callback = addResults(callback, next);
  Operation *yield = loop.getYield();
  yield->setOperand(yield->getNumOperands() - 1, callback->getResults().back());
  return callback;
}

/// Counts in `first`, before everything that reads the number. The counter
/// starts one step early; where that wraps around, so does the first increment.
void CounterBuilder::countFirst(CallbackOp first, ArrayRef<StrToValOp> reads) {
  OpBuilder before(slc::getNestRoot(loop));
  Value increment = getIncrement(before, loop, countsIterations);
  Value init = before.createOrFold<arith::SubIOp>(loop.getLoc(),
                                                  getStart(before), increment);
  carry(init);
  auto builder = OpBuilder::atBlockBegin(first.getBody());
  Value next;
  first = count(first, builder, next);
  for (StrToValOp toVal : reads) {
    bool isInside = first->isProperAncestor(toVal);
    toVal.getValue().replaceAllUsesWith(isInside ? next
                                                 : first->getResults().back());
    toVal.erase();
  }
}

/// Counts in the last callback of the loop's body, which costs no token more,
/// or in a new one after the nested loop.
void CounterBuilder::countLast(ArrayRef<StrToValOp> reads) {
  OpBuilder before(slc::getNestRoot(loop));
  carry(getStart(before));
  for (StrToValOp toVal : reads) {
    toVal.getValue().replaceAllUsesWith(counter);
    toVal.erase();
  }
  CallbackOp last = getLastCallback(loop);
  // One with a mask does not see every iteration.
  if (!last || last.getMask()) {
    OpBuilder builder(loop.getYield());
    LoopOpInterface nested = slc::getNestedLoop(loop);
    last = CallbackOp::create(builder, nested ? nested.getLoc() : loop.getLoc(),
                              nested ? slc::Event::end : slc::Event::ite);
  }
  OpBuilder builder(last.getYield());
  Value next;
  count(last, builder, next);
}

/// The first callback of the loop's body, if all stand before a nested loop:
/// counting there costs no token, but counting up for the next iteration
/// would, since what is nested still needs the number.
/// Null also where the first number is only known within the nest.
static CallbackOp getFirstCallback(LoopOpInterface loop) {
  LoopOpInterface nested = slc::getNestedLoop(loop);
  LoopOpInterface root = slc::getNestRoot(loop);
  for (Value value : {loop.getLowerBound(), loop.getStep()})
    if (root->isAncestor(value.getParentBlock()->getParentOp()))
      return nullptr;
  CallbackOp first;
  for (CallbackOp callback : loop.getBody()->getOps<CallbackOp>()) {
    if (!nested || nested->isBeforeInBlock(callback))
      return nullptr;
    if (!first)
      first = callback;
  }
  return first && first.getMask() ? CallbackOp() : first;
}

unsigned ember::slcv::replaceByCounter(BlockArgument stream) {
  LoopOpInterface loop = ::getCountedLoop(stream);
  bool countsIterations = stream == loop.getIterationCount();
  SmallVector<StrToValOp> reads;
  for (Operation *user : stream.getUsers())
    if (auto toVal = dyn_cast<StrToValOp>(user);
        toVal && slcv::getCountedLoop(toVal))
      reads.push_back(toVal);

  CounterBuilder builder(loop, countsIterations);
  if (CallbackOp first = getFirstCallback(loop))
    builder.countFirst(first, reads);
  else
    builder.countLast(reads);
  return reads.size();
}
