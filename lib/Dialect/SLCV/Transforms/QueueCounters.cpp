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
// iteration, also where the loops within do not iterate at all.
//
//===----------------------------------------------------------------------===//

#include "CallbackMerging.h"
#include "LoopCarriedValues.h"
#include "QueueAlignment.h"
#include "VectorLoops.h"

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
  int64_t lanes = getLanesPerIteration(loop);
  APInt step;
  if (lanes == 1)
    return loop.getStep();
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return arith::ConstantIndexOp::create(builder, loc,
                                          step.getSExtValue() * lanes);
  Value factor = arith::ConstantIndexOp::create(builder, loc, lanes);
  return arith::MulIOp::create(builder, loc, loop.getStep(), factor);
}

/// The callback that counts: the last one in the loop's body, which costs no
/// token more, or a new one after the nested loop.
static CallbackOp getCountingCallback(LoopOpInterface loop) {
  CallbackOp last;
  for (CallbackOp callback : loop.getBody()->getOps<CallbackOp>())
    last = callback;
  if (last)
    return last;
  OpBuilder builder(loop.getYield());
  LoopOpInterface nested = slc::getNestedLoop(loop);
  return CallbackOp::create(builder, nested ? nested.getLoc() : loop.getLoc(),
                            nested ? slc::Event::end : slc::Event::ite);
}

unsigned ember::slcv::replaceByCounter(BlockArgument stream) {
  LoopOpInterface loop = ::getCountedLoop(stream);
  bool countsIterations = stream == loop.getIterationCount();
  SmallVector<StrToValOp> reads;
  for (Operation *user : stream.getUsers())
    if (auto toVal = dyn_cast<StrToValOp>(user);
        toVal && slcv::getCountedLoop(toVal))
      reads.push_back(toVal);

  Value init = loop.getLowerBound();
  if (countsIterations) {
    OpBuilder before(slc::getNestRoot(loop));
    init = arith::ConstantIndexOp::create(before, loop.getLoc(), 0);
  }
  loop = addIterArg(loop, init);
  Value counter = loop.getRegionIterArgs().back();
  for (StrToValOp toVal : reads) {
    toVal.getValue().replaceAllUsesWith(counter);
    toVal.erase();
  }

  CallbackOp counting = getCountingCallback(loop);
  OpBuilder builder(counting.getYield());
  Value next =
      arith::AddIOp::create(builder, loop.getLoc(), counter,
                            getIncrement(builder, loop, countsIterations));
  counting = addResults(counting, next);
  Operation *yield = loop.getYield();
  yield->setOperand(yield->getNumOperands() - 1, counting->getResults().back());
  return reads.size();
}
