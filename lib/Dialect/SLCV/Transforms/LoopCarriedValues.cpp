//===- LoopCarriedValues.cpp - Loops that carry more or less --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopCarriedValues.h"

#include "ember/Dialect/SLCV/IR/SLCV.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slcv;
using ember::slc::LoopOpInterface;

/// A loop like `loop` that carries values which begin as `inits`. It takes over
/// the body, whose carried values and yield are the caller's to adapt.
static LoopOpInterface rebuild(LoopOpInterface loop, ValueRange inits) {
  OpBuilder builder(loop);
  LoopOpInterface rebuilt;
  if (auto lanes = dyn_cast<VecForOp>(loop.getOperation()))
    rebuilt = VecForOp::create(builder, loop.getLoc(), lanes.getLowerBound(),
                               lanes.getUpperBound(), lanes.getStep(),
                               lanes.getVectorLength(), inits,
                               lanes.getInMask(), lanes.getConfig());
  else
    rebuilt =
        ember::slc::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(), inits);
  rebuilt->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  rebuilt->getRegion(0).takeBody(loop->getRegion(0));
  return rebuilt;
}

LoopOpInterface ember::slcv::addIterArg(LoopOpInterface loop, Value init) {
  SmallVector<Value> inits = llvm::to_vector_of<Value>(loop.getIterArgs());
  inits.push_back(init);
  LoopOpInterface longer = rebuild(loop, inits);
  Value carried = longer.getBody()->addArgument(init.getType(), loop.getLoc());
  Operation *yield = longer.getYield();
  yield->insertOperands(yield->getNumOperands(), carried);
  loop->replaceAllUsesWith(longer->getResults().drop_back());
  loop->erase();
  return longer;
}

LoopOpInterface ember::slcv::dropIterArgs(LoopOpInterface loop) {
  unsigned carried = loop.getIterArgs().size();
  if (carried == 0)
    return loop;
  LoopOpInterface shorter = rebuild(loop, {});
  shorter.getYield()->setOperands({});
  Block *body = shorter.getBody();
  body->eraseArguments(body->getNumArguments() - carried, carried);
  loop->erase();
  return shorter;
}
